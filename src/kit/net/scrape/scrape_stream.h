/* SPDX-License-Identifier: MIT */
/* A unix socket that sends all it has to each client, and closes. */
#pragma once

#include <collector/kit/buffer.h>
#include <collector/kit/loop.h>

struct scrape_stream {
	const char *path; /* NULL: it is not used. */
	size_t size_max;
	struct mc_loop *loop;
	struct mc_buffer *body; /* For what it sends. */

	/* It has sent all: 0; more than size_max: -EFBIG; or another negative errno. */
	void (*ended)(void *argument, int result);
	void *argument;
	struct mc_loop_file file; /* scrape_stream.c's own. */
};

/* Connects, and reads until the end; ended() may be called at once. */
void scrape_stream_start(struct scrape_stream *);

/* ended() is not called; one that has ended is fine. */
void scrape_stream_stop(struct scrape_stream *);

static inline bool scrape_stream_runs(const struct scrape_stream *stream)
{
	return stream->file.ready != NULL;
}
