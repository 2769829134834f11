/* SPDX-License-Identifier: MIT */
#include "stream.h"

#include <collector/journal.h>

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

struct stream {
	struct mc_lru_node node; /* Its name is the sender in 'name'. */
	char name[MC_DEDUP_ID_MAX + 1];
	uint64_t last;   /* Taken; 0: none yet. */
	uint64_t unsafe; /* Its values came, but were not safe; 0: none. */
	bool busy;
};

void stream_init(struct streams *streams, size_t len_max)
{
	*streams = (struct streams){ .len_max = len_max };
	pthread_mutex_init(&streams->lock, NULL);
}

void stream_done(struct streams *streams) MC_NO_LOCK
{
	mc_lru_free(&streams->names);
	pthread_mutex_destroy(&streams->lock);
}

static size_t sender_size(const char *name)
{
	return strcspn(name, "/");
}

static struct stream *find(struct streams *streams, const char *name) MC_REQUIRES(streams->lock)
{
	return (struct stream *)mc_lru_find(&streams->names, name, sender_size(name));
}

/* There are no more busy ones than requests at a time. */
static void forget_oldest(struct streams *streams) MC_REQUIRES(streams->lock)
{
	struct mc_lru_node *node = streams->names.oldest;

	while (node != NULL && ((struct stream *)node)->busy)
		node = node->newer;
	if (node == NULL)
		return;
	mc_lru_remove(&streams->names, node);
	free(node);
}

/* NULL: no room. */
static struct stream *add(struct streams *streams, const char *name) MC_REQUIRES(streams->lock)
{
	struct stream *stream;

	if (streams->names.map.len >= streams->len_max)
		forget_oldest(streams);
	if (streams->names.map.len >= streams->len_max)
		return NULL;
	stream = mc_alloc_zero(sizeof(*stream));
	memcpy(stream->name, name, strlen(name) + 1);
	mc_lru_add(&streams->names, &stream->node, stream->name, sender_size(name));
	return stream;
}

/* Another epoch begins anew, when something of it was taken. */
static void rename_stream(struct stream *stream, const char *name)
{
	if (strcmp(stream->name, name) == 0)
		return;
	memcpy(stream->name, name, strlen(name) + 1);
	stream->last = stream->unsafe = 0;
}

static enum stream_verdict judge(struct streams *streams, const struct mc_dedup_id *receipt)
	MC_REQUIRES(streams->lock)
{
	struct stream *stream = find(streams, receipt->name);
	bool same;

	if (stream == NULL)
		stream = add(streams, receipt->name);
	if (stream == NULL || stream->busy)
		return STREAM_BUSY;
	mc_lru_use(&streams->names, &stream->node);
	same = strcmp(stream->name, receipt->name) == 0;
	if (same && receipt->number <= stream->last) {
		streams->duplicates++;
		return STREAM_DUPLICATE;
	}
	stream->busy = true;
	return same && receipt->number <= stream->unsafe ? STREAM_RETRY : STREAM_TAKE;
}

void stream_know(struct streams *streams, const struct mc_dedup_id *receipt)
{
	struct stream *stream;

	pthread_mutex_lock(&streams->lock);
	stream = find(streams, receipt->name);
	if (stream == NULL)
		stream = add(streams, receipt->name);
	if (stream != NULL) {
		rename_stream(stream, receipt->name);
		stream->last = receipt->number;
	}
	pthread_mutex_unlock(&streams->lock);
}

enum stream_verdict stream_begin(struct streams *streams, const struct mc_dedup_id *receipt)
{
	enum stream_verdict verdict;

	pthread_mutex_lock(&streams->lock);
	verdict = judge(streams, receipt);
	pthread_mutex_unlock(&streams->lock);
	return verdict;
}

static struct stream_gap take(struct stream *stream, const struct mc_dedup_id *receipt,
			      uint64_t first)
{
	struct stream_gap gap = { 0 };

	rename_stream(stream, receipt->name);
	if (stream->last > 0 && first > stream->last + 1)
		gap = (struct stream_gap){ stream->last + 1, first - 1 };
	stream->last = receipt->number;
	return gap;
}

struct stream_gap stream_end(struct streams *streams, const struct mc_dedup_id *receipt,
			     uint64_t first, enum stream_outcome outcome)
{
	struct stream_gap gap = { 0 };
	struct stream *stream;

	pthread_mutex_lock(&streams->lock);
	stream = find(streams, receipt->name);
	if (stream != NULL) {
		stream->busy = false;
		if (outcome == STREAM_TAKEN)
			gap = take(stream, receipt, first);
		else if (outcome == STREAM_UNSAFE && strcmp(stream->name, receipt->name) == 0)
			stream->unsafe = receipt->number;
	}
	pthread_mutex_unlock(&streams->lock);
	return gap;
}
