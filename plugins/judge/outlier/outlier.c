/* SPDX-License-Identifier: MIT */
/* outlier - finds the series that goes its own way: compares the deviation of each from its own
 * slow mean with that of its peers.
 *
 * A series learns its mean alone; then it joins the group of its peers, by the label that its host
 * has then.  deviation.h has the formula, group.h the rounds. */
#include "outlier.h"

#include "means.h"

#include <collector/kit/alloc.h>
#include <collector/serve.h>

#include <stdio.h>
#include <stdlib.h>

/* --- Values ------------------------------------------------------------------------ */

static int outlier_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct outlier *self = ctx->self;
	mc_time now = mc_wall();
	bool is_news;
	size_t refused_len;

	pthread_mutex_lock(&self->lock);
	MC_FOR_EACH_SAMPLE (sample, batch) {
		void **slot = mc_slot(ctx, sample->series);
		struct member *member = *slot;

		if (member == &members_not_taken ||
		    (member == &members_refused && !members_has_room(self, 1)))
			continue;
		if (member == NULL || member == &members_refused)
			member = members_have(self, sample->series, slot);
		if (member->len > 0)
			members_take(ctx, member, sample, now);
	}
	is_news = self->news != NULL;
	refused_len = self->refused;
	pthread_mutex_unlock(&self->lock);
	if (is_news)
		news_report(ctx);
	if (refused_len > 0)
		mc_complain(
			ctx, &self->limit_reached, 0,
			"there are as many series as SeriesLimit allows: others are not judged");
	else
		mc_works(ctx, &self->limit_reached,
			 "there are fewer series than SeriesLimit again");
	return 0;
}

/* A series that is silent has no peers any more; if it comes again, it is new. */
static void outlier_ended(struct mc_ctx *ctx, struct mc_series *series, mc_time silent)
{
	struct outlier *self = ctx->self;
	struct member *member;

	if (silent == 0)
		return;
	pthread_mutex_lock(&self->lock);
	member = *mc_slot(ctx, series);
	if (member != NULL && member->len > 0)
		members_begin(self, member, member->interval);
	pthread_mutex_unlock(&self->lock);
	news_report(ctx);
}

static void outlier_forget(struct mc_ctx *ctx, void *slot)
{
	struct outlier *self = ctx->self;

	pthread_mutex_lock(&self->lock);
	if (slot == &members_refused)
		self->refused--;
	else if (slot != &members_not_taken)
		members_free(self, slot);
	pthread_mutex_unlock(&self->lock);
}

/* --- Answers ----------------------------------------------------------------------- */

static void outlier_explain(struct mc_ctx *ctx, const struct mc_series *series,
			    struct mc_answer *answer)
{
	struct outlier *self = ctx->self;
	const struct member *member;
	char(*lines)[WORDS_SIZE] = mc_alloc_array(mc_type(series)->sources_len, WORDS_SIZE);
	unsigned len = 0;

	pthread_mutex_lock(&self->lock);
	member = *mc_slot(ctx, series);
	for (; member != NULL && len < member->len; len++) {
		char words[WORDS_SIZE];

		words_state(words, &member->sources[len].peer,
			    match_values(member->match, member->interval));
		snprintf(lines[len], WORDS_SIZE, "%.100s%s%s: %.450s", member->match->name,
			 member->len > 1 ? ", " : "",
			 member->len > 1 ? member->type->sources[member->sources[len].number].name
					 : "",
			 words);
	}
	if (member == &members_refused)
		snprintf(lines[len++], WORDS_SIZE, "not judged: there are SeriesLimit others");
	pthread_mutex_unlock(&self->lock);
	for (unsigned i = 0; i < len; i++)
		mc_explain(answer, "%s", lines[i]);
	free(lines);
}

static size_t outlier_rules(struct mc_ctx *ctx)
{
	const struct outlier *self = ctx->self;

	return self->matches.len;
}

/* --- The plugin -------------------------------------------------------------------- */

static void outlier_check(struct mc_ctx *ctx)
{
	const struct outlier *self = ctx->self;
	struct match *matches = self->matches.items;

	for (size_t i = 0; i < self->matches.len; i++)
		match_check(ctx, &matches[i]);
}

static int outlier_start(struct mc_ctx *ctx) MC_NO_LOCK
{
	struct outlier *self = ctx->self;
	struct match *matches = self->matches.items;

	pthread_mutex_init(&self->lock, NULL);
	self->used = mc_alloc_array(self->matches.len + 1, sizeof(*self->used));
	for (size_t i = 0; i < self->matches.len; i++)
		self->used[i] = match_start(&matches[i]);
	means_load(ctx);
	return 0;
}

/* forget() is called for all remaining series after this. */
static void outlier_stop(struct mc_ctx *ctx)
{
	struct outlier *self = ctx->self;
	struct match *matches = self->matches.items;

	means_save(ctx);
	pthread_mutex_lock(&self->lock);
	self->stopped = true;
	while (self->first != NULL)
		members_free_group(self, self->first);
	mc_map_done(&self->groups);
	news_drop(self);
	means_drop(self);
	free(self->used);
	self->used = NULL;
	pthread_mutex_unlock(&self->lock);
	for (size_t i = 0; i < self->matches.len; i++)
		match_stop(&matches[i]);
}

struct counts {
	size_t groups, small, peers, learning, standing, held, refused;
	uint64_t late, found;
};

static struct counts count_all(struct outlier *self)
{
	struct counts counts;

	pthread_mutex_lock(&self->lock);
	counts = (struct counts){ .groups = self->groups.len,
				  .peers = self->peers,
				  .learning = self->learning,
				  .refused = self->refused,
				  .late = self->late,
				  .found = self->found };
	for (const struct own_group *at = self->first; at != NULL; at = at->next) {
		counts.small += !group_speaks(&at->group);
		counts.standing += at->group.standing;
		counts.held += at->group.held;
	}
	pthread_mutex_unlock(&self->lock);
	return counts;
}

static void put_count(struct mc_batch *out, const char *what, size_t number)
{
	mc_put_gauge(out, (double)number, .type = "count", .type_instance = what);
}

static int outlier_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct outlier *self = ctx->self;
	struct counts counts;

	means_save_in_turn(ctx);
	if (!self->report_stats)
		return 0;
	counts = count_all(self);
	put_count(out, "groups", counts.groups);
	put_count(out, "small_groups", counts.small);
	put_count(out, "series", counts.peers);
	put_count(out, "learning", counts.learning);
	put_count(out, "outliers", counts.standing);
	put_count(out, "held", counts.held);
	put_count(out, "refused", counts.refused);
	mc_put_derive(out, (int64_t)counts.late, .type = "derive", .type_instance = "late");
	mc_put_derive(out, (int64_t)counts.found, .type = "derive", .type_instance = "found");
	return 0;
}

static const struct mc_option outlier_options[] = {
	{ "Match", MC_OPT_BLOCKS(struct outlier, matches), .block = &match_block,
	  .help = "Series that are peers; a series belongs to the first block that takes it." },
	{ "SeriesLimit", MC_OPT_INT(struct outlier, series_max), .default_value = "100000",
	  .help = "Largest number of series that are judged, each source as one; others are "
		  "counted.",
	  .min = 1, .max = 1e8 },
	{ "StateFile", MC_OPT_STRING(struct outlier, state_path), .default_value = "outlier.state",
	  .help = "File of means and outliers, in BaseDir, which is written every ten minutes and "
		  "at a stop; empty: none, and after a restart all series are new." },
	{ "ReportStats", MC_OPT_BOOL(struct outlier, report_stats), .default_value = "false",
	  .help = "Reports the numbers of groups, series and outliers." },
	{ 0 },
};

MC_PLUGIN(outlier) = {
	MC_NAMED(outlier),
	.help = "Finds series that deviate from their own mean as none of their peers does.",
	.self_size = sizeof(struct outlier),
	.options = outlier_options,
	.types = (const char *const[]){ "count", "derive", NULL },
	.check = outlier_check,
	.start = outlier_start,
	.read = outlier_read,
	.writer = &(const struct mc_writer){ .write = outlier_write,
					     .ended = outlier_ended,
					     .forget = outlier_forget },
	.judge = &(const struct mc_judge){ .explain = outlier_explain, .rules = outlier_rules },
	.stop = outlier_stop,
};
