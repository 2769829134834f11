/* SPDX-License-Identifier: MIT */
#include "formats/rrd/rrd_archives.h"

#include <stdbool.h>

#include <collector/kit/alloc.h>

#include "formats/rrd/rrd.h"

/* An hour, a day, a week, 31 days, 366 days: collectd.conf(5), RRATimespan. */
static const int64_t usual_timespans[] = { 3600, 86400, 604800, 2678400, 31622400 };
#define USUAL_LEN (sizeof(usual_timespans) / sizeof(*usual_timespans))

#define COMPACT_ROWS 600 /* Points of a graph on a page or in a picture. */
#define XFF_OF_OTHERS 0.5

const char *const mc_rrd_archives_functions[] = { "AVERAGE", "MIN", "MAX" };

static const enum mc_rrd_function all_functions[] = { MC_RRD_AVERAGE, MC_RRD_MIN, MC_RRD_MAX };

struct making {
	struct mc_rrd_archives *archives;
	const struct mc_rrd_rules *rules;
	int64_t step;
	double xff;
};

static int64_t at_least_one(int64_t number)
{
	return number > 0 ? number : 1;
}

static void add(const struct making *making, enum mc_rrd_function function, int64_t steps_per_row,
		int64_t rows)
{
	struct mc_rrd_archives *archives = making->archives;

	if (making->rules->single && function != MC_RRD_AVERAGE)
		return;
	archives->items =
		mc_alloc_resize(archives->items, archives->len + 1, sizeof(*archives->items));
	archives->items[archives->len++] =
		(struct mc_rrd_archive){ function, at_least_one(steps_per_row), at_least_one(rows),
					 making->xff };
}

/* --- collectd ------------------------------------------------------------- */

/* The first timespan is kept in full resolution; each further one in as many
 * rows as make it up, but no fewer than RRARows. */
static void add_timespan(const struct making *making, int64_t span, bool first)
{
	int64_t rows = making->rules->rows, steps_per_row, row;

	if (span / making->step < rows)
		span = making->step * rows;
	steps_per_row = first ? 1 : span / (rows * making->step);
	row = steps_per_row * making->step;
	for (size_t i = 0; i < MC_RRD_FUNCTIONS; i++)
		add(making, all_functions[i], steps_per_row, (span + row - 1) / row);
}

static void make_collectd(const struct making *making)
{
	const struct mc_rrd_rules *rules = making->rules;
	size_t len = rules->timespans_len > 0 ? rules->timespans_len : USUAL_LEN;
	const int64_t *timespans = rules->timespans_len > 0 ? rules->timespans : usual_timespans;

	for (size_t i = 0; i < len; i++)
		add_timespan(making, timespans[i], i == 0);
}

/* --- Munin ---------------------------------------------------------------- */

static void make_munin(const struct making *making)
{
	static const int64_t shapes[][2] = { { 1, 576 }, { 6, 432 }, { 24, 540 }, { 288, 450 } };

	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		for (size_t j = 0; j < MC_RRD_FUNCTIONS; j++)
			add(making, all_functions[j], shapes[i][0], shapes[i][1]);
}

/* --- MRTG ----------------------------------------------------------------- */

/* Its rows of half an hour are left out where the interval is as long. */
static void make_mrtg(const struct making *making)
{
	static const enum mc_rrd_function functions[] = { MC_RRD_AVERAGE, MC_RRD_MAX };
	static const int64_t seconds[] = { 1800, 7200, 86400 };

	for (size_t i = 0; i < 2; i++) {
		add(making, functions[i], 1, 240000 / making->step);
		for (size_t j = making->step < seconds[0] ? 0 : 1; j < 3; j++)
			add(making, functions[i], seconds[j] / making->step, 800);
	}
}

/* --- PNP4Nagios ----------------------------------------------------------- */

static void make_pnp(const struct making *making)
{
	static const enum mc_rrd_function functions[] = { MC_RRD_AVERAGE, MC_RRD_MAX, MC_RRD_MIN };
	static const int64_t shapes[][2] = {
		{ 1, 2880 }, { 5, 2880 }, { 30, 4320 }, { 360, 5840 }
	};

	for (size_t i = 0; i < MC_RRD_FUNCTIONS; i++)
		for (size_t j = 0; j < sizeof(shapes) / sizeof(*shapes); j++)
			add(making, functions[i], shapes[j][0], shapes[j][1]);
}

/* --- Compact -------------------------------------------------------------- */

/* Steps of a row that make up the span in about COMPACT_ROWS. */
static int64_t compact_steps(int64_t span, int64_t step)
{
	return span / (COMPACT_ROWS * step);
}

/* A row of one step has its maximum in its average.  Spans within the first archive need no other
 * of the same resolution. */
static void make_compact(const struct making *making)
{
	int64_t step = making->step, first = COMPACT_ROWS;

	for (size_t i = 0; i < USUAL_LEN; i++)
		if ((i == 0 || compact_steps(usual_timespans[i], step) <= 1) &&
		    usual_timespans[i] / step > first)
			first = usual_timespans[i] / step;
	add(making, MC_RRD_AVERAGE, 1, first);
	for (size_t i = 1; i < USUAL_LEN; i++) {
		int64_t steps = compact_steps(usual_timespans[i], step), row = steps * step;

		if (steps <= 1)
			continue;
		add(making, MC_RRD_AVERAGE, steps, (usual_timespans[i] + row - 1) / row);
		add(making, MC_RRD_MAX, steps, (usual_timespans[i] + row - 1) / row);
	}
}

/* --- Spans of a configuration --------------------------------------------- */

static void make_own(const struct making *making)
{
	const struct mc_rrd_rules *rules = making->rules;

	for (size_t i = 0; i < rules->spans_len; i++) {
		const struct mc_rrd_span *span = &rules->spans[i];
		int64_t steps = at_least_one((span->resolution + making->step / 2) / making->step);
		int64_t row = steps * making->step;

		for (size_t j = 0; j < MC_RRD_FUNCTIONS; j++)
			if ((span->functions & 1U << j) != 0)
				add(making, all_functions[j], steps, (span->span + row - 1) / row);
	}
}

/* --- All ------------------------------------------------------------------ */

static const struct program {
	void (*make)(const struct making *);
	int64_t step, heartbeat; /* 0: by the interval, two steps. */
	bool own_xff;            /* Not that of the rules. */
} programs[] = {
	[MC_RRD_COLLECTD] = { make_collectd, 0, 0, false },
	[MC_RRD_MUNIN] = { make_munin, 300, 0, true },
	[MC_RRD_MRTG] = { make_mrtg, 0, 600, true },
	[MC_RRD_PNP] = { make_pnp, 60, 8460, true },
	[MC_RRD_COMPACT] = { make_compact, 0, 0, false },
	[MC_RRD_OWN] = { make_own, 0, 0, false },
};

void mc_rrd_archives_make(struct mc_rrd_archives *archives, const struct mc_rrd_rules *rules,
			  int64_t step)
{
	const struct program *program = &programs[rules->program];
	const struct making making = { archives, rules, step,
				       program->own_xff ? XFF_OF_OTHERS : rules->xff };

	*archives = (struct mc_rrd_archives){ 0 };
	program->make(&making);
}

int64_t mc_rrd_archives_step(enum mc_rrd_program program)
{
	return programs[program].step;
}

/* Never less than two steps. */
int64_t mc_rrd_archives_heartbeat(enum mc_rrd_program program, int64_t step)
{
	return programs[program].heartbeat > 2 * step ? programs[program].heartbeat : 0;
}
