/* SPDX-License-Identifier: MIT */
/* Any lines as the reply to FETCH: rows are added to a history, or are left out. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fetched.h"
#include "model/history.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
	struct mc_type type;
	struct mc_source sources[2];
} octets = { { .name = "if_octets", .sources_len = 2 }, { { .name = "rx" }, { .name = "tx" } } };

/* The lines of one reply; returns what follows its end, a line ".". */
static char *take_reply(char *text, struct fetched *fetched)
{
	char *line;

	while ((line = strsep(&text, "\n")) != NULL && strcmp(line, ".") != 0)
		fetched_line(fetched, line);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mc_span span = { .from = 1000 * MC_SECOND, .to = 2000 * MC_SECOND, .points = 100 };
	struct mc_history *history = history_new(&octets.type, span, MC_SECOND);
	struct fetched fetched[FETCHED_KINDS];
	char *text = strndup((const char *)data, size);
	char *rest = text;

	for (unsigned i = 0; i < FETCHED_KINDS; i++) {
		fetched[i] = (struct fetched){ .type = &octets.type };
		rest = take_reply(rest, &fetched[i]);
		assert(fetched[i].rows_len <= FETCHED_ROWS_MAX);
	}
	fetched_add(fetched, history);
	history_finish(history);
	for (unsigned i = 0; i < 2 * history->points_len; i++)
		assert(isnan(history->points[i].average) || history->points[i].seconds > 0);
	mc_history_free(history);
	for (unsigned i = 0; i < FETCHED_KINDS; i++)
		fetched_free(&fetched[i]);
	free(text);
	return 0;
}
