/* SPDX-License-Identifier: MIT */
#include "trend.h"

#include <math.h>

#define SECONDS(time) ((double)(time)*1e-9)

/* Makes 'time' and 'value' the origin of all sums, and lets them decay. */
static void move(struct trend *trend, double passed, double rise, double factor)
{
	/* With t' = t - passed and y' = y - rise. */
	trend->wtt += passed * (passed * trend->w - 2 * trend->wt);
	trend->wty += passed * rise * trend->w - passed * trend->wy - rise * trend->wt;
	trend->wyy += rise * (rise * trend->w - 2 * trend->wy);
	trend->wt -= passed * trend->w;
	trend->wy -= rise * trend->w;
	trend->w *= factor;
	trend->wt *= factor;
	trend->wtt *= factor;
	trend->wy *= factor;
	trend->wty *= factor;
	trend->wyy *= factor;
}

void trend_add(struct trend *trend, mc_time time, double value, mc_time window)
{
	double passed = SECONDS(time - trend->time);

	if (!isfinite(value) || (trend->w > 0 && time <= trend->time))
		return;
	if (trend->w > 0 && time - trend->time < window)
		move(trend, passed, value - trend->last,
		     exp(-3 * passed / SECONDS(window))); /* exp(-3) = 5 % */
	else
		*trend = (struct trend){ .begin = time };
	trend->w += 1; /* The value itself is the origin: all else is 0. */
	trend->last = value;
	trend->time = time;
}

/* The slope, and r2; false without enough values. */
static bool fit(const struct trend *trend, mc_time window, double *slope, double *r2)
{
	double times = trend->w * trend->wtt - trend->wt * trend->wt;
	double values = trend->w * trend->wyy - trend->wy * trend->wy;
	double both = trend->w * trend->wty - trend->wt * trend->wy;

	if (trend->time - trend->begin < window / 2 || !(times > 0))
		return false;
	*slope = both / times;
	*r2 = values > 0 ? both * both / (times * values) : 0;
	return isfinite(*slope);
}

double trend_slope(const struct trend *trend, mc_time window)
{
	double slope, r2;

	return fit(trend, window, &slope, &r2) ? slope : NAN;
}

double trend_forecast(const struct trend *trend, mc_time window, mc_time ahead)
{
	double slope, r2;

	if (!fit(trend, window, &slope, &r2) || r2 < TREND_FIT)
		return NAN;
	/* On the line, now. */
	return trend->last + (trend->wy - slope * trend->wt) / trend->w + slope * SECONDS(ahead);
}
