/* SPDX-License-Identifier: MIT */
/* mark: pure arithmetic of watermarks. */
#include "mark.h"

#include <fnmatch.h>
#include <math.h>

/* The share of the disk that a threshold is not moved for. */
#define MOVE_SHARE 20

/* Weight of what was measured last. */
#define NEWEST 0.3

bool mark_matches(const struct mark_rule *rule, const char *guest,
		  const char *disk)
{
	return fnmatch(rule->guests, guest, 0) == 0 &&
	       fnmatch(rule->disks, disk, 0) == 0;
}

static uint64_t lower(uint64_t place, double other)
{
	if (!(other > 1))
		return 1;
	return other < (double)place ? (uint64_t)other : place;
}

uint64_t mark_place(const struct mark_rule *rule, const struct mark_disk *disk)
{
	double size = (double)disk->size;
	uint64_t place = disk->size;

	if (rule->free > 0)
		place = lower(place, size - (double)rule->free);
	if (rule->percent > 0)
		place = lower(place, size * rule->percent / 100);
	if (rule->response > 0)
		place = lower(place, size - disk->rate *
						     (double)rule->response /
						     (double)MC_SECOND);
	if (place > disk->allocation && place < disk->size)
		return place;
	if (disk->allocation >= disk->size ||
	    disk->size - disk->allocation < 2 * MARK_REST)
		return 0;
	if (place >= disk->size) /* Only a response time, and nothing grows. */
		return disk->size - MARK_REST;
	return disk->allocation + (disk->size - disk->allocation) / 2;
}

bool mark_moved(uint64_t before, uint64_t now, uint64_t size)
{
	uint64_t by = before > now ? before - now : now - before;

	return by > size / MOVE_SHARE;
}

double mark_rate(double rate, uint64_t grown, double seconds)
{
	double newest = (double)grown / seconds;

	return isnan(rate) ? newest : rate + NEWEST * (newest - rate);
}
