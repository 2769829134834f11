/* SPDX-License-Identifier: MIT */
#include "timer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define BINS_LEN 1000
#define WIDTH_MIN 0x1p-10

void timer_init(struct timer *timer, bool percentiles)
{
	timer->width = WIDTH_MIN;
	if (percentiles)
		timer->bins = mc_alloc_array(BINS_LEN, sizeof(*timer->bins));
}

void timer_done(struct timer *timer)
{
	free(timer->bins);
	timer->bins = NULL;
}

/* Bin 0 is up to the width. */
static size_t bin_of(const struct timer *timer, double seconds)
{
	if (seconds <= timer->width)
		return 0;
	return (size_t)(ceil(seconds / timer->width) - 1);
}

/* Twice as wide: two bins are one. */
static void widen(struct timer *timer)
{
	for (size_t i = 0; i < BINS_LEN; i++) {
		double count = timer->bins[i];

		timer->bins[i] = 0;
		timer->bins[i / 2] += count;
	}
	timer->width *= 2;
}

void timer_add(struct timer *timer, double seconds, double weight)
{
	if (timer->count == 0 || seconds < timer->min)
		timer->min = seconds;
	if (timer->count == 0 || seconds > timer->max)
		timer->max = seconds;
	timer->count += weight;
	timer->sum += seconds * weight;
	if (timer->bins == NULL)
		return;
	while (seconds > timer->width * BINS_LEN)
		widen(timer);
	timer->bins[bin_of(timer, seconds)] += weight;
}

double timer_percentile(const struct timer *timer, double percent)
{
	double below = 0, reached = 0, sum = 0;

	for (size_t i = 0; i < BINS_LEN && timer->count > 0; i++) {
		below = reached;
		sum += timer->bins[i];
		reached = 100 * sum / timer->count;
		if (reached < percent)
			continue;
		/* Of the first bin, its end. */
		if (i == 0)
			return timer->width;
		return timer->width * ((double)i + (percent - below) / (reached - below));
	}
	return timer->count > 0 ? timer->max : NAN; /* Rounding. */
}

/* Where the longest event of an interval needs a quarter of the range, the next
 * one has half of it: collectd does so, too. */
void timer_reset(struct timer *timer)
{
	bool narrow = timer->bins != NULL && timer->count > 0 && timer->width > WIDTH_MIN &&
		      bin_of(timer, timer->max) < BINS_LEN / 4;

	if (timer->bins != NULL && timer->count > 0)
		memset(timer->bins, 0, BINS_LEN * sizeof(*timer->bins));
	timer->count = timer->sum = timer->min = timer->max = 0;
	if (narrow)
		timer->width /= 2;
}
