/* SPDX-License-Identifier: MIT */
#include "kit/net/http_server/http_body.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define ROOM_FIRST 4096

bool http_body_count(struct http_body *body, size_t size_max, size_t size, bool *within)
{
	*within = body->lost == 0 && size <= size_max - body->size;
	if (*within) {
		body->size += size;
		return true;
	}
	body->lost += size;
	return body->lost < size_max;
}

static bool make_room(struct http_body *body, const struct http_body_limits *limits, size_t more)
{
	size_t room = body->room > 0 ? body->room : ROOM_FIRST;

	while (room < body->size + more)
		room *= 2;
	if (room == body->room)
		return true;
	if (!http_clients_take(limits->clients, limits->client, room - body->room)) {
		body->busy = true;
		return false;
	}
	body->bytes = mc_alloc_resize(body->bytes, room, 1);
	atomic_fetch_add(limits->memory->pool, room - body->room);
	body->room = room;
	return true;
}

bool http_body_add(struct http_body *body, const struct http_body_limits *limits, const void *bytes,
		   size_t size)
{
	size_t before = body->size;
	bool within;

	if (body->lost == 0 && size <= limits->size_max - before &&
	    !make_room(body, limits, size)) {
		body->lost += size;
		return body->lost < limits->size_max;
	}
	if (!http_body_count(body, limits->size_max, size, &within))
		return false;
	if (within)
		memcpy(body->bytes + before, bytes, size);
	return true;
}

void http_body_free(struct http_body *body, const struct http_body_limits *limits)
{
	mc_inflate_free(limits->memory, &body->inflated);
	http_clients_give(limits->client, body->room);
	atomic_fetch_sub(limits->memory->pool, body->room);
	free(body->bytes);
	body->bytes = NULL;
	body->room = 0;
}
