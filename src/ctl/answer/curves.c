/* SPDX-License-Identifier: MIT */
#include "ctl/answer/curves.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ctl/answer/peer.h"
#include "ctl/answer/record.h"

/* --- Head and sources ------------------------------------------------------ */

/* A whole number of an answer, from 0 to 'most'. */
static bool read_count(const struct record *record, const char *key, double most, size_t *count)
{
	double number = record_number(record, key);

	if (!(number >= 0) || number > most || number != floor(number))
		return false;
	*count = (size_t)number;
	return true;
}

/* How many points follow those that are there; -errno if it does not continue them. */
static int read_head(struct curves *curves, char *line, size_t *points)
{
	struct record head = record_read(line);
	double start = record_number(&head, "start"), step = record_number(&head, "step");
	bool first = curves->name == NULL;

	if (strcmp(head.about, "history") != 0 || !(step > 0) || !isfinite(step) ||
	    !isfinite(start) || !read_count(&head, "points", CURVES_POINTS_MAX, points))
		return -EPROTO;
	if (!first && (step != curves->step ||
		       fabs(curves->start + (double)curves->len * step - start) > step / 2))
		return -EPROTO;
	if (curves->len + *points > CURVES_POINTS_MAX)
		return -E2BIG;
	curves->missing = record_true(&head, "missing");
	curves->minima = record_true(&head, "minima");
	curves->last = record_number(&head, "time");
	curves->coarsest = fmax(curves->coarsest, record_number(&head, "coarsest"));
	if (!first)
		return 0;
	curves->name = alloc_copy(record_text(&head, "name"));
	curves->type = alloc_copy(record_text(&head, "type"));
	curves->provider = alloc_copy(record_text(&head, "provider"));
	curves->start = start;
	curves->step = step;
	/* Until a source has one of its own. */
	for (unsigned i = 0; i < MC_SOURCES_MAX; i++)
		curves->sources[i].unit = alloc_copy(record_text(&head, "unit"));
	return 0;
}

static int read_source(struct curves *curves, char *line)
{
	struct record record = record_read(line);
	struct curve *curve = &curves->sources[curves->sources_len];

	if (strcmp(record.about, "source") != 0 || curves->sources_len == MC_SOURCES_MAX)
		return -EPROTO;
	curve->name = alloc_copy(record_text(&record, "name"));
	curve->label = alloc_copy(record_text(&record, "label"));
	if (*record_text(&record, "unit") != '\0') {
		free(curve->unit);
		curve->unit = alloc_copy(record_text(&record, "unit"));
	}
	curves->sources_len++;
	return 0;
}

/* --- Points ---------------------------------------------------------------- */

static void grow(struct curves *curves, size_t points)
{
	size_t len = curves->len + points;

	for (unsigned i = 0; i < curves->sources_len; i++) {
		struct curve *curve = &curves->sources[i];

		curve->averages = alloc_resize(curve->averages, len, sizeof(double));
		curve->maxima = alloc_resize(curve->maxima, len, sizeof(double));
		curve->minima = alloc_resize(curve->minima, len, sizeof(double));
		for (size_t k = curves->len; k < len; k++)
			curve->averages[k] = curve->maxima[k] = curve->minima[k] = NAN;
	}
	curves->len = len;
}

static bool read_number(char **line, double *number)
{
	char *end;

	*number = strtod(*line, &end);
	if (end == *line || (*end != ' ' && *end != '\0'))
		return false;
	*line = end + (*end == ' ');
	return true;
}

/* "TIME AVERAGE MAXIMUM ...", or with a minimum each. */
static int read_point(struct curves *curves, char *line)
{
	double time, place;
	size_t at;

	if (!read_number(&line, &time))
		return -EPROTO;
	place = round((time - curves->start) / curves->step);
	if (!(place >= 0) || place >= (double)curves->len)
		return -EPROTO;
	at = (size_t)place;
	for (unsigned i = 0; i < curves->sources_len; i++) {
		struct curve *curve = &curves->sources[i];

		if (!read_number(&line, &curve->averages[at]) ||
		    !read_number(&line, &curve->maxima[at]) ||
		    (curves->minima && !read_number(&line, &curve->minima[at])))
			return -EPROTO;
	}
	return *line == '\0' ? 0 : -EPROTO;
}

int curves_add(struct curves *curves, struct answer *answer)
{
	bool first = curves->name == NULL;
	size_t points, i = 1;
	int rc = answer->len > 0 ? read_head(curves, answer->lines[0], &points) : -EPROTO;

	for (; rc == 0 && i < answer->len && strncmp(answer->lines[i], "source ", 7) == 0; i++)
		if (first)
			rc = read_source(curves, answer->lines[i]);
	if (rc == 0)
		grow(curves, points);
	for (; rc == 0 && i < answer->len; i++)
		rc = read_point(curves, answer->lines[i]);
	return rc;
}

void curves_done(struct curves *curves)
{
	free(curves->name);
	free(curves->type);
	free(curves->provider);
	for (unsigned i = 0; i < MC_SOURCES_MAX; i++) {
		free(curves->sources[i].name);
		free(curves->sources[i].unit);
		free(curves->sources[i].label);
		free(curves->sources[i].averages);
		free(curves->sources[i].maxima);
		free(curves->sources[i].minima);
	}
}

struct curves_summary curves_summary(const struct curves *curves, const struct curve *curve)
{
	struct curves_summary summary = { NAN, NAN, NAN, NAN };
	double sum = 0;
	size_t known = 0;

	for (size_t i = 0; i < curves->len; i++) {
		if (isnan(curve->averages[i]))
			continue;
		sum += curve->averages[i];
		known++;
		summary.minimum = fmin(summary.minimum, fmin(curve->averages[i], curve->minima[i]));
		summary.maximum = fmax(summary.maximum, curve->maxima[i]);
		summary.last = curve->averages[i];
	}
	if (known > 0)
		summary.average = sum / (double)known;
	return summary;
}

static bool is_known(const struct curves *curves, size_t point)
{
	for (unsigned i = 0; i < curves->sources_len; i++)
		if (!isnan(curves->sources[i].averages[point]))
			return true;
	return false;
}

struct curves_range curves_known(const struct curves *curves)
{
	struct curves_range range = { 0, curves->len };

	while (range.end > 0 && !is_known(curves, range.end - 1))
		range.end--;
	while (range.begin < range.end && !is_known(curves, range.begin))
		range.begin++;
	return range.end > 0 ? range : (struct curves_range){ 0 };
}
