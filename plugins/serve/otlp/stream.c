/* SPDX-License-Identifier: MIT */
#include "stream.h"

#include <stdlib.h>
#include <string.h>

struct stream {
	struct stream *next;
	char name[MC_RECEIPT_MAX + 1];
	size_t sender_size; /* Of the name, up to the epoch. */
	uint64_t last;      /* Taken; 0: none yet. */
	bool busy;
	mc_time heard;
};

void stream_init(struct streams *streams, size_t len_max)
{
	*streams = (struct streams){ .len_max = len_max };
	pthread_mutex_init(&streams->lock, NULL);
}

void stream_done(struct streams *streams)
{
	struct stream *next;

	for (struct stream *s = streams->first; s != NULL; s = next) {
		next = s->next;
		free(s);
	}
	pthread_mutex_destroy(&streams->lock);
}

/* Needs the lock.  The stream of the same sender, moved to the front: those
 * that are heard often are found soon. */
static struct stream *find(struct streams *streams, const char *name,
			   size_t sender_size)
{
	for (struct stream **at = &streams->first; *at != NULL;
	     at = &(*at)->next) {
		struct stream *stream = *at;

		if (stream->sender_size != sender_size ||
		    memcmp(stream->name, name, sender_size) != 0)
			continue;
		*at = stream->next;
		stream->next = streams->first;
		streams->first = stream;
		return stream;
	}
	return NULL;
}

/* Needs the lock. */
static void forget_oldest(struct streams *streams)
{
	struct stream **oldest = NULL, *stream;

	for (struct stream **at = &streams->first; *at != NULL;
	     at = &(*at)->next)
		if (!(*at)->busy &&
		    (oldest == NULL || (*at)->heard < (*oldest)->heard))
			oldest = at;
	if (oldest == NULL)
		return;
	stream = *oldest;
	*oldest = stream->next;
	free(stream);
	streams->len--;
}

/* Needs the lock.  NULL: no room. */
static struct stream *add(struct streams *streams)
{
	struct stream *stream;

	if (streams->len >= streams->len_max)
		forget_oldest(streams);
	stream = streams->len < streams->len_max ? calloc(1, sizeof(*stream))
						 : NULL;
	if (stream == NULL)
		return NULL;
	stream->next = streams->first;
	streams->first = stream;
	streams->len++;
	return stream;
}

static void rename_stream(struct stream *stream, const char *name,
			  size_t sender_size)
{
	if (strcmp(stream->name, name) == 0)
		return;
	memcpy(stream->name, name, strlen(name) + 1);
	stream->sender_size = sender_size;
	stream->last = 0;
}

/* Needs the lock. */
static enum stream_verdict judge(struct streams *streams, const char *name,
				 size_t sender_size, uint64_t number)
{
	struct stream *stream = find(streams, name, sender_size);

	if (stream == NULL)
		stream = add(streams);
	if (stream == NULL || stream->busy)
		return STREAM_BUSY;
	rename_stream(stream, name, sender_size);
	stream->heard = mc_now();
	if (number <= stream->last) {
		streams->duplicates++;
		return STREAM_DUPLICATE;
	}
	stream->busy = true;
	return STREAM_TAKE;
}

static size_t sender_size_of(const char *name)
{
	return strcspn(name, "/");
}

void stream_know(struct streams *streams, const struct mc_receipt *receipt)
{
	struct stream *stream;

	pthread_mutex_lock(&streams->lock);
	stream = add(streams);
	if (stream != NULL) {
		rename_stream(stream, receipt->name,
			      sender_size_of(receipt->name));
		stream->last = receipt->number;
		stream->heard = mc_now();
	}
	pthread_mutex_unlock(&streams->lock);
}

/* strtoull() would take signs and blanks. */
static bool take_number(const char **at, uint64_t *number)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*number = strtoull(*at, &end, 10);
	*at = end;
	return *number > 0 && *number < UINT64_MAX;
}

bool stream_parse(const char *name, const char *numbers,
		  struct mc_receipt *receipt, uint64_t *first)
{
	if (strlen(name) > MC_RECEIPT_MAX || name[0] == '/' ||
	    strchr(name, '/') == NULL)
		return false;
	memcpy(receipt->name, name, strlen(name) + 1);
	if (!take_number(&numbers, first))
		return false;
	receipt->number = *first;
	if (*numbers == '-') {
		numbers++;
		if (!take_number(&numbers, &receipt->number))
			return false;
	}
	return *numbers == '\0' && *first <= receipt->number;
}

enum stream_verdict stream_begin(struct streams *streams,
				 const struct mc_receipt *receipt)
{
	enum stream_verdict verdict;

	pthread_mutex_lock(&streams->lock);
	verdict = judge(streams, receipt->name, sender_size_of(receipt->name),
			receipt->number);
	pthread_mutex_unlock(&streams->lock);
	return verdict;
}

void stream_end(struct streams *streams, const struct mc_receipt *receipt,
		uint64_t first, bool taken)
{
	struct stream *stream;

	pthread_mutex_lock(&streams->lock);
	stream = find(streams, receipt->name, sender_size_of(receipt->name));
	if (stream != NULL) {
		stream->busy = false;
		if (taken && stream->last > 0 && first > stream->last)
			streams->missing += first - stream->last - 1;
		if (taken)
			stream->last = receipt->number;
	}
	pthread_mutex_unlock(&streams->lock);
}
