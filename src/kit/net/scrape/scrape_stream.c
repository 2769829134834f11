/* SPDX-License-Identifier: MIT */
/* Facts: unix(7); connect(2): with a full backlog a socket that must not block gets EAGAIN. */
#include "kit/net/scrape/scrape_stream.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define READ_SIZE 65536

static void end(struct scrape_stream *stream, int result)
{
	scrape_stream_stop(stream);
	stream->ended(stream->argument, result);
}

static void on_ready(void *argument, uint32_t events)
{
	struct scrape_stream *stream = argument;
	char bytes[READ_SIZE];
	ssize_t size = recv(stream->file.fd, bytes, sizeof(bytes), 0);

	(void)events;
	if (size < 0 && errno == EINTR)
		return;
	if (size <= 0)
		end(stream, size < 0 ? -errno : 0);
	else if ((size_t)size > stream->size_max - stream->body->size)
		end(stream, -EFBIG);
	else
		mc_buffer_add(stream->body, bytes, (size_t)size);
}

/* 0, or a negative errno. */
static int try(struct scrape_stream *stream)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(stream->path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, stream->path, strlen(stream->path) + 1);
	stream->file.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (stream->file.fd < 0)
		return -errno;
	if (connect(stream->file.fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return errno == EAGAIN ? -EBUSY : -errno;
	return mc_loop_watch(stream->loop, &stream->file, EPOLLIN);
}

void scrape_stream_start(struct scrape_stream *stream)
{
	int rc;

	stream->file = (struct mc_loop_file){ .fd = -1, .ready = on_ready, .argument = stream };
	rc = try(stream);
	if (rc < 0)
		end(stream, rc);
}

void scrape_stream_stop(struct scrape_stream *stream)
{
	if (stream->file.ready == NULL)
		return;
	mc_loop_forget(stream->loop, &stream->file);
	if (stream->file.fd >= 0)
		close(stream->file.fd);
	stream->file.ready = NULL;
}
