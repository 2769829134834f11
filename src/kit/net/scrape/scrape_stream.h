/* SPDX-License-Identifier: MIT */
/* A unix socket that sends all it has to each client, and closes. */
#pragma once

#include <stdint.h>

#include <collector/kit/buffer.h>

struct scrape_stream {
	const char *path; /* NULL: it is not used. */
	size_t size_max;
	int fd; /* -1: not connected. */
};

/* Connects, and adds the socket to an epoll descriptor under that number.
 * -EAGAIN: there is more to come; or another negative errno. */
int scrape_stream_start(struct scrape_stream *, int epoll, uint64_t number);

/* Reads what is there.  0: that was all; -EAGAIN: there is more to come;
 * -EFBIG: it has more than size_max bytes; or another negative errno. */
int scrape_stream_read(struct scrape_stream *, struct mc_buffer *);

void scrape_stream_stop(struct scrape_stream *);
