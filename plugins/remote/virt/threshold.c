/* SPDX-License-Identifier: MIT */
/* mark: pure arithmetic of watermarks. */
#include "threshold.h"

#include <fnmatch.h>
#include <math.h>

/* The share of the disk that a threshold is not moved for. */
#define MOVE_SHARE 20

/* Weight of what was measured last. */
#define NEWEST 0.3

bool threshold_matches(const struct mark_rule *rule, const char *guest,
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

/* The lowest of the limits, whether or not it was passed. */
static uint64_t limit_of(const struct mark_rule *rule,
			 const struct mark_disk *disk)
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
	return place;
}

uint64_t threshold_bytes(const struct mark_rule *rule,
			 const struct mark_disk *disk)
{
	uint64_t place = limit_of(rule, disk);

	if (place > disk->allocation && place < disk->size)
		return place;
	if (disk->allocation >= disk->size ||
	    disk->size - disk->allocation < 2 * MARK_REST)
		return 0;
	if (place >= disk->size) /* Only a response time, and nothing grows. */
		return disk->size - MARK_REST;
	return disk->allocation + (disk->size - disk->allocation) / 2;
}

bool threshold_stays(const struct mark_rule *rule, const struct mark_disk *disk,
		     uint64_t set)
{
	uint64_t place = threshold_bytes(rule, disk);
	uint64_t by = set > place ? set - place : place - set;

	if (set <= disk->allocation) /* It will not fire. */
		return false;
	if (by <= disk->size / MOVE_SHARE)
		return true;
	/* Half way to the end is that of then: it does not run away. */
	return limit_of(rule, disk) <= disk->allocation && set < place;
}

double threshold_rate(double rate, uint64_t grown, double seconds)
{
	double newest = (double)grown / seconds;

	return isnan(rate) ? newest : rate + NEWEST * (newest - rate);
}
