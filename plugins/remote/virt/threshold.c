/* SPDX-License-Identifier: MIT */
/* Arithmetic of watermarks; pure functions. */
#include "threshold.h"

#include <fnmatch.h>
#include <math.h>

/* The share of the disk that a threshold is not moved for. */
#define MOVE_SHARE 20

/* Weight of what was measured last. */
#define NEWEST 0.3

bool threshold_matches(const struct watermark_rule *rule, const char *guest, const char *disk)
{
	return fnmatch(rule->guests, guest, 0) == 0 && fnmatch(rule->disks, disk, 0) == 0;
}

static uint64_t lower(uint64_t threshold, double other)
{
	if (!(other > 1))
		return 1;
	return other < (double)threshold ? (uint64_t)other : threshold;
}

/* The lowest of the limits, whether or not it was passed. */
static uint64_t limit_of(const struct watermark_rule *rule, const struct watermark_disk *disk)
{
	double size = (double)disk->size;
	uint64_t threshold = disk->size;

	if (rule->free > 0)
		threshold = lower(threshold, size - (double)rule->free);
	if (rule->percent > 0)
		threshold = lower(threshold, size * rule->percent / 100);
	if (rule->response > 0)
		threshold = lower(threshold,
				  size - disk->rate * (double)rule->response / (double)MC_SECOND);
	return threshold;
}

uint64_t threshold_bytes(const struct watermark_rule *rule, const struct watermark_disk *disk)
{
	uint64_t threshold = limit_of(rule, disk);

	if (threshold > disk->allocation && threshold < disk->size)
		return threshold;
	if (disk->allocation >= disk->size || disk->size - disk->allocation < 2 * MARK_REST)
		return 0;
	if (threshold >= disk->size) /* Only a response time, and nothing grows. */
		return disk->size - MARK_REST;
	return disk->allocation + (disk->size - disk->allocation) / 2;
}

bool threshold_stays(const struct watermark_rule *rule, const struct watermark_disk *disk,
		     uint64_t set)
{
	uint64_t threshold = threshold_bytes(rule, disk);
	uint64_t by = set > threshold ? set - threshold : threshold - set;

	if (set <= disk->allocation) /* It will not fire. */
		return false;
	if (by <= disk->size / MOVE_SHARE)
		return true;
	/* Half way to the end is that of then: it does not run away. */
	return limit_of(rule, disk) <= disk->allocation && set < threshold;
}

double threshold_rate(double rate, uint64_t grown, double seconds)
{
	double newest = (double)grown / seconds;

	return isnan(rate) ? newest : rate + NEWEST * (newest - rate);
}
