/* SPDX-License-Identifier: MIT */
/* News of outliers, as alerts. */
#include "outlier.h"

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>
#include <collector/private/alerts.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mc_id news_copy_id(const struct mc_id *id, char **text)
{
	const char *from[] = { id->host, id->plugin, id->plugin_instance, id->type,
			       id->type_instance };
	struct mc_id copy;
	const char **to[] = { &copy.host, &copy.plugin, &copy.plugin_instance, &copy.type,
			      &copy.type_instance };
	struct mc_buffer all = { 0 };
	size_t at = 0;

	for (unsigned i = 0; i < MATCH_FIELDS; i++)
		mc_buffer_add(&all, from[i], strlen(from[i]) + 1);
	*text = all.at;
	for (unsigned i = 0; i < MATCH_FIELDS; i++) {
		*to[i] = all.at + at;
		at += strlen(from[i]) + 1;
	}
	return copy;
}

/* "cpu of guest web7", with what else distinguishes it from others of the host. */
static void name_of(const struct member_source *source, char *out, size_t size)
{
	const struct member *member = source->member;
	const char *more[] = { member->id.plugin_instance, member->id.type_instance,
			       member->type->sources_len > 1
				       ? member->type->sources[source->number].name
				       : "" };
	size_t len =
		(size_t)snprintf(out, size, "%.100s %.100s", member->match->name, member->id.host);

	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]) && len < size; i++)
		if (*more[i] != '\0')
			len += (size_t)snprintf(out + len, size - len, " %.60s", more[i]);
}

/* Its alert: of this plugin, as a source has one of its own. */
static void name_alert(const struct member_source *source, struct news *news)
{
	const struct mc_id *id = &source->member->id;
	char plugin[160], instance[160];
	bool several = source->member->type->sources_len > 1;

	snprintf(plugin, sizeof(plugin), "%.60s%s%.60s", id->plugin,
		 *id->plugin_instance != '\0' ? "-" : "", id->plugin_instance);
	snprintf(instance, sizeof(instance), "%.90s%s%.30s", id->type_instance,
		 several && *id->type_instance != '\0' ? "-" : "",
		 several ? source->member->type->sources[source->number].name : "");
	news->id = news_copy_id(&(struct mc_id){ id->host, "outlier", plugin, id->type, instance },
				&news->text);
}

void news_keep(void *argument, enum group_news kind,
	       const struct peer *peer) MC_NO_LOCK /* The caller holds it. */
{
	struct outlier *self = argument;
	const struct member_source *source = (const struct member_source *)peer;
	struct news *news = mc_alloc_zero(sizeof(*news));
	char what[400];

	name_of(source, what, sizeof(what));
	name_alert(source, news);
	news->kind = kind;
	news->since = peer->out_since;
	words_news(news->words, kind, what, peer);
	news->next = self->news;
	self->news = news;
	self->found += kind == GROUP_OUT;
}

static void report(struct mc_ctx *ctx, const struct news *news)
{
	bool out = news->kind == GROUP_OUT;

	mc_stand(ctx, &(struct mc_standing){
			      .id = news->id,
			      .severity = out ? MC_WARNING : MC_OKAY,
			      .reason = news->words,
			      .advice = out ? "Look for what has begun there at that time: its "
					      "peers go on as before."
					    : NULL,
			      .since = out ? news->since : 0,
		      });
}

void news_report(struct mc_ctx *ctx)
{
	struct outlier *self = ctx->self;
	struct news *last, *first = NULL, *next;

	pthread_mutex_lock(&self->lock);
	last = self->news;
	self->news = NULL;
	pthread_mutex_unlock(&self->lock);
	for (; last != NULL; last = next) { /* In the order in which it was. */
		next = last->next;
		last->next = first;
		first = last;
	}
	for (; first != NULL; first = next) {
		next = first->next;
		report(ctx, first);
		free(first->text);
		free(first);
	}
}

void news_drop(struct outlier *self) MC_REQUIRES(self->lock)
{
	struct news *next;

	for (; self->news != NULL; self->news = next) {
		next = self->news->next;
		free(self->news->text);
		free(self->news);
	}
}
