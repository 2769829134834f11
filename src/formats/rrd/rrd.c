/* SPDX-License-Identifier: MIT */
#include "formats/rrd/rrd.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/print.h>

static void add_timespan(struct mc_rrd_rules *rules, int64_t span)
{
	size_t i = rules->timespans_len++;

	rules->timespans = mc_alloc_resize(rules->timespans, i + 1, sizeof(span));
	for (; i > 0 && !rules->as_given && rules->timespans[i - 1] > span; i--)
		rules->timespans[i] = rules->timespans[i - 1];
	rules->timespans[i] = span;
}

bool mc_rrd_add_timespans(struct mc_rrd_rules *rules, const char *text)
{
	bool good = true;

	for (;;) {
		char *end;
		long long span;

		text += strspn(text, ", \t");
		if (*text == '\0')
			return good;
		span = strtoll(text, &end, 10);
		if (end != text && (*end == '\0' || strchr(", \t", *end)) && span > 0 &&
		    span <= INT64_C(10000000000))
			add_timespan(rules, span);
		else
			good = false;
		text += strcspn(text, ", \t");
	}
}

int64_t mc_rrd_second(mc_time time)
{
	return (time + MC_SECOND / 2) / MC_SECOND;
}

static void add_argument(struct mc_rrd_layout *layout, const char *fmt, ...) MC_PRINTF(2, 3);
static void add_argument(struct mc_rrd_layout *layout, const char *fmt, ...)
{
	char text[1024]; /* The longest has two "%f" of at most 317 bytes. */
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	layout->argv =
		mc_alloc_resize(layout->argv, (size_t)layout->argc + 2, sizeof(*layout->argv));
	layout->argv[layout->argc++] = mc_alloc_copy(text);
	layout->argv[layout->argc] = NULL;
}

static void format_bound(double bound, char out[static 330])
{
	if (isnan(bound))
		memcpy(out, "U", 2);
	else
		snprintf(out, 330, "%f", bound);
}

static void add_sources(struct mc_rrd_layout *layout, const struct mc_rrd_rules *rules,
			const struct mc_type *type)
{
	static const char *const kinds[] = {
		[MC_COUNTER] = "COUNTER",
		[MC_GAUGE] = "GAUGE",
		[MC_DERIVE] = "DERIVE",
		[MC_ABSOLUTE] = "ABSOLUTE",
	};
	for (unsigned i = 0; i < type->sources_len; i++) {
		const struct mc_source *source = &type->sources[i];
		const char *name = mc_rrd_source_name(rules, type, i);
		char min[330], max[330];

		format_bound(source->min, min);
		format_bound(source->max, max);
		add_argument(layout, "DS:%.19s:%s:%" PRId64 ":%s:%s", name, kinds[source->kind],
			     layout->heartbeat, min, max);
		snprintf(layout->sources[i].name, sizeof(layout->sources[i].name), "%s", name);
		layout->sources[i].kind = source->kind;
	}
}

static void add_archives(struct mc_rrd_layout *layout, const struct mc_rrd_rules *rules)
{
	struct mc_rrd_archives archives;

	mc_rrd_archives_make(&archives, rules, (int64_t)layout->step);
	for (size_t i = 0; i < archives.len; i++) {
		const struct mc_rrd_archive *archive = &archives.items[i];

		add_argument(layout, "RRA:%s:%.10f:%" PRId64 ":%" PRId64,
			     mc_rrd_archives_functions[archive->function], archive->xff,
			     archive->steps_per_row, archive->rows);
		layout->rows += (uint64_t)archive->rows;
	}
	free(archives.items);
}

/* Seconds, all that an interval becomes in a file. */
struct pace {
	unsigned long step;
	int64_t heartbeat;
};

/* Two steps, as collectd has it, unless the file would hold nothing of a series
 * whose interval is longer than the step. */
static int64_t least_heartbeat(int64_t step, mc_time interval)
{
	mc_time wanted = interval <= INT64_MAX / 5 ? interval * 5 / 2 : interval;

	if (interval <= step * MC_SECOND || wanted <= 2 * step * MC_SECOND)
		return 2 * step;
	return (wanted - 1) / MC_SECOND + 1;
}

bool mc_rrd_unheld(const char *path, int64_t heartbeat, mc_time interval, char *out, size_t size)
{
	if (mc_rrd_holds(heartbeat, interval))
		return false;
	snprintf(out, size,
		 "'%s' can hold no value: its heartbeat is %" PRId64
		 " s, its series has a value every %g s; HeartBeat is for new "
		 "files, 'rrdtool tune FILE -h SOURCE:%" PRId64 "' mends one that is there",
		 path, heartbeat, (double)interval / MC_SECOND, least_heartbeat(1, interval));
	return true;
}

bool mc_rrd_keeps(const struct mc_rrd_layout *layout, const char *path, uint64_t rows, char *out,
		  size_t size)
{
	if (!layout->chosen || rows == 0 || rows == layout->rows)
		return false;
	snprintf(out, size,
		 "'%s' and other files that are there keep their archives; 'collectorctl rrd "
		 "relayout' makes files of the new ones of them",
		 path);
	return true;
}

static int64_t heartbeat_of(const struct mc_rrd_rules *rules, int64_t fixed, mc_time interval)
{
	int64_t step = fixed > 0 ? fixed : mc_rrd_second(interval);
	int64_t least = mc_rrd_archives_heartbeat(rules->program, step);
	int64_t heartbeat =
		fixed > 0 ? least_heartbeat(fixed, interval) : mc_rrd_second(2 * interval);

	return heartbeat > least ? heartbeat : least;
}

static struct pace pace_of(const struct mc_rrd_rules *rules, mc_time interval)
{
	int64_t fixed = rules->step > 0 ? rules->step : mc_rrd_archives_step(rules->program);
	int64_t step = fixed > 0 ? fixed : mc_rrd_second(interval);
	int64_t heartbeat = rules->heartbeat;

	if (heartbeat <= 0)
		heartbeat = heartbeat_of(rules, fixed, interval);
	/* collectd makes no file for what is measured more often than twice a
	 * second; the finest that RRD files can hold serves better. */
	return (struct pace){ step > 0 ? (unsigned long)step : 1, heartbeat > 0 ? heartbeat : 1 };
}

double mc_rrd_size(const struct mc_rrd_rules *rules, mc_time interval)
{
	struct mc_rrd_archives archives;
	double rows = 0;

	mc_rrd_archives_make(&archives, rules, (int64_t)pace_of(rules, interval).step);
	for (size_t i = 0; i < archives.len; i++)
		rows += (double)archives.items[i].rows;
	free(archives.items);
	return rows * sizeof(double);
}

static struct mc_rrd_layout *make_layout(const struct mc_rrd_rules *rules,
					 const struct mc_type *type, struct pace pace)
{
	struct mc_rrd_layout *layout =
		mc_alloc_zero(sizeof(*layout) + type->sources_len * sizeof(*layout->sources));

	layout->type = mc_alloc_copy(type->name);
	layout->number = rules->number;
	layout->step = pace.step;
	layout->heartbeat = pace.heartbeat;
	layout->sources_len = type->sources_len;
	layout->partial = rules->partial;
	layout->chosen = rules->program != MC_RRD_COLLECTD;
	add_sources(layout, rules, type);
	add_archives(layout, rules);
	return layout;
}

struct wanted {
	unsigned number; /* Of the rules. */
	const struct mc_type *type;
	struct pace pace;
};

/* '*len' is how many it has looked at: all, if it returns NULL. */
static struct mc_rrd_layout *find_layout(struct mc_rrd_layout *layout, const struct wanted *wanted,
					 unsigned *len)
{
	for (*len = 0; layout != NULL; layout = layout->next, ++*len)
		if (layout->step == wanted->pace.step &&
		    layout->heartbeat == wanted->pace.heartbeat &&
		    layout->number == wanted->number &&
		    strcmp(layout->type, wanted->type->name) == 0)
			return layout;
	return NULL;
}

static mc_time power_of_two(mc_time interval)
{
	mc_time power = MC_SECOND;

	while (power < interval && power <= INT64_MAX / 4)
		power *= 2;
	return power;
}

const struct mc_rrd_layout *mc_rrd_layout(struct mc_rrd_layout **list,
					  const struct mc_rrd_rules *rules,
					  const struct mc_type *type, mc_time interval)
{
	struct wanted wanted = { rules->number, type, pace_of(rules, interval) };
	struct mc_rrd_layout *layout;
	unsigned len;

	layout = find_layout(*list, &wanted, &len);
	if (layout == NULL && len >= MC_RRD_LAYOUTS) {
		wanted.pace = pace_of(rules, power_of_two(interval));
		layout = find_layout(*list, &wanted, &len);
	}
	if (layout == NULL) {
		layout = make_layout(rules, type, wanted.pace);
		layout->next = *list;
		*list = layout;
	}
	return layout;
}

void mc_rrd_layouts_free(struct mc_rrd_layout *list)
{
	while (list != NULL) {
		struct mc_rrd_layout *next = list->next;

		for (int i = 0; i < list->argc; i++)
			free(list->argv[i]);
		free(list->argv);
		free(list->type);
		free(list);
		list = next;
	}
}

/* A value with up to four decimals, as most percentages and averages are, if
 * that is what "%.15g" would print: a decimal of fifteen digits or fewer is the
 * only one of that length that reads back as the same double.  0: it is not. */
static size_t put_short_decimal(char *out, double value)
{
	double scaled = fabs(value) * 1e4, whole = nearbyint(scaled);
	size_t size = 0;
	uint32_t decimals;

	if (whole < 1 || whole >= 1e15 || whole / 1e4 != fabs(value))
		return 0;
	decimals = (uint32_t)((uint64_t)whole % 10000);
	if (value < 0)
		out[size++] = '-';
	size += mc_print_u64(out + size, (uint64_t)whole / 10000);
	out[size++] = '.';
	for (uint32_t place = 1000; decimals > 0; place /= 10) {
		out[size++] = (char)('0' + decimals / place);
		decimals %= place;
	}
	return size;
}

static size_t put_gauge(char *out, double value)
{
	size_t size;

	if (!isfinite(value)) {
		out[0] = 'U';
		return 1;
	}
	if (fabs(value) < 1e15 && value == (double)(int64_t)value)
		return mc_print_i64(out, (int64_t)value);
	size = put_short_decimal(out, value);
	return size > 0 ? size : (size_t)snprintf(out, 25, "%.15g", value);
}

static bool is_missing(const struct mc_rrd_layout *layout, unsigned source,
		       const union mc_value *values)
{
	return layout->partial && layout->sources[source].kind != MC_GAUGE &&
	       values[source].derive == MC_RRD_MISSING;
}

size_t mc_rrd_update(const struct mc_rrd_layout *layout, int64_t second,
		     const union mc_value *values, char *out)
{
	size_t used = mc_print_i64(out, second);

	for (unsigned i = 0; i < layout->sources_len; i++) {
		out[used++] = ':';
		if (is_missing(layout, i, values)) {
			out[used++] = 'U';
			continue;
		}
		switch (layout->sources[i].kind) {
		case MC_GAUGE:
			used += put_gauge(out + used, values[i].gauge);
			break;
		case MC_DERIVE:
			used += mc_print_i64(out + used, values[i].derive);
			break;
		case MC_COUNTER:
		case MC_ABSOLUTE:
			used += mc_print_u64(out + used, values[i].counter);
			break;
		}
	}
	out[used] = '\0';
	return used + 1;
}
