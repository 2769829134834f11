/* SPDX-License-Identifier: MIT */
#include "means.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/state_file.h>

#include "saved.h"

#define SAVE_EVERY (600 * MC_SECOND)

/* Series whose lines are made under one lock. */
#define SLICE 256

static bool is_kept(const struct outlier *self)
{
	return self->state_path != NULL && *self->state_path != '\0';
}

/* --- Reading ---------------------------------------------------------------------- */

void means_load(struct mc_ctx *ctx) MC_NO_LOCK /* Nobody else is there. */
{
	struct outlier *self = ctx->self;
	struct mc_buffer text = { 0 };
	ptrdiff_t damaged = 0;
	int rc;

	self->saved = mc_now();
	if (!is_kept(self))
		return;
	rc = mc_state_file_read(self->state_path, &text);
	if (rc == 0 && text.size > 0)
		damaged = saved_read(text.at, text.size, &self->means, (size_t)self->series_max,
				     mc_wall());
	if (rc < 0)
		mc_log(ctx, MC_WARN, "cannot read '%s', series are new: %s", self->state_path,
		       strerror(-rc));
	else if (damaged < 0)
		mc_log(ctx, MC_WARN, "'%s' is not a state file of this version, series are new",
		       self->state_path);
	else if (damaged > 0)
		mc_log(ctx, MC_WARN, "'%s' is damaged or old, left out: %td of its lines",
		       self->state_path, damaged);
	mc_buffer_free(&text);
}

static void key_of(const struct member_source *source, struct mc_buffer *key)
{
	const struct member *member = source->member;

	mc_buffer_clear(key);
	saved_add_key(key, &member->id, member->type->sources[source->number].name);
}

void means_restore(struct outlier *self, struct member *member) MC_REQUIRES(self->lock)
{
	struct mc_buffer key = { 0 };

	for (unsigned i = 0; i < member->len && self->means.len > 0; i++) {
		struct peer *peer = &member->sources[i].peer;
		struct saved_mean *mean;

		key_of(&member->sources[i], &key);
		mean = saved_find(&self->means, &key);
		if (mean == NULL)
			continue;
		if (mean->interval == member->interval) {
			peer->own = mean->own;
			peer->out_since = mean->out_since;
			peer->stands = mean->out_since != 0;
		}
		saved_drop(&self->means, mean);
	}
	mc_buffer_free(&key);
}

void means_drop(struct outlier *self) MC_REQUIRES(self->lock)
{
	for (struct saved_mean *at = saved_next(&self->means, NULL), *next; at != NULL; at = next) {
		next = saved_next(&self->means, at);
		saved_drop(&self->means, at);
	}
	mc_map_done(&self->means);
}

/* --- Writing ---------------------------------------------------------------------- */

static void add_member(const struct member *member, mc_time now, struct mc_buffer *text,
		       struct mc_buffer *key)
{
	for (unsigned i = 0; i < member->len; i++) {
		const struct peer *peer = &member->sources[i].peer;
		const struct saved_mean mean = { .time = now,
						 .interval = member->interval,
						 .own = peer->own,
						 .out_since = peer->stands ? peer->out_since : 0 };

		if (peer->own.values == 0)
			continue;
		key_of(&member->sources[i], key);
		saved_write(text, &mean, key->at);
	}
}

/* Those of the file whose series have not come yet. */
static void add_waiting(struct outlier *self, struct mc_buffer *text)
{
	pthread_mutex_lock(&self->lock);
	for (struct saved_mean *at = NULL; (at = saved_next(&self->means, at)) != NULL;)
		saved_write(text, at, at->key);
	self->saving = self->members;
	pthread_mutex_unlock(&self->lock);
}

/* Returns whether there are more. */
static bool add_slice(struct outlier *self, struct mc_buffer *text, struct mc_buffer *key)
{
	mc_time now = mc_wall();
	bool more;

	pthread_mutex_lock(&self->lock);
	for (unsigned i = 0; i < SLICE && self->saving != NULL; i++) {
		add_member(self->saving, now, text, key);
		self->saving = self->saving->next;
	}
	more = self->saving != NULL;
	pthread_mutex_unlock(&self->lock);
	return more;
}

void means_save(struct mc_ctx *ctx)
{
	struct outlier *self = ctx->self;
	struct mc_buffer text = { 0 }, key = { 0 };
	int fd;

	if (!is_kept(self))
		return;
	mc_buffer_add(&text, SAVED_HEAD, strlen(SAVED_HEAD));
	add_waiting(self, &text);
	while (add_slice(self, &text, &key))
		;
	fd = mc_state_file_write(self->state_path, &text);
	if (fd < 0)
		mc_complain(ctx, &self->unwritable, -fd,
			    "cannot write '%s', so after a restart series are new",
			    self->state_path);
	else
		mc_works(ctx, &self->unwritable, "'%s' is written again", self->state_path);
	if (fd >= 0)
		close(fd);
	mc_buffer_free(&text);
	mc_buffer_free(&key);
	self->saved = mc_now();
}

void means_save_in_turn(struct mc_ctx *ctx)
{
	const struct outlier *self = ctx->self;

	if (is_kept(self) && mc_now() - self->saved >= SAVE_EVERY)
		means_save(ctx);
}
