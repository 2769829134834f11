/* SPDX-License-Identifier: MIT */
/* smart: what disks say about themselves: S.M.A.R.T. of ATA, and NVMe's health (collectd.conf(5),
 * "Plugin smart").
 *
 * A disk that fails may take a minute for an answer.  So each is asked on a thread of its own,
 * which is waited for only so long. */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/list_folder.h>
#include <collector/kit/timed_call.h>
#include <collector/plugin.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attributes.h"
#include "device.h"
#include "health.h"

#define FOLDER "/sys/block"
#define PARTS 4 /* Of an interval: the longest that a disk is waited for. */
#define LIMIT_MAX (10 * MC_SECOND)
#define PAUSE (60 * MC_SECOND) /* Of a disk that did not answer. */
#define NAME_SIZE 64

struct disk { /* One that was met. */
	char name[NAME_SIZE];
	mc_time pause_end;
	bool is_met;              /* In this read. */
	uint8_t failing[256 / 8]; /* Attributes that were notified of, by their number. */
};

struct smart {
	struct mc_select *names;
	bool ignore, wake, use_serial;
	struct disk *disks;
	size_t len, size;
};

/* --- A question to a disk ------------------------------------------------------------------ */

struct question {
	bool is_nvme, wake;
	int result; /* 0 or a negative errno. */
	struct device_ata ata;
	uint8_t page[HEALTH_SIZE];
	char path[]; /* Of the device. */
};

static int ask(void *argument)
{
	struct question *question = argument;
	int fd = open(question->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0) {
		question->result = -errno;
		return 0;
	}
	question->result = question->is_nvme ? device_ask_nvme(fd, question->page)
					     : device_ask_ata(fd, question->wake, &question->ata);
	close(fd);
	return 0;
}

static struct question *make_question(struct mc_ctx *ctx, const char *name)
{
	const struct smart *self = ctx->self;
	char path[NAME_SIZE + 16], full[1024];
	struct question *question;
	size_t size;

	snprintf(path, sizeof(path), "/dev/%s", name);
	size = strlen(mc_path(ctx, path, full, sizeof(full))) + 1;
	question = mc_alloc_zero(sizeof(*question) + size);
	memcpy(question->path, full, size);
	question->is_nvme = strncmp(name, "nvme", 4) == 0;
	question->wake = self->wake;
	return question;
}

/* --- Values ---------------------------------------------------------------------------------- */

static void put_figure(struct mc_batch *out, const char *disk, const char *type, double number)
{
	if (!isnan(number))
		mc_put_gauge(out, number, .plugin_instance = disk, .type = type);
}

/* Once when an attribute comes to its threshold, and once when it has left it. */
static void notify(struct mc_ctx *ctx, struct disk *disk, const char *instance,
		   const struct attribute *attribute)
{
	bool failing = attributes_failing(attribute);
	uint8_t *byte = &disk->failing[attribute->id / 8];
	uint8_t bit = (uint8_t)(1U << attribute->id % 8);
	char message[200];

	if (failing == ((*byte & bit) != 0))
		return;
	*byte ^= bit;
	snprintf(message, sizeof(message),
		 failing ? "attribute %s of %s is at its threshold: %u of %u"
			 : "attribute %s of %s is above its threshold: %u of %u",
		 attribute->name, disk->name, attribute->current, attribute->threshold);
	mc_notify(ctx, &(struct mc_notification){ .severity = failing ? MC_WARNING : MC_OKAY,
						  .id = MC_ID(.plugin_instance = instance,
							      .type = "smart_attribute",
							      .type_instance = attribute->name),
						  .message = message });
}

static void put_attributes(struct mc_ctx *ctx, struct mc_batch *out, struct disk *disk,
			   const struct device_ata *answer, const char *instance)
{
	struct attributes found;

	if (answer->is_asleep)
		return;
	attributes_parse(answer->data, answer->has_thresholds ? answer->thresholds : NULL,
			 answer->sectors, &found);
	put_figure(out, instance, "smart_poweron", found.power_on);
	put_figure(out, instance, "smart_powercycles", found.power_cycles);
	put_figure(out, instance, "smart_badsectors", found.bad_sectors);
	put_figure(out, instance, "smart_temperature", found.temperature);
	for (size_t i = 0; i < found.len; i++) {
		const struct attribute *attribute = &found.items[i];
		const union mc_value values[] = {
			{ .gauge = attribute->current },
			{ .gauge = attribute->worst },
			{ .gauge = attribute->threshold },
			{ .gauge = attribute->reading },
		};

		mc_put(out,
		       mc_series(out, MC_ID(.plugin_instance = instance, .type = "smart_attribute",
					    .type_instance = attribute->name)),
		       values, 4);
		notify(ctx, disk, instance, attribute);
	}
}

static void put_health(struct mc_batch *out, const uint8_t *page, const char *instance)
{
	struct health health;

	health_parse(page, &health);
	for (size_t i = 0; i < health.len; i++)
		mc_put_gauge(out, health.values[i].number, .plugin_instance = instance,
			     .type = health.values[i].type,
			     .type_instance = health.values[i].instance);
}

/* --- Disks ------------------------------------------------------------------------------------ */

/* Copies the rest of the line that begins with 'key'; false without such a line. */
static bool find_line(const char *text, const char *key, char *out, size_t size)
{
	const char *line = text;
	size_t len;

	while (strncmp(line, key, strlen(key)) != 0) {
		line = strchr(line, '\n');
		if (line == NULL)
			return false;
		line++;
	}
	line += strlen(key);
	len = strcspn(line, "\n");
	if (len == 0 || len >= size)
		return false;
	memcpy(out, line, len);
	out[len] = '\0';
	return true;
}

/* The serial number, as udev has it, or the name where that is not known. */
static void name_instance(struct mc_ctx *ctx, const char *name, char instance[NAME_SIZE])
{
	const struct smart *self = ctx->self;
	char path[NAME_SIZE + 32], *text;

	snprintf(instance, NAME_SIZE, "%s", name);
	if (!self->use_serial)
		return;
	snprintf(path, sizeof(path), FOLDER "/%s/dev", name);
	if (mc_read_optional(ctx, path, &text) <= 0)
		return;
	snprintf(path, sizeof(path), "/run/udev/data/b%.20s", text);
	path[strcspn(path, "\n")] = '\0';
	if (mc_read_optional(ctx, path, &text) > 0)
		find_line(text, "E:ID_SERIAL_SHORT=", instance, NAME_SIZE);
}

static struct disk *meet(struct smart *self, const char *name)
{
	struct disk *disk = NULL;

	for (size_t i = 0; i < self->len && disk == NULL; i++)
		if (strcmp(self->disks[i].name, name) == 0)
			disk = &self->disks[i];
	if (disk == NULL) {
		MC_ARRAY_GROW(self->disks, self->len, self->size);
		disk = &self->disks[self->len++];
		*disk = (struct disk){ 0 };
		snprintf(disk->name, sizeof(disk->name), "%s", name);
	}
	disk->is_met = true;
	return disk;
}

static void forget_others(struct smart *self)
{
	size_t kept = 0;

	for (size_t i = 0; i < self->len; i++)
		if (self->disks[i].is_met)
			self->disks[kept++] = self->disks[i];
	self->len = kept;
}

static int fail_silent(struct mc_ctx *ctx, const char *name)
{
	return mc_fail(ctx, 0, "disk '%s' does not answer: asked again once a minute", name);
}

/* 1: values were put; 0: the disk has no SMART; or what mc_fail() returned. */
static int read_disk(struct mc_ctx *ctx, struct mc_batch *out, const char *name)
{
	mc_time limit = ctx->interval / PARTS < LIMIT_MAX ? ctx->interval / PARTS : LIMIT_MAX;
	struct disk *disk = meet(ctx->self, name);
	struct question *question;
	char instance[NAME_SIZE];
	int result;

	if (mc_now() < disk->pause_end)
		return fail_silent(ctx, name);
	question = make_question(ctx, name);
	result = mc_timed_call(ctx, limit, ask, question);
	if (result != 0) {
		disk->pause_end = mc_now() + PAUSE;
		if (result != -ETIMEDOUT)
			free(question);
		return fail_silent(ctx, name);
	}
	result = question->result;
	if (result == 0) {
		name_instance(ctx, name, instance);
		if (question->is_nvme)
			put_health(out, question->page, instance);
		else
			put_attributes(ctx, out, disk, &question->ata, instance);
		result = 1;
	} else if (result == -EOPNOTSUPP || result == -ENOENT || result == -ENXIO) {
		result = 0; /* A disk of a virtual machine; one that is gone. */
	} else {
		result = mc_fail(ctx, -result, "cannot read SMART of '%s'", name);
	}
	free(question);
	return result;
}

/* Disks of ATA and SCSI, and namespaces of NVMe, but not their paths, "nvme0c1n1". */
static bool is_disk(const char *name)
{
	if (strlen(name) >= NAME_SIZE)
		return false;
	if (strncmp(name, "nvme", 4) == 0)
		return strchr(name, 'c') == NULL;
	return strncmp(name, "sd", 2) == 0 || strncmp(name, "hd", 2) == 0;
}

static int smart_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct smart *self = ctx->self;
	struct mc_names names = { 0 };
	int failed = mc_list_folder(ctx, &names, FOLDER, "");
	size_t answers = 0;

	if (failed != 0)
		return failed;
	for (size_t i = 0; i < self->len; i++)
		self->disks[i].is_met = false;
	for (size_t i = 0; i < names.len; i++) {
		const char *name = names.items[i];
		int result;

		if (!is_disk(name) || !mc_selected(self->names, self->ignore, name))
			continue;
		result = read_disk(ctx, out, name);
		if (result < 0)
			failed = -EAGAIN; /* The others come no later. */
		else
			answers += (size_t)result;
	}
	forget_others(self);
	mc_names_done(&names);
	if (failed == 0 && answers == 0)
		return mc_fail(ctx, 0, "no disk with SMART in '" FOLDER "'");
	return failed;
}

static void smart_check(struct mc_ctx *ctx)
{
	struct smart *self = ctx->self;

	mc_check_capabilities(ctx, &self->names, "CAP_SYS_RAWIO");
}

static void smart_stop(struct mc_ctx *ctx)
{
	struct smart *self = ctx->self;

	free(self->disks);
}

static const struct mc_option options[] = {
	{ .name = "Disk",
	  MC_OPT_SELECT(struct smart, names),
	  .lenient = true,
	  .help = "Selects a disk by name or /regex/.",
	  .sample = "/^sd/" },
	{ .name = "IgnoreSelected",
	  MC_OPT_BOOL(struct smart, ignore),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports all disks but the selected ones." },
	{ .name = "IgnoreSleepMode",
	  MC_OPT_BOOL(struct smart, wake),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Asks disks that sleep, too, which wakes them." },
	{ .name = "UseSerial",
	  MC_OPT_BOOL(struct smart, use_serial),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Names disks by their serial numbers, if udev has them." },
	{ 0 }
};

MC_PLUGIN(smart) = {
	MC_NAMED(smart),
	.help = "Reads what disks say about their health: SMART of ATA, and NVMe's.",
	.self_size = sizeof(struct smart),
	.options = options,
	.types = (const char *const[]){ "smart_attribute",
					"smart_badsectors",
					"smart_powercycles",
					"smart_poweron",
					"smart_temperature",
					"nvme_avail_spare",
					"nvme_avail_spare_thresh",
					"nvme_critical_comp_time",
					"nvme_critical_warning",
					"nvme_ctrl_busy_time",
					"nvme_data_units_read",
					"nvme_data_units_written",
					"nvme_endu_grp_crit_warn_sumry",
					"nvme_host_commands_read",
					"nvme_host_commands_written",
					"nvme_media_errors",
					"nvme_num_err_log_entries",
					"nvme_percent_used",
					"nvme_power_cycles",
					"nvme_power_on_hours",
					"nvme_temp_sensor",
					"nvme_temperature",
					"nvme_thermal_mgmt_temp1_total_time",
					"nvme_thermal_mgmt_temp1_transition_count",
					"nvme_thermal_mgmt_temp2_total_time",
					"nvme_thermal_mgmt_temp2_transition_count",
					"nvme_unsafe_shutdowns",
					"nvme_warning_temp_time",
					NULL },
	.check = smart_check,
	.read = smart_read,
	.stop = smart_stop,
	.lenient = true,
};
