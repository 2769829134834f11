/* SPDX-License-Identifier: MIT */
#include "stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "answer.h"
#include "api.h"
#include "live.h"
#include "web.h"

static bool read_globs(struct mc_httpd_request *request, struct live_globs *globs)
{
	const char *glob;
	size_t size = 0;

	while ((glob = mc_httpd_query_at(request, "match", globs->len)) != NULL) {
		size += strlen(glob);
		if (globs->len == LIVE_GLOBS_MAX || size > LIVE_GLOBS_SIZE) {
			answer_refuse(request, 400, "'match' is too much");
			return false;
		}
		globs->items[globs->len++] = glob;
	}
	if (globs->len == 0)
		answer_refuse(request, 400, "'match' is lacking: a glob of names");
	return globs->len > 0;
}

void stream_answer(struct mc_httpd_request *request)
{
	struct live_globs globs = { .len = 0 };
	uint64_t channel, *state;

	if (!read_globs(request, &globs))
		return;
	channel = live_enter(web_live(request), &globs);
	if (channel == 0) {
		answer_refuse(request, 429, "too many different streams");
		return;
	}
	state = mc_alloc(sizeof(*state));
	*state = channel;
	mc_httpd_set_state(request, state);
	answer_headers(request, "no-store");
	mc_httpd_add_header(request, "X-Accel-Buffering", "no"); /* nginx */
	mc_httpd_follow(request, channel);
}

void stream_done(struct mc_httpd_request *request)
{
	uint64_t *channel = mc_httpd_state(request);

	if (channel != NULL)
		live_leave(web_live(request), *channel);
	free(channel);
}

void stream_notifications(struct mc_httpd_request *request)
{
	struct mc_buffer out = { 0 };
	int64_t after, limit;
	uint64_t newest;
	char end[64];

	if (!api_number(request, "after", (struct api_bounds){ 0, INT64_MAX, 0 }, &after) ||
	    !api_number(request, "limit",
			(struct api_bounds){ 0, NOTIFICATIONS_LEN, NOTIFICATIONS_LEN }, &limit))
		return;
	mc_buffer_add(&out, "{\"v\":1,\"notifications\":[", strlen("{\"v\":1,\"notifications\":["));
	newest = notifications_print(web_notifications(request), (uint64_t)after, (uint64_t)limit,
				     &out);
	snprintf(end, sizeof(end), "],\"newest\":%" PRIu64 "}", newest);
	mc_buffer_add(&out, end, strlen(end));
	answer_bytes(request, "application/json", out.at, out.size);
	mc_buffer_free(&out);
}
