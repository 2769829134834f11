/* SPDX-License-Identifier: MIT */
#include "fetch.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <collector/history.h>

#include "base/alloc.h"
#include "base/clock.h"

#include "mistake.h"

#define NAMES_MAX 16
#define LIMIT (10 * MC_SECOND)

struct fetch {
	struct mc_ctx *feed;
	pthread_t thread;
	struct mc_history_query query;
	const char *names[NAMES_MAX];
	struct mc_history *histories[NAMES_MAX];
	char why[MC_HISTORY_WHY];
	int result;
	_Atomic bool ended;
};

static void *ask(void *argument)
{
	struct fetch *fetch = argument;

	fetch->result = mc_histories(fetch->feed, &fetch->query, fetch->histories, fetch->why);
	fetch->ended = true;
	return NULL;
}

struct fetch *fetch_begin(struct mc_ctx *feed, const char *words)
{
	struct fetch *fetch = alloc_zero(sizeof(*fetch));
	char *copy = alloc_copy(words), *rest = copy;
	char *seconds = strsep(&rest, " "), *points = strsep(&rest, " "), *name;

	fetch->feed = feed;
	while ((name = strsep(&rest, " ")) != NULL && fetch->query.len < NAMES_MAX) {
		bool is_whole = strchr(name, '/') != strrchr(name, '/');
		char whole[512];

		snprintf(whole, sizeof(whole), "%s%s", is_whole ? "" : "host/", name);
		fetch->names[fetch->query.len++] = alloc_copy(whole);
	}
	if (fetch->query.len == 0)
		mistake(words, "no SECONDS POINTS NAME");
	fetch->query.names = fetch->names;
	fetch->query.span = (struct mc_span){
		.from = clock_wall() - strtol(seconds, NULL, 10) * MC_SECOND,
		.to = clock_wall(),
		.points = (unsigned)strtoul(points, NULL, 10),
	};
	fetch->query.until = clock_now() + LIMIT;
	free(copy);
	if (pthread_create(&fetch->thread, NULL, ask, fetch) != 0)
		mistake_errno("thread");
	return fetch;
}

static void print_values(const struct mc_history_point *points, unsigned len, bool maxima,
			 FILE *out)
{
	for (unsigned i = 0; i < len; i++) {
		double value = maxima ? points[i].maximum : points[i].average;

		if (isnan(value))
			fprintf(out, " -");
		else
			fprintf(out, " %.6g", value);
	}
	fprintf(out, "\n");
}

static void print(const char *name, struct mc_history *history, FILE *out)
{
	if (history == NULL) {
		fprintf(out, "%s: there is none\n", name);
		return;
	}
	fprintf(out, "%s every %g s%s%s\n", name, (double)history->step * 1e-9,
		history->provider[0] != '\0' ? " from " : "", history->provider);
	for (unsigned i = 0; i < history->type->sources_len; i++) {
		const struct mc_history_point *points = mc_history_points(history, i);

		fprintf(out, "  %s average", history->type->sources[i].name);
		print_values(points, history->points_len, false, out);
		fprintf(out, "  %s maximum", history->type->sources[i].name);
		print_values(points, history->points_len, true, out);
	}
}

bool fetch_end(struct fetch *fetch, bool wait, FILE *out)
{
	if (fetch == NULL || (!wait && !fetch->ended))
		return false;
	pthread_join(fetch->thread, NULL);
	if (fetch->result < 0)
		fprintf(out, "* %s\n", fetch->why);
	for (size_t i = 0; i < fetch->query.len; i++) {
		print(fetch->names[i], fetch->histories[i], out);
		mc_history_free(fetch->histories[i]);
		free((char *)fetch->names[i]);
	}
	free(fetch);
	return true;
}
