/* SPDX-License-Identifier: MIT */
#include "history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <collector/kit/alloc.h>
#include <collector/private/alerts.h>

#include "rights.h"

/* --- In words -------------------------------------------------------------------- */

static void explain(const struct moves_move *move, struct mc_answer *answer)
{
	time_t seconds = (time_t)(move->time / MC_SECOND);
	char date[32], figures[80] = "";
	struct tm local;

	localtime_r(&seconds, &local);
	strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &local);
	if (!isnan(move->figures.downtime) && !isnan(move->figures.duration))
		snprintf(figures, sizeof(figures), " in %.3f s, and stood still for %.3f s",
			 move->figures.duration, move->figures.downtime);
	mc_explain(answer, "until %s it was on %s: it moved to %s%s", date,
		   move->from[0] != '\0' ? move->from : "a host that is not known", move->to,
		   figures);
}

void history_explain(const struct history *history, const char *host, struct mc_answer *answer)
{
	const struct moves_guest *guest;
	struct moves_move moves[MOVES_KEPT];
	unsigned len = 0;

	pthread_mutex_lock(history->lock);
	guest = moves_find(history->moves, host);
	if (guest != NULL)
		for (; len < guest->moves_len; len++)
			moves[len] = guest->moves[len];
	pthread_mutex_unlock(history->lock);
	while (len > 0)
		explain(&moves[--len], answer);
}

/* --- As series ------------------------------------------------------------------- */

struct last { /* Of a guest. */
	struct moves_figures figures;
	char *host;
};

/* Those of now, to be freed.  Of a guest that is silent they are, too: else its host seems to live.
 */
static struct last *copy(const struct history *history, size_t *len)
{
	mc_time now = mc_wall();
	struct last *lasts;

	*len = 0;
	pthread_mutex_lock(history->lock);
	lasts = mc_alloc_array(history->moves->guests.len + 1, sizeof(*lasts));
	for (const struct moves_guest *at = NULL; (at = moves_next(history->moves, at)) != NULL;) {
		const struct moves_move *move =
			at->moves_len > 0 ? &at->moves[at->moves_len - 1] : NULL;

		if (move == NULL || now - move->time > HISTORY_LASTS || !rights_lives(at, now))
			continue;
		lasts[*len].figures = move->figures;
		lasts[(*len)++].host = mc_alloc_copy(at->host);
	}
	pthread_mutex_unlock(history->lock);
	return lasts;
}

static void put(struct mc_batch *out, const struct last *last, struct mc_id id, double value)
{
	if (isnan(value))
		return;
	id.host = last->host;
	mc_gauge(out, mc_series(out, id), value);
}

static void report(struct mc_batch *out, const struct last *last)
{
	put(out, last, MC_ID(.type = "duration", .type_instance = "total"), last->figures.duration);
	put(out, last, MC_ID(.type = "duration", .type_instance = "downtime"),
	    last->figures.downtime);
	put(out, last, MC_ID(.type = "bytes", .type_instance = "transferred"),
	    last->figures.transferred);
	put(out, last, MC_ID(.type = "gauge", .type_instance = "dirty_rate"),
	    last->figures.dirty_rate);
}

void history_report(const struct history *history, struct mc_ctx *ctx, struct mc_batch *out)
{
	size_t len;
	struct last *lasts = copy(history, &len);

	for (size_t i = 0; i < len; i++) {
		/* The end of these series is no silence that matters. */
		mc_expect_end(ctx, &(struct mc_id){ .host = lasts[i].host, .plugin = "migration" },
			      true);
		report(out, &lasts[i]);
		free(lasts[i].host);
	}
	free(lasts);
}
