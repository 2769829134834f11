/* SPDX-License-Identifier: MIT */
/* Series that are judged, and the groups of their peers. */
#include "means.h"
#include "outlier.h"

#include <collector/kit/alloc.h>
#include <collector/label.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Time without a value that is a gap. */
#define GAP(interval) ((interval)*5 / 2)

const struct member members_not_taken, members_refused;

/* --- Groups ------------------------------------------------------------------------ */

struct label {
	const char *name;
	char text[MC_LABEL_SIZE];
};

static void take_label(void *argument, const struct mc_field *field)
{
	struct label *label = argument;

	if (strcmp(field->name, label->name) == 0)
		snprintf(label->text, sizeof(label->text), "%s", field->value);
}

static struct mc_buffer key_of(struct mc_ctx *ctx, const struct member_source *source)
{
	const struct member *member = source->member;
	struct label label = { .name = member->match->label };
	struct mc_buffer key = { 0 };

	if (label.name != NULL)
		mc_each_label(ctx, member->id.host, take_label, &label);
	match_add_key(member->match, &member->id, &key);
	mc_buffer_add(&key, &member->interval, sizeof(member->interval));
	mc_buffer_add(&key, &source->number, sizeof(source->number));
	mc_buffer_add(&key, label.text, strlen(label.text));
	return key;
}

static struct own_group *make_group(struct outlier *self, const struct member *member,
				    const struct mc_buffer *key) MC_REQUIRES(self->lock)
{
	struct own_group *own = mc_alloc_zero(sizeof(*own));

	own->rule = match_rule(member->match, member->interval);
	own->group.rule = &own->rule;
	own->group.interval = member->interval;
	own->group.node.key = key->at;
	own->group.node.key_size = key->size;
	mc_map_add(&self->groups, &own->group.node);
	own->next = self->first;
	if (own->next != NULL)
		own->next->previous = own;
	self->first = own;
	return own;
}

void members_free_group(struct outlier *self, struct own_group *own) MC_REQUIRES(self->lock)
{
	mc_map_remove(&self->groups, &own->group.node);
	if (own->next != NULL)
		own->next->previous = own->previous;
	if (own->previous != NULL)
		own->previous->next = own->next;
	else
		self->first = own->next;
	free((void *)own->group.node.key);
	group_done(&own->group);
	free(own);
}

static void join(struct mc_ctx *ctx, struct member_source *source) MC_NO_LOCK /* It is held. */
{
	struct outlier *self = ctx->self;
	struct mc_buffer key = key_of(ctx, source);
	struct own_group *own = (struct own_group *)mc_map_find(&self->groups, key.at, key.size);

	if (own == NULL)
		own = make_group(self, source->member, &key);
	else
		mc_buffer_free(&key);
	group_join(&own->group, &source->peer);
	self->learning--;
}

static void leave(struct outlier *self, struct peer *peer) MC_REQUIRES(self->lock)
{
	struct own_group *own = (struct own_group *)peer->group;

	if (own == NULL) {
		self->learning--;
		if (peer->stands)
			news_keep(self, GROUP_ENDED, peer);
		return;
	}
	group_leave(peer, news_keep, self);
	if (own->group.len == 0)
		members_free_group(self, own);
}

/* --- Members ----------------------------------------------------------------------- */

static const struct match *find_match(const struct outlier *self, const struct mc_id *id)
	MC_REQUIRES(self->lock)
{
	const struct match *matches = self->matches.items;

	for (size_t i = 0; i < self->matches.len; i++)
		if (self->used[i] && match_takes(&matches[i], id))
			return &matches[i];
	return NULL;
}

static unsigned count_sources(const struct match *match, const struct mc_type *type)
{
	unsigned len = 0;

	for (unsigned i = 0; i < type->sources_len; i++)
		len += match_takes_source(match, type, i);
	return len;
}

bool members_has_room(const struct outlier *self, size_t len) MC_REQUIRES(self->lock)
{
	return self->peers + len <= (size_t)self->series_max;
}

static struct member *make_member(struct outlier *self, const struct match *match,
				  const struct mc_id *id, const struct mc_type *type)
	MC_REQUIRES(self->lock)
{
	unsigned len = count_sources(match, type);
	struct member *member;

	if (len == 0)
		return (struct member *)&members_not_taken;
	if (!members_has_room(self, len))
		return (struct member *)&members_refused;
	member = mc_alloc_zero(sizeof(*member) + len * sizeof(member->sources[0]));
	member->match = match;
	member->type = type;
	member->id = news_copy_id(id, &member->text);
	for (unsigned i = 0; i < type->sources_len; i++)
		if (match_takes_source(match, type, i))
			member->sources[member->len++] =
				(struct member_source){ .member = member, .number = i };
	self->peers += len;
	self->learning += len;
	member->next = self->members;
	if (member->next != NULL)
		member->next->previous = member;
	self->members = member;
	return member;
}

struct member *members_have(struct outlier *self, const struct mc_series *series, void **slot)
	MC_REQUIRES(self->lock)
{
	const struct mc_id id = { mc_host(series), mc_plugin(series), mc_plugin_instance(series),
				  mc_type(series)->name, mc_type_instance(series) };
	const struct match *match = find_match(self, &id);
	struct member *member = match != NULL ? make_member(self, match, &id, mc_type(series))
					      : (struct member *)&members_not_taken;

	self->refused += (member == &members_refused) - (*slot == &members_refused);
	*slot = member;
	return member;
}

void members_free(struct outlier *self, struct member *member) MC_REQUIRES(self->lock)
{
	for (unsigned i = 0; i < member->len && !self->stopped; i++)
		leave(self, &member->sources[i].peer);
	self->peers -= member->len;
	if (self->saving == member)
		self->saving = member->next;
	if (member->next != NULL)
		member->next->previous = member->previous;
	if (member->previous != NULL)
		member->previous->next = member->next;
	else
		self->members = member->next;
	free(member->text);
	free(member);
}

/* --- Values ------------------------------------------------------------------------ */

/* Values of another interval have other peers: it begins anew. */
void members_begin(struct outlier *self, struct member *member, mc_time interval)
	MC_REQUIRES(self->lock)
{
	for (unsigned i = 0; i < member->len; i++) {
		struct peer *peer = &member->sources[i].peer;

		leave(self, peer);
		*peer = (struct peer){ .seen = 0 };
		self->learning++;
	}
	member->interval = interval;
}

static void take_value(struct mc_ctx *ctx, struct member_source *source, mc_time time,
		       double value) MC_NO_LOCK /* It is held. */
{
	struct outlier *self = ctx->self;
	struct peer *peer = &source->peer;
	uint32_t needed = match_values(source->member->match, source->member->interval);

	if (peer->group == NULL && peer->own.values >= needed) /* It has been learned before. */
		join(ctx, source);
	if (peer->group != NULL) {
		self->late += !group_take(peer, time, value, news_keep, self);
		return;
	}
	deviation_learn(&peer->own, value);
	if (peer->own.values >= needed)
		join(ctx, source);
}

static bool is_known(double value)
{
	return fabs(value) <= DEVIATION_VALUE_MAX; /* NaN: no. */
}

void members_take(struct mc_ctx *ctx, struct member *member, const struct mc_sample *sample,
		  mc_time now) MC_NO_LOCK /* It is held. */
{
	mc_time time = sample->time < now ? sample->time : now;

	if (sample->interval != member->interval) {
		bool is_new = member->interval == 0;

		members_begin(ctx->self, member, sample->interval);
		if (is_new)
			means_restore(ctx->self, member);
	}
	for (unsigned i = 0; i < member->len; i++) {
		struct member_source *source = &member->sources[i];
		double value = mc_rate(sample, source->number);
		mc_time seen = source->peer.seen;

		if (seen != 0 && time <= seen)
			continue;
		if (!is_known(value) || seen == 0 || time - seen > GAP(member->interval))
			member->settled = time + member->match->settle;
		source->peer.seen = time;
		if (is_known(value) && time >= member->settled)
			take_value(ctx, source, time, value);
	}
}
