/* SPDX-License-Identifier: MIT */
/* battery: charge and power of batteries, from /sys/class/power_supply
 * (Documentation/power/power_supply_class.rst, Documentation/ABI/testing/sysfs-class-power).
 *
 * Some drivers report energy, some charge.  Charge times the voltage that the battery is made for
 * is energy, as in collectd.
 */
#include <collector/kit/list_folder.h>
#include <collector/kit/read_number.h>
#include <collector/plugin.h>

#include <errno.h>
#include <stdio.h>
#include <strings.h>

#include <collector/scan.h>

#define FOLDER "/sys/class/power_supply"

struct battery {
	bool percentage, degraded;
	bool statefs; /* Only for Sailfish OS; nothing reads it. */
};

/* Takes "/sys/class/power_supply/SUPPLY/FILE", in millionths.  A file that is not there, or has
 * nothing now, is NaN.  Returns 0, or what mc_fail() returned. */
static int read_value(struct mc_ctx *ctx, const char *supply, const char *file, double *value)
{
	char path[512];
	int64_t number;
	int failed;

	*value = NAN;
	snprintf(path, sizeof(path), FOLDER "/%s/%s", supply, file);
	if (!mc_is_there(ctx, path))
		return 0;
	failed = mc_read_number(ctx, path, &number);
	if (failed == -ENODEV || failed == -ENODATA)
		return 0;
	if (failed == 0)
		*value = (double)number / 1e6;
	return failed;
}

/* Whether the file holds this one word, in small or capital letters. */
static bool is_word(struct mc_ctx *ctx, const char *supply, const char *file, const char *wanted)
{
	char path[512], *text;
	const char *at;
	struct mc_word word;

	snprintf(path, sizeof(path), FOLDER "/%s/%s", supply, file);
	if (mc_read_file(ctx, path, &text) < 0)
		return false;
	at = text;
	return mc_scan_word(&at, &word) && word.size == strlen(wanted) &&
	       strncasecmp(word.text, wanted, word.size) == 0;
}

struct capacity {
	double now, full, design; /* Wh. */
};

static int read_capacity(struct mc_ctx *ctx, const char *supply, struct capacity *capacity)
{
	int failed = read_value(ctx, supply, "energy_now", &capacity->now);
	bool charge = failed == 0 && isnan(capacity->now);
	double voltage = 1;

	if (charge) {
		failed = read_value(ctx, supply, "voltage_min_design", &voltage);
		if (failed == 0)
			failed = read_value(ctx, supply, "charge_now", &capacity->now);
	}
	if (failed == 0)
		failed = read_value(ctx, supply, charge ? "charge_full" : "energy_full",
				    &capacity->full);
	if (failed == 0)
		failed = read_value(ctx, supply,
				    charge ? "charge_full_design" : "energy_full_design",
				    &capacity->design);
	capacity->now *= voltage;
	capacity->full *= voltage;
	capacity->design *= voltage;
	return failed;
}

static void put(struct mc_batch *out, struct mc_id id, double value)
{
	if (!isnan(value))
		mc_gauge(out, mc_series(out, id), value);
}

/* Inconsistent values are left out, as in collectd. */
static void put_capacity(const struct battery *self, struct mc_batch *out, const char *name,
			 const struct capacity *capacity)
{
	struct mc_id id =
		MC_ID(.plugin_instance = name, .type = self->percentage ? "percent" : "capacity");
	double unit = 1;

	if (!self->percentage && !self->degraded) {
		put(out, id, capacity->now);
		return;
	}
	if (capacity->now > capacity->full ||
	    (self->degraded && !(capacity->full <= capacity->design)))
		return;
	if (self->percentage)
		unit = (self->degraded ? capacity->design : capacity->full) / 100;
	if (!(unit > 0))
		return;
	id.type_instance = "charged";
	put(out, id, capacity->now / unit);
	id.type_instance = "discharged";
	put(out, id, (capacity->full - capacity->now) / unit);
	id.type_instance = "degraded";
	if (self->degraded)
		put(out, id, (capacity->design - capacity->full) / unit);
}

static int read_battery(struct mc_ctx *ctx, struct mc_batch *out, const char *supply,
			const char *name)
{
	static const struct {
		const char *file, *type;
		bool flows; /* Negative while the battery discharges. */
	} files[] = {
		{ "power_now", "power", true },
		{ "current_now", "current", true },
		{ "voltage_now", "voltage", false },
	};
	bool discharging = is_word(ctx, supply, "status", "Discharging");
	struct capacity capacity = { NAN, NAN, NAN };
	int failed = read_capacity(ctx, supply, &capacity);

	if (failed == 0)
		put_capacity(ctx->self, out, name, &capacity);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		double value;
		int status = read_value(ctx, supply, files[i].file, &value);

		if (status != 0)
			failed = status;
		if (files[i].flows && discharging)
			value = -fabs(value);
		put(out, MC_ID(.plugin_instance = name, .type = files[i].type), value);
	}
	return failed;
}

static int battery_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct mc_names supplies = { 0 };
	int failed = mc_list_folder(ctx, &supplies, FOLDER, "");
	bool first = true;

	for (size_t i = 0; i < supplies.len; i++) {
		const char *supply = supplies.items[i];
		int status;

		if (!is_word(ctx, supply, "type", "Battery"))
			continue;
		status = read_battery(ctx, out, supply, first ? "0" : supply);
		first = false;
		if (status != 0)
			failed = status;
	}
	mc_names_done(&supplies);
	return failed;
}

static const struct mc_option options[] = {
	{ .name = "ValuesPercentage",
	  MC_OPT_BOOL(struct battery, percentage),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports the capacity in percent instead of watt-hours." },
	{ .name = "ReportDegraded",
	  MC_OPT_BOOL(struct battery, degraded),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Divides the capacity for which the battery was designed into charged, "
		  "discharged and degraded." },
	{ .name = "QueryStateFS",
	  MC_OPT_BOOL(struct battery, statefs),
	  .default_value = "false",
	  .lenient = true,
	  .no_effect = true,
	  .help = "Only for Sailfish OS." },
	{ 0 }
};

MC_PLUGIN(battery) = {
	MC_NAMED(battery),
	.help = "Reads what batteries hold and give.",
	.self_size = sizeof(struct battery),
	.options = options,
	.types = (const char *const[]){ "capacity", "percent", "power", "current", "voltage",
					NULL },
	.read = battery_read,
	.lenient = true,
};
