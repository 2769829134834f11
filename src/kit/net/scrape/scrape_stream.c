/* SPDX-License-Identifier: MIT */
/* Facts: unix(7); connect(2): with a full backlog a socket that must not block
 * gets EAGAIN. */
#include "kit/net/scrape/scrape_stream.h"

#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define READ_SIZE 65536

int scrape_stream_start(struct scrape_stream *stream, int epoll, uint64_t number)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = number };

	if (strlen(stream->path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, stream->path, strlen(stream->path) + 1);
	stream->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (stream->fd < 0)
		return -errno;
	if (connect(stream->fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return errno == EAGAIN ? -EBUSY : -errno;
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, stream->fd, &event) < 0)
		return -errno;
	return -EAGAIN;
}

int scrape_stream_read(struct scrape_stream *stream, struct mc_buffer *body)
{
	char bytes[READ_SIZE];
	ssize_t size = recv(stream->fd, bytes, sizeof(bytes), 0);

	if (size < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	if ((size_t)size > stream->size_max - body->size)
		return -EFBIG;
	mc_buffer_add(body, bytes, (size_t)size);
	return size > 0 ? -EAGAIN : 0;
}

void scrape_stream_stop(struct scrape_stream *stream)
{
	if (stream->fd >= 0)
		close(stream->fd);
	stream->fd = -1;
}
