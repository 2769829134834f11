/* SPDX-License-Identifier: MIT */
/* Rings of values, found by the address of their series.
 *
 * Time is cut into cells of the interval of the series, with the first sample
 * in the middle of its cell: so samples that come a little early or late have a
 * cell each, and a cell without one is a gap. */
#include "engine/store/recent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/series.h"

#define CELLS_MAX 900 /* For intervals below a second, too. */
#define BYTES_PER_CHAIN 4096

struct ring {
	struct ring *next; /* In its chain. */
	struct mc_series *series;
	struct ring *older, *newer; /* By when they were looked at. */
	mc_time looked;             /* 0: it is kept, and not in that list. */
	mc_time interval, phase;    /* A cell begins at phase + n * interval. */
	int64_t newest;             /* The n of the newest cell. */
	unsigned cells, filled;     /* How many there are, and are in use. */
	size_t bytes;
	double values[]; /* The cells of each source in a row. */
};

struct kept {
	struct kept *next;
	char *host, *plugin;
};

struct recent {
	size_t limit, bytes;
	struct kept *kept;
	struct ring *oldest, *newest; /* Looked at. */
	size_t chains_len;
	struct ring *chains[];
};

struct recent *recent_new(size_t limit)
{
	size_t len = 16;
	struct recent *recent;

	while (len < limit / BYTES_PER_CHAIN && len < (1u << 20))
		len *= 2;
	recent = alloc_zero(sizeof(*recent) + len * sizeof(*recent->chains));
	recent->chains_len = len;
	recent->limit = limit;
	return recent;
}

static struct ring **place_of(struct recent *recent, const struct mc_series *series)
{
	/* Fibonacci hashing; the low bits of an address say little. */
	uint64_t hash = ((uintptr_t)series >> 4) * UINT64_C(0x9E3779B97F4A7C15);
	struct ring **at = &recent->chains[(hash >> 32) & (recent->chains_len - 1)];

	while (*at != NULL && (*at)->series != series)
		at = &(*at)->next;
	return at;
}

/* --- The order in which they were looked at ------------------------------ */

static void leave_order(struct recent *recent, struct ring *ring)
{
	if (ring->looked == 0)
		return;
	*(ring->older != NULL ? &ring->older->newer : &recent->oldest) = ring->newer;
	*(ring->newer != NULL ? &ring->newer->older : &recent->newest) = ring->older;
	ring->looked = 0;
}

static void join_order(struct recent *recent, struct ring *ring, mc_time now)
{
	ring->older = recent->newest;
	ring->newer = NULL;
	*(recent->newest != NULL ? &recent->newest->newer : &recent->oldest) = ring;
	recent->newest = ring;
	ring->looked = now;
}

/* --- Rings --------------------------------------------------------------- */

static void free_ring(struct recent *recent, struct ring **at)
{
	struct ring *ring = *at;

	leave_order(recent, ring);
	recent->bytes -= ring->bytes;
	*at = ring->next;
	free(ring);
}

void recent_remove(struct recent *recent, struct mc_series *series)
{
	struct ring **at = place_of(recent, series);

	series->remembered = false;
	if (*at != NULL)
		free_ring(recent, at);
}

static void make_room(struct recent *recent, size_t bytes)
{
	while (recent->oldest != NULL && recent->bytes + bytes > recent->limit)
		recent_remove(recent, recent->oldest->series);
}

static unsigned cells_for(mc_time interval)
{
	mc_time cells = RECENT_TIME / interval + 1;

	return cells < 2 ? 2 : cells > CELLS_MAX ? CELLS_MAX : (unsigned)cells;
}

/* NULL if there is no room. */
static struct ring *make_ring(struct recent *recent, struct mc_series *series, mc_time interval)
{
	unsigned cells = cells_for(interval);
	size_t bytes =
		sizeof(struct ring) + (size_t)cells * series->type->sources_len * sizeof(double);
	struct ring **at, *ring;

	make_room(recent, bytes);
	if (recent->bytes + bytes > recent->limit)
		return NULL;
	ring = alloc_zero(bytes);
	ring->series = series;
	ring->bytes = bytes;
	ring->interval = interval;
	ring->cells = cells;
	recent->bytes += bytes;
	at = place_of(recent, series);
	ring->next = *at;
	*at = ring;
	return ring;
}

static void set_cell(struct ring *ring, int64_t n, const struct mc_sample *sample)
{
	unsigned cell = (unsigned)((uint64_t)n % ring->cells);

	for (unsigned i = 0; i < ring->series->type->sources_len; i++)
		ring->values[(size_t)i * ring->cells + cell] =
			sample != NULL ? mc_rate(sample, i) : NAN;
}

/* The first sample of a ring, or one after so long that all before is old. */
static void begin(struct ring *ring, const struct mc_sample *sample)
{
	ring->phase = (sample->time + ring->interval / 2) % ring->interval;
	ring->newest = (sample->time - ring->phase) / ring->interval;
	ring->filled = 1;
	set_cell(ring, ring->newest, sample);
}

static void go_on(struct ring *ring, const struct mc_sample *sample)
{
	int64_t n = (sample->time - ring->phase) / ring->interval;

	if (n - ring->newest >= ring->cells) {
		begin(ring, sample);
		return;
	}
	while (ring->newest < n) {
		set_cell(ring, ++ring->newest, NULL);
		if (ring->filled < ring->cells)
			ring->filled++;
	}
	if (n == ring->newest)
		set_cell(ring, n, sample);
}

void recent_add(struct recent *recent, struct mc_series *series, const struct mc_sample *sample)
{
	struct ring *ring = *place_of(recent, series);
	mc_time looked = ring != NULL ? ring->looked : 0;

	if (ring != NULL && ring->interval != sample->interval) {
		recent_remove(recent, series);
		ring = NULL;
	}
	if (ring == NULL) {
		ring = sample->interval > 0 ? make_ring(recent, series, sample->interval) : NULL;
		series->remembered = ring != NULL;
		if (ring != NULL && looked != 0)
			join_order(recent, ring, looked);
	}
	if (ring != NULL && ring->filled > 0)
		go_on(ring, sample);
	else if (ring != NULL)
		begin(ring, sample);
}

void recent_sweep(struct recent *recent, mc_time now)
{
	while (recent->oldest != NULL && now - recent->oldest->looked > RECENT_TIME)
		recent_remove(recent, recent->oldest->series);
}

static void copy_ring(const struct ring *ring, struct recent_copy *copy)
{
	int64_t first = ring->newest - ring->filled + 1;

	copy->sources_len = ring->series->type->sources_len;
	copy->step = ring->interval;
	/* A sample in the middle of its cell is of the interval before it. */
	copy->start = ring->phase + first * ring->interval - ring->interval / 2;
	copy->len = ring->filled;
	copy->values = alloc_array(copy->len * copy->sources_len, sizeof(*copy->values));
	for (unsigned i = 0; i < copy->sources_len; i++)
		for (size_t j = 0; j < copy->len; j++)
			copy->values[i * copy->len + j] =
				ring->values[(size_t)i * ring->cells +
					     (uint64_t)(first + (int64_t)j) % ring->cells];
}

void recent_look(struct recent *recent, struct mc_series *series, mc_time now,
		 struct recent_copy *copy)
{
	struct ring *ring = *place_of(recent, series);

	*copy = (struct recent_copy){ 0 };
	if (ring == NULL && series->interval > 0)
		ring = make_ring(recent, series, series->interval);
	if (ring == NULL)
		return;
	series->remembered = true;
	if (!recent_keeps(recent, series)) {
		leave_order(recent, ring);
		join_order(recent, ring, now);
	}
	if (ring->filled > 0)
		copy_ring(ring, copy);
}

void recent_glance(struct recent *recent, const struct mc_series *series, struct recent_copy *copy)
{
	const struct ring *ring = *place_of(recent, series);

	*copy = (struct recent_copy){ 0 };
	if (ring != NULL && ring->filled > 0)
		copy_ring(ring, copy);
}

/* --- What is kept -------------------------------------------------------- */

void recent_keep(struct recent *recent, const char *host, const char *plugin)
{
	struct kept *kept = recent->kept;

	/* Each start of a plugin that shows them asks again. */
	while (kept != NULL && (strcmp(kept->plugin, plugin) != 0 || strcmp(kept->host, host) != 0))
		kept = kept->next;
	if (kept != NULL)
		return;
	kept = alloc_zero(sizeof(*kept));
	kept->host = alloc_copy(host);
	kept->plugin = alloc_copy(plugin);
	kept->next = recent->kept;
	recent->kept = kept;
}

bool recent_keeps(const struct recent *recent, const struct mc_series *series)
{
	for (const struct kept *kept = recent->kept; kept != NULL; kept = kept->next)
		if (strcmp(kept->plugin, mc_plugin(series)) == 0 &&
		    strcmp(kept->host, mc_host(series)) == 0)
			return true;
	return false;
}

/* --- The whole ----------------------------------------------------------- */

void recent_set_limit(struct recent *recent, size_t limit)
{
	recent->limit = limit;
	make_room(recent, 0);
}

void recent_free(struct recent *recent)
{
	struct kept *next;

	if (recent == NULL)
		return;
	for (size_t i = 0; i < recent->chains_len; i++)
		while (recent->chains[i] != NULL)
			free_ring(recent, &recent->chains[i]);
	for (struct kept *kept = recent->kept; kept != NULL; kept = next) {
		next = kept->next;
		free(kept->host);
		free(kept->plugin);
		free(kept);
	}
	free(recent);
}
