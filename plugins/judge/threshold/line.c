/* SPDX-License-Identifier: MIT */
#include "line.h"

#include <math.h>

#define SECONDS(time) ((double)(time)*1e-9)

/* Makes 'time' and 'value' the origin of all sums, and lets them decay. */
static void move(struct line *line, double passed, double rise, double factor)
{
	/* With t' = t - passed and y' = y - rise. */
	line->wtt += passed * (passed * line->w - 2 * line->wt);
	line->wty += passed * rise * line->w - passed * line->wy - rise * line->wt;
	line->wyy += rise * (rise * line->w - 2 * line->wy);
	line->wt -= passed * line->w;
	line->wy -= rise * line->w;
	line->w *= factor;
	line->wt *= factor;
	line->wtt *= factor;
	line->wy *= factor;
	line->wty *= factor;
	line->wyy *= factor;
}

void line_add(struct line *line, mc_time time, double value, mc_time window)
{
	double passed = SECONDS(time - line->time);

	if (!isfinite(value) || (line->w > 0 && time <= line->time))
		return;
	if (line->w > 0 && time - line->time < window)
		move(line, passed, value - line->last,
		     exp(-3 * passed / SECONDS(window))); /* exp(-3) = 5 % */
	else
		*line = (struct line){ .begin = time };
	line->w += 1; /* The value itself is the origin: all else is 0. */
	line->last = value;
	line->time = time;
}

/* The slope, and r2; false: nothing can be said yet. */
static bool fit(const struct line *line, mc_time window, double *slope, double *r2)
{
	double times = line->w * line->wtt - line->wt * line->wt;
	double values = line->w * line->wyy - line->wy * line->wy;
	double both = line->w * line->wty - line->wt * line->wy;

	if (line->time - line->begin < window / 2 || !(times > 0))
		return false;
	*slope = both / times;
	*r2 = values > 0 ? both * both / (times * values) : 0;
	return isfinite(*slope);
}

double line_slope(const struct line *line, mc_time window)
{
	double slope, r2;

	return fit(line, window, &slope, &r2) ? slope : NAN;
}

double line_forecast(const struct line *line, mc_time window, mc_time ahead)
{
	double slope, r2;

	if (!fit(line, window, &slope, &r2) || r2 < LINE_FIT)
		return NAN;
	/* On the line, now. */
	return line->last + (line->wy - slope * line->wt) / line->w + slope * SECONDS(ahead);
}
