/* SPDX-License-Identifier: MIT */
/* sensors: temperatures, voltages, fans and more, from /sys/class/hwmon, under
 * the names of lm-sensors.
 *
 * A sensor on a slow bus, or a broken one, may take seconds.  So each chip is
 * read on a thread of its own, which is waited for only so long.
 */
#include <collector/kit/alloc.h>
#include <collector/kit/list_folder.h>
#include <collector/kit/timed_call.h>
#include <collector/plugin.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chip.h"

#define FOLDER "/sys/class/hwmon"
#define PARTS 4 /* Of an interval: the longest that a chip is waited for. */
#define LIMIT_MAX (2 * MC_SECOND)
#define PAUSE (60 * MC_SECOND) /* Of a chip that did not answer. */
#define PAUSES_MAX 64

struct sensors {
	struct mc_select *names;
	bool ignore, labels;
	const char *file; /* Of lm-sensors; nothing reads it. */
	struct pause {
		char folder[32]; /* "hwmon3" */
		mc_time end;
	} pauses[PAUSES_MAX];
	size_t pauses_len;
};

static bool is_paused(struct sensors *self, const char *folder)
{
	for (size_t i = 0; i < self->pauses_len; i++)
		if (strcmp(self->pauses[i].folder, folder) == 0)
			return mc_now() < self->pauses[i].end;
	return false;
}

/* Leaves the chip out for a while. */
static void pause_chip(struct sensors *self, const char *folder)
{
	size_t i = 0;

	while (i < self->pauses_len && strcmp(self->pauses[i].folder, folder) != 0)
		i++;
	if (i == PAUSES_MAX)
		i = 0;
	if (i == self->pauses_len)
		self->pauses_len++;
	snprintf(self->pauses[i].folder, sizeof(self->pauses[i].folder), "%s", folder);
	self->pauses[i].end = mc_now() + PAUSE;
}

static void report(const struct sensors *self, struct mc_batch *out, const struct chip *chip)
{
	for (size_t i = 0; i < chip->len; i++) {
		const struct chip_sensor *sensor = &chip->sensors[i];
		char full[3 * CHIP_NAME_SIZE];
		struct mc_id id =
			MC_ID(.plugin_instance = chip->name, .type = sensor->type,
			      .type_instance = self->labels ? sensor->label : sensor->name);

		snprintf(full, sizeof(full), "%s/%s-%s", id.plugin_instance, id.type,
			 id.type_instance);
		if (mc_selected(self->names, self->ignore, full))
			mc_gauge(out, mc_series(out, id), sensor->value);
	}
}

static int fail_silent(struct mc_ctx *ctx, const char *folder)
{
	return mc_fail(ctx, 0,
		       "chip '" FOLDER "/%s' does not answer: asked again "
		       "once a minute",
		       folder);
}

static int read_chip(struct mc_ctx *ctx, struct mc_batch *out, const char *name)
{
	mc_time limit = ctx->interval / PARTS;
	struct sensors *self = ctx->self;
	char path[512], full[1024];
	struct chip *chip;
	int result;

	snprintf(path, sizeof(path), FOLDER "/%s", name);
	mc_path(ctx, path, full, sizeof(full));
	chip = mc_alloc_zero(sizeof(*chip) + strlen(full) + 1);
	memcpy(chip->folder, full, strlen(full) + 1);
	result = mc_timed_call(ctx, limit < LIMIT_MAX ? limit : LIMIT_MAX, chip_read, chip);
	if (result != 0) {
		pause_chip(self, name);
		if (result != -ETIMEDOUT)
			free(chip);
		return fail_silent(ctx, name);
	}
	report(self, out, chip);
	if (chip->failed > 0)
		result = mc_fail(ctx, chip->errnum, "cannot read %u of the sensors of '%s'",
				 chip->failed, path);
	free(chip);
	return result;
}

static int sensors_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct sensors *self = ctx->self;
	struct mc_names chips = { 0 };
	int failed = mc_list_folder(ctx, &chips, FOLDER, "hwmon");

	if (failed != 0)
		return failed;
	if (chips.len == 0)
		return mc_fail(ctx, 0, "no chip in '" FOLDER "'");
	for (size_t i = 0; i < chips.len; i++) {
		const char *name = chips.items[i];
		int result =
			is_paused(self, name) ? fail_silent(ctx, name) : read_chip(ctx, out, name);

		if (result != 0)
			failed = -EAGAIN; /* The others come no later. */
	}
	mc_names_done(&chips);
	return failed;
}

static const struct mc_option options[] = {
	{ .name = "SensorConfigFile",
	  MC_OPT_STRING(struct sensors, file),
	  .no_effect = true,
	  .help = "File of lm-sensors, which is not read.",
	  .sample = "/etc/sensors3.conf" },
	{ .name = "Sensor",
	  MC_OPT_SELECT(struct sensors, names),
	  .lenient = true,
	  .help = "Selects a sensor by chip/type-name or /regex/.",
	  .sample = "coretemp-isa-0000/temperature-temp1" },
	{ .name = "IgnoreSelected",
	  MC_OPT_BOOL(struct sensors, ignore),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports all sensors but the selected ones." },
	{ .name = "UseLabels",
	  MC_OPT_BOOL(struct sensors, labels),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Names a sensor by its label, such as \"Core 0\", instead of "
		  "\"temp2\"." },
	{ 0 }
};

MC_PLUGIN(sensors) = {
	MC_NAMED(sensors),
	.help = "Reads temperatures, voltages and fans of hardware monitors.",
	.self_size = sizeof(struct sensors),
	.options = options,
	.types = (const char *const[]){ "temperature", "voltage", "fanspeed", "power", "current",
					"humidity", NULL },
	.read = sensors_read,
};
