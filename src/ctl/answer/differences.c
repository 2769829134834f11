/* SPDX-License-Identifier: MIT */
#include "ctl/answer/differences.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define SHARE 0.05 /* Values that are nearer to each other are the same. */
#define DEVIATIONS 3
#define DEVIATIONS_OF_FEW 20 /* More, by the degrees of freedom: nearly as Student's t. */
#define SLACK 1              /* Seconds that both need to be asked. */

const char *const differences_words[DIFFERENCE_VERDICTS] = {
	[DIFFERENCE_NONE] = "same",       [DIFFERENCE_MISSING] = "missing",
	[DIFFERENCE_TYPE] = "other type", [DIFFERENCE_LATE] = "late",
	[DIFFERENCE_APART] = "apart",     [DIFFERENCE_ACCEPTED] = "accepted",
	[DIFFERENCE_EXTRA] = "extra",     [DIFFERENCE_RECEIVED] = "received",
	[DIFFERENCE_STILL] = "still",
};

static int compare_names(const void *a, const void *b)
{
	const struct difference_series *one = a, *other = b;

	return strcmp(one->name, other->name);
}

static int compare_hosts(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void free_series(struct difference_series *series)
{
	for (int side = 0; side < 2; side++) {
		free(series->sides[side].sources);
		free(series->sides[side].means);
	}
	free(series->name);
	free(series);
}

static void keep(void *node)
{
	(void)node;
}

void differences_done(struct differences *differences)
{
	tdestroy(differences->names, keep);
	tdestroy(differences->hosts, free);
	for (size_t i = 0; i < differences->items_len; i++)
		free_series(differences->items[i]);
	free(differences->items);
	*differences = (struct differences){ .skipped = 0 };
}

/* --- What both have --------------------------------------------------------- */

static void push(struct differences *differences, struct difference_series *series)
{
	if (differences->items_len == differences->items_room) {
		differences->items_room = 2 * differences->items_room + 256;
		differences->items = alloc_resize(differences->items, differences->items_room,
						  sizeof(struct difference_series *));
	}
	differences->items[differences->items_len++] = series;
	tsearch(series, &differences->names, compare_names);
}

static struct difference_series *find(struct differences *differences, const char *name)
{
	const struct difference_series wanted = { .name = (char *)name };
	struct difference_series **found = tfind(&wanted, &differences->names, compare_names);
	struct difference_series *series;

	if (found != NULL)
		return *found;
	if (differences->items_len == DIFFERENCES_MAX) {
		differences->skipped++;
		return NULL;
	}
	series = alloc_zero(sizeof(*series));
	series->name = alloc_copy(name);
	push(differences, series);
	return series;
}

/* The host of a series. */
static char *host_of(const char *name)
{
	char *host = alloc_copy(name);

	host[strcspn(host, "/")] = '\0';
	return host;
}

static bool has_host(const struct differences *differences, const char *name)
{
	char *host = host_of(name);
	bool has = tfind(host, &differences->hosts, compare_hosts) != NULL;

	free(host);
	return has;
}

static void learn_host(struct differences *differences, const char *name)
{
	if (!has_host(differences, name))
		tsearch(host_of(name), &differences->hosts, compare_hosts);
}

void differences_seen(struct differences *differences, enum difference_side side, const char *name,
		      double time)
{
	struct difference_series *series = find(differences, name);
	struct difference_has *has;
	double theirs, ours;

	if (series == NULL)
		return;
	if (side == DIFFERENCE_OURS)
		learn_host(differences, name);
	has = &series->sides[side];
	if (!has->there)
		has->first = time;
	has->there = true;
	has->moved |= time > has->first;
	if (side == DIFFERENCE_THEIRS && has->last > 0 && time > has->last &&
	    (series->interval == 0 || time - has->last < series->interval))
		series->interval = time - has->last;
	has->last = time;
	theirs = series->sides[DIFFERENCE_THEIRS].last;
	ours = series->sides[DIFFERENCE_OURS].last;
	if (side == DIFFERENCE_OURS && theirs > 0 && theirs - ours > series->lag)
		series->lag = theirs - ours;
}

/* The names of the sources, in their order. */
static void learn_sources(struct difference_has *has, char *const *lines, size_t len)
{
	size_t size = 1;
	char *at;

	for (size_t i = 0; i < len; i++)
		size += strcspn(lines[i], "=") + 1;
	has->sources = at = alloc_zero(size);
	for (size_t i = 0; i < len; i++) {
		size_t length = strcspn(lines[i], "=");

		if (i > 0)
			*at++ = ' ';
		memcpy(at, lines[i], length);
		at += length;
	}
	has->means = alloc_zero(len * sizeof(*has->means));
	has->sources_len = (unsigned)len;
}

bool differences_is_new(const struct difference_series *series, enum difference_side side)
{
	const struct difference_has *has = &series->sides[side];

	return has->sources == NULL || has->last == 0 || has->last > has->counted;
}

void differences_values(struct difference_series *series, enum difference_side side,
			char *const *lines, size_t len)
{
	struct difference_has *has = &series->sides[side];

	if (!differences_is_new(series, side))
		return;
	has->counted = has->last;
	if (len > DIFFERENCES_SOURCES_MAX)
		len = DIFFERENCES_SOURCES_MAX;
	if (has->sources == NULL && len > 0)
		learn_sources(has, lines, len);
	for (size_t i = 0; i < len && i < has->sources_len; i++) {
		const char *number = strchr(lines[i], '=');
		double value = number != NULL ? strtod(number + 1, NULL) : NAN;

		if (!isfinite(value))
			continue;
		has->means[i].sum += value;
		has->means[i].squares += value * value;
		has->means[i].len++;
	}
}

/* --- Verdicts ----------------------------------------------------------------- */

/* The square of the deviation of a mean. */
static double doubt(const struct difference_mean *mean)
{
	double average = mean->sum / mean->len;
	double variance = mean->squares / mean->len - average * average;

	return variance > 0 && mean->len > 1 ? variance / (mean->len - 1) : 0;
}

/* By how much two means may differ: by anything where one is of a single value. */
static double allowance(const struct difference_mean *a, const struct difference_mean *b)
{
	double freedom = (double)a->len + b->len - 2;
	double greater = fmax(fabs(a->sum / a->len), fabs(b->sum / b->len));

	if (a->len < 2 || b->len < 2)
		return INFINITY;
	return SHARE * greater +
	       (DEVIATIONS + DEVIATIONS_OF_FEW / freedom) * sqrt(doubt(a) + doubt(b));
}

/* Two that look at different moments do not see the same: what values vary by anyway is allowed. */
static bool is_apart(struct difference_series *series)
{
	const struct difference_has *theirs = &series->sides[DIFFERENCE_THEIRS];
	const struct difference_has *ours = &series->sides[DIFFERENCE_OURS];

	for (unsigned i = 0; i < theirs->sources_len; i++) {
		const struct difference_mean *a = &theirs->means[i], *b = &ours->means[i];
		double one, other;

		if (a->len == 0 || b->len == 0)
			continue;
		one = a->sum / a->len;
		other = b->sum / b->len;
		if (fabs(one - other) <= allowance(a, b))
			continue;
		series->source = i;
		series->theirs = one;
		series->ours = other;
		return true;
	}
	return false;
}

/* Whether "PLUGIN,PLUGIN" has that of the series. */
static bool is_accepted(const char *accepted, const char *name)
{
	const char *plugin = strchr(name, '/');
	size_t size;

	if (accepted == NULL || plugin == NULL)
		return false;
	size = strcspn(++plugin, "-/");
	for (; *accepted != '\0'; accepted += strspn(accepted, ",")) {
		size_t length = strcspn(accepted, ",");

		if (length == size && memcmp(accepted, plugin, size) == 0)
			return true;
		accepted += length;
	}
	return false;
}

static enum difference_verdict judge_missing(const struct differences *differences,
					     const struct difference_series *series)
{
	if (!differences->names_only && !has_host(differences, series->name))
		return DIFFERENCE_RECEIVED;
	if (!differences->names_only && !series->sides[DIFFERENCE_THEIRS].moved)
		return DIFFERENCE_STILL;
	return DIFFERENCE_MISSING;
}

static enum difference_verdict judge(const struct differences *differences,
				     struct difference_series *series)
{
	const struct difference_has *theirs = &series->sides[DIFFERENCE_THEIRS];
	const struct difference_has *ours = &series->sides[DIFFERENCE_OURS];

	if (!theirs->there)
		return DIFFERENCE_EXTRA;
	if (!ours->there)
		return judge_missing(differences, series);
	if (differences->names_only)
		return DIFFERENCE_NONE;
	if (theirs->sources != NULL && ours->sources != NULL &&
	    strcmp(theirs->sources, ours->sources) != 0)
		return DIFFERENCE_TYPE;
	if (series->interval > 0 && series->lag > series->interval + SLACK)
		return DIFFERENCE_LATE;
	if (theirs->sources != NULL && ours->sources != NULL && is_apart(series))
		return DIFFERENCE_APART;
	return DIFFERENCE_NONE;
}

/* Whether somebody has to look at it. */
static bool is_difference(enum difference_verdict verdict)
{
	return verdict == DIFFERENCE_MISSING || verdict == DIFFERENCE_TYPE ||
	       verdict == DIFFERENCE_LATE || verdict == DIFFERENCE_APART;
}

void differences_judge(struct differences *differences)
{
	memset(differences->len, 0, sizeof(differences->len));
	for (size_t i = 0; i < differences->items_len; i++) {
		struct difference_series *series = differences->items[i];

		series->verdict = judge(differences, series);
		if (is_difference(series->verdict) &&
		    is_accepted(differences->accepted, series->name))
			series->verdict = DIFFERENCE_ACCEPTED;
		differences->len[series->verdict]++;
	}
}

bool differences_any(const struct differences *differences)
{
	const size_t *len = differences->len;

	/* Where nothing is the same, this host has another name here. */
	if (len[DIFFERENCE_NONE] == 0 && len[DIFFERENCE_RECEIVED] > 0)
		return true;
	for (int i = 0; i < DIFFERENCE_VERDICTS; i++)
		if (is_difference((enum difference_verdict)i) && len[i] > 0)
			return true;
	return false;
}
