/* SPDX-License-Identifier: MIT */
/* Pearson's coefficient, the sum of products of deviations from both means over the root of the
 * product of their sums of squares (K. Pearson, "Note on Regression and Inheritance in the Case of
 * Two Parents", Proceedings of the Royal Society of London 58, 1895).  Means come first, in a pass
 * of their own: sums of squares alone lose the digits of large values that move little (Chan, Golub
 * and LeVeque, "Algorithms for Computing the Sample Variance", 1983). */
#include "correlation.h"

#include <math.h>

#define NOISE 1e-12 /* Deviations of less than this part of the mean are rounding. */

static bool is_known(const double *values, const struct mc_history_point *points, unsigned i)
{
	return isfinite(values[i]) && isfinite(points[i].average);
}

static bool moves(double squares, double mean, unsigned len)
{
	return squares > len * (NOISE * mean) * (NOISE * mean);
}

double correlation(const double *values, const struct mc_history_point *points, unsigned len)
{
	double x_mean = 0, y_mean = 0, xx = 0, yy = 0, xy = 0;
	unsigned known = 0;

	for (unsigned i = 0; i < len; i++)
		if (is_known(values, points, i)) {
			known++;
			x_mean += values[i];
			y_mean += points[i].average;
		}
	if (known < CORRELATION_POINTS_MIN)
		return NAN;
	x_mean /= known;
	y_mean /= known;
	for (unsigned i = 0; i < len; i++)
		if (is_known(values, points, i)) {
			double x = values[i] - x_mean, y = points[i].average - y_mean;

			xx += x * x;
			yy += y * y;
			xy += x * y;
		}
	if (!moves(xx, x_mean, known) || !moves(yy, y_mean, known))
		return NAN;
	return xy / (sqrt(xx) * sqrt(yy));
}
