/* SPDX-License-Identifier: MIT */
/* The line through the values of the recent past: how fast a value grows, and
 * where it will be.  Pure functions.
 *
 * It is the line of weighted least squares (any text book: of the sums of the weights w, of wt,
 * wtt, wy, wty, the slope is (w wty - wt wy) / (w wtt - wt wt)).  Weights fall exponentially with
 * age, so that the sums of now are those of before times a factor: "discounted least squares" (R.
 * G. Brown, Smoothing, Forecasting and Prediction, 1963).  So a value costs the same whatever the
 * window is, and nothing is stored.  Times and values are relative to the last ones: the sums stay
 * small and exact. */
#pragma once

#include <collector/plugin.h>

struct trend { /* All zero: no values. */
	double w, wt, wtt, wy, wty, wyy;
	double last;         /* Value. */
	mc_time begin, time; /* Of the first value, and of the last. */
};

/* Adds a value at a time later than that of the one before; values that are not finite are left
 * out.  The last 'window' has 95 % of the weight; after a gap as long it begins anew. */
void trend_add(struct trend *, mc_time time, double value, mc_time window);

/* Change per second.  NaN until half of the window has passed. */
double trend_slope(const struct trend *, mc_time window);

/* The value in 'ahead' from the last one.  NaN until half of the window has passed, and while
 * values are not near a line: their coefficient of determination, r2, is less than TREND_FIT.  No
 * step reaches that: with these weights its r2 is u2 exp(-u) / (1 - exp(-u)) at most, for an age of
 * u in units of the decay time, and that is never more than 0.65. */
#define TREND_FIT 0.8
double trend_forecast(const struct trend *, mc_time window, mc_time ahead);
