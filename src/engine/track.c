/* SPDX-License-Identifier: MIT */
/* What a part of a writer takes from the journal when it is behind the rest. */
#include "engine/track.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "engine/record.h"
#include "engine/writer_house.h"

struct mc_track {
	struct mc_track *older;
	struct instance *instance;
	struct cursor *cursor;
	struct reader *reader;
	uint64_t epoch;
};

void track_free(struct mc_track *track)
{
	while (track != NULL) {
		struct mc_track *older = track->older;

		reader_free(track->reader);
		free(track);
		track = older;
	}
}

void track_let_go(struct mc_track *track)
{
	for (; track != NULL; track = track->older)
		cursor_let_go(track->cursor);
}

void track_leave(struct mc_track *track, const struct mc_track *heirs)
{
	for (; track != NULL; track = track->older) {
		const struct mc_track *heir = heirs;

		while (heir != NULL && heir->cursor != track->cursor)
			heir = heir->older;
		if (heir == NULL)
			cursor_let_go(track->cursor);
	}
}

struct mc_track *mc_track(struct mc_ctx *ctx, const char *name,
			  struct mc_place *from, struct mc_place *end)
{
	struct instance *instance = instance_of(ctx);
	struct backlog *backlog = &instance->writer->backlog;
	struct cursor_place place;
	struct mc_track *track;
	char full[256];

	if (backlog->cursor == NULL)
		return NULL;
	snprintf(full, sizeof(full), "%s/%s", instance->name, name);
	track = alloc_zero(sizeof(*track));
	track->instance = instance;
	track->cursor = journal_cursor(backlog->journal, full, &place);
	track->reader = reader_new(backlog->journal);
	track->epoch = place.epoch;
	track->older = backlog->tracks;
	backlog->tracks = track;
	*from = (struct mc_place){ place.next, place.before };
	*end = (struct mc_place){ backlog->next.seq, backlog->next.before };
	return track;
}

void mc_track_safe(struct mc_track *track, struct mc_place place)
{
	struct cursor_place to = { track->epoch, place.seq, place.before };

	cursor_move(track->cursor, &to);
}

struct mc_batch *mc_track_read(struct mc_track *track, struct mc_place *from,
			       uint64_t end)
{
	struct store *store = track->instance->engine->store;
	struct mc_batch *batch = NULL;
	struct frame frame;
	int rc = 1;

	while (batch == NULL && from->seq < end && rc > 0) {
		rc = reader_next(track->reader, from->seq, &frame);
		if (rc < 0)
			return NULL;
		if (rc == 0 || frame.seq >= end) {
			from->seq = end;
			break;
		}
		*from = (struct mc_place){ frame.seq + 1,
					   frame.before + frame.samples };
		if (frame.type != FRAME_BATCH)
			continue;
		batch = store_begin(store, &track->instance->ctx);
		if (!record_read(batch, frame.payload, frame.size)) {
			store_release(store, batch);
			batch = NULL;
		}
	}
	if (from->seq >= end)
		reader_rest(track->reader);
	return batch;
}
