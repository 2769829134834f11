/* SPDX-License-Identifier: MIT */
#include "fill.h"

#include <math.h>
#include <stdio.h>

#include <collector/kit/append.h>

/* Time in which a mean forgets 63 % of what was before. */
#define MEMORY 300.0

#define FAILURE 600.0
#define WARNING 3600.0
#define WORSE_AFTER (120 * MC_SECOND)
#define BETTER_AFTER (600 * MC_SECOND)

#define MIB 1048576.0

void fill_take(struct fill_trend *trend, uint64_t used, uint64_t size, mc_time now)
{
	double seconds, age, weight, newest;

	if (trend->looked == 0) {
		*trend = (struct fill_trend){
			.begun = now, .looked = now, .used = used, .size = size
		};
		return;
	}
	if (now <= trend->looked) /* Looked at already. */
		return;
	seconds = (double)(now - trend->looked) / (double)MC_SECOND;
	age = (double)(now - trend->begun) / (double)MC_SECOND;
	newest = ((double)used - (double)trend->used) / seconds;
	/* At first all that was seen counts alike. */
	weight = fmax(seconds / age, 1 - exp(-seconds / MEMORY));
	trend->rate += weight * (newest - trend->rate);
	trend->looked = now;
	trend->used = used;
	trend->size = size;
}

double fill_seconds(const struct fill_trend *trend)
{
	double left = trend->size > trend->used ? (double)(trend->size - trend->used) : 0;

	if (!(trend->rate > 0)) /* Also if it is full, and stays so. */
		return FILL_NEVER;
	return fmin(left / trend->rate, FILL_NEVER);
}

void fill_add(struct fill_levels *levels, enum fill_kind kind, const char *name,
	      const struct fill_trend *trend, bool counts)
{
	struct fill_level *level = &levels->items[levels->len];

	if (levels->len == FILL_LEVELS_MAX || trend->looked == 0 || trend->size == 0)
		return;
	levels->len++;
	*level = (struct fill_level){ .kind = kind, .trend = *trend, .counts = counts };
	snprintf(level->name, sizeof(level->name), "%s", name);
}

const struct fill_level *fill_tightest(const struct fill_levels *levels)
{
	const struct fill_level *found = NULL;

	for (size_t i = 0; i < levels->len; i++) {
		const struct fill_level *at = &levels->items[i];

		if (at->counts &&
		    (found == NULL || fill_seconds(&at->trend) < fill_seconds(&found->trend)))
			found = at;
	}
	return found;
}

/* --- Words -------------------------------------------------------------------- */

static void add_duration(char *out, size_t size, double seconds)
{
	if (seconds < 90)
		mc_append(out, size, "%.0f s", seconds);
	else if (seconds < 90 * 60)
		mc_append(out, size, "%.0f min", seconds / 60);
	else if (seconds < 48 * 3600)
		mc_append(out, size, "%.0f h", seconds / 3600);
	else
		mc_append(out, size, "%.0f days", seconds / 86400);
}

/* In a time in which it is not a small part of a MiB. */
static void add_rate(char *out, size_t size, double rate)
{
	static const struct {
		double seconds;
		const char *name;
	} times[] = { { 60, "a minute" }, { 3600, "an hour" }, { 86400, "a day" } };
	const char *unit = "MiB";
	double amount;
	size_t i = 0;

	while (i < 2 && rate * times[i].seconds < MIB)
		i++;
	amount = rate * times[i].seconds / MIB;
	if (amount >= 1000) {
		amount /= 1024;
		unit = "GiB";
	}
	mc_append(out, size, "%.*f %s %s", amount < 10 ? 1 : 0, amount, unit, times[i].name);
}

static void add_name(char *out, size_t size, const struct fill_level *level)
{
	static const char *const names[] = {
		[FILL_GUEST_FILE_SYSTEM] = "its file system",
		[FILL_DISK] = "its disk",
		[FILL_IMAGE] = "device",
		[FILL_POOL] = "thin pool",
		[FILL_POOL_METADATA] = "metadata of thin pool",
		[FILL_FILE_SYSTEM] = "file system",
	};

	mc_append(out, size, "%s%s%s", names[level->kind], level->name[0] != '\0' ? " " : "",
		  level->name);
}

static double percent_of(const struct fill_trend *trend)
{
	return 100 * (double)trend->used / (double)trend->size;
}

static void add_others(char *out, size_t size, const struct fill_levels *levels,
		       const struct fill_level *tightest)
{
	const char *before = "; ";

	for (size_t i = 0; i < levels->len; i++) {
		const struct fill_level *at = &levels->items[i];
		double seconds = fill_seconds(&at->trend);

		if (at == tightest)
			continue;
		mc_append(out, size, "%s", before);
		add_name(out, size, at);
		if (seconds < FILL_NEVER) {
			mc_append(out, size, " in ");
			add_duration(out, size, seconds);
		} else {
			mc_append(out, size, " (%.3g %%)", percent_of(&at->trend));
		}
		before = ", ";
	}
}

void fill_write(const struct fill_levels *levels, char *out, size_t size)
{
	const struct fill_level *tightest = fill_tightest(levels);

	out[0] = '\0';
	if (tightest == NULL)
		return;
	if (fill_seconds(&tightest->trend) < FILL_NEVER) {
		mc_append(out, size, "full in ");
		add_duration(out, size, fill_seconds(&tightest->trend));
		mc_append(out, size, ": ");
		add_name(out, size, tightest);
		mc_append(out, size, " (%.3g %%, ", percent_of(&tightest->trend));
		add_rate(out, size, tightest->trend.rate);
		mc_append(out, size, ")");
	} else {
		mc_append(out, size, "not filling: ");
		add_name(out, size, tightest);
		mc_append(out, size, " (%.3g %%)", percent_of(&tightest->trend));
	}
	add_others(out, size, levels, tightest);
}

/* --- Alarms ------------------------------------------------------------------- */

static enum mc_severity severity_of(double seconds)
{
	return seconds < FAILURE ? MC_FAILURE : seconds < WARNING ? MC_WARNING : MC_OKAY;
}

/* The values of enum mc_severity are collectd's, which are in no order. */
static int badness(enum mc_severity severity)
{
	return severity == MC_FAILURE ? 2 : severity == MC_WARNING ? 1 : 0;
}

enum mc_severity fill_judge(struct fill_alarm *alarm, double seconds, mc_time now)
{
	enum mc_severity wanted = severity_of(seconds);
	bool worse;

	if (alarm->since == 0)
		*alarm = (struct fill_alarm){ MC_OKAY, MC_OKAY, now };
	worse = badness(wanted) > badness(alarm->severity);
	if (wanted != alarm->wanted) {
		/* From a warning to a failure the time for the worse goes on. */
		if (!worse || badness(alarm->wanted) <= badness(alarm->severity))
			alarm->since = now;
		alarm->wanted = wanted;
	}
	if (wanted != alarm->severity &&
	    now - alarm->since >= (worse ? WORSE_AFTER : BETTER_AFTER)) {
		alarm->severity = wanted;
		alarm->since = now;
	}
	return alarm->severity;
}
