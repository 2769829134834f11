/* SPDX-License-Identifier: MIT */
#include "kit/series/interpreter/waiting.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

void waiting_init(struct waiting *waiting)
{
	pthread_mutex_init(&waiting->lock, NULL);
	pthread_mutex_lock(&waiting->lock);
	waiting->end = &waiting->first;
	pthread_mutex_unlock(&waiting->lock);
}

void waiting_done(struct waiting *waiting)
{
	struct waiting_request *request;

	while ((request = waiting_take(waiting)) != NULL)
		free(request);
	pthread_mutex_destroy(&waiting->lock);
}

void waiting_want(struct waiting *waiting, enum reply_kind kind, bool wanted)
{
	pthread_mutex_lock(&waiting->lock);
	waiting->wanted[kind] = wanted;
	pthread_mutex_unlock(&waiting->lock);
}

bool waiting_wants(struct waiting *waiting, enum reply_kind kind)
{
	bool wanted;

	pthread_mutex_lock(&waiting->lock);
	wanted = waiting->wanted[kind];
	pthread_mutex_unlock(&waiting->lock);
	return wanted;
}

void waiting_close(struct waiting *waiting)
{
	pthread_mutex_lock(&waiting->lock);
	waiting->closed = true;
	waiting->wanted[REPLY_FLUSH] = false; /* Nothing is left to flush. */
	pthread_mutex_unlock(&waiting->lock);
}

static struct waiting_request *make(enum reply_kind kind, const struct mc_json *json,
				    uint64_t samples)
{
	struct waiting_request *request;
	size_t size;
	const char *text = mc_json_bytes(json, &size);

	request = mc_alloc(sizeof(*request) + size);
	*request = (struct waiting_request){
		.kind = kind,
		.samples = samples,
		.size = size,
	};
	memcpy(request->text, text, size);
	return request;
}

bool waiting_add(struct waiting *waiting, enum reply_kind kind, const struct mc_json *json,
		 uint64_t samples)
{
	struct waiting_request *request = make(kind, json, samples);
	bool wanted, fits;

	pthread_mutex_lock(&waiting->lock);
	wanted = waiting->wanted[kind];
	fits = !waiting->closed &&
	       (waiting->first == NULL || waiting->size + request->size <= waiting->size_max);
	if (wanted && fits) {
		*waiting->end = request;
		waiting->end = &request->next;
		waiting->size += request->size;
	}
	waiting->refused += wanted && !fits;
	pthread_mutex_unlock(&waiting->lock);
	if (!wanted || !fits)
		free(request);
	return !wanted || fits;
}

uint64_t waiting_refused(struct waiting *waiting)
{
	uint64_t refused;

	pthread_mutex_lock(&waiting->lock);
	refused = waiting->refused;
	waiting->refused = 0;
	pthread_mutex_unlock(&waiting->lock);
	return refused;
}

struct waiting_request *waiting_take(struct waiting *waiting)
{
	struct waiting_request *request;

	pthread_mutex_lock(&waiting->lock);
	request = waiting->first;
	if (request != NULL) {
		waiting->first = request->next;
		waiting->size -= request->size;
		if (waiting->first == NULL)
			waiting->end = &waiting->first;
	}
	pthread_mutex_unlock(&waiting->lock);
	return request;
}
