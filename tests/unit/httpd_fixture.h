/* SPDX-License-Identifier: MIT */
/* What a server of HTTP needs of the core, and a client of it over loopback. */
#pragma once

#include "unit.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <collector/kit/timed_call.h>
#include <collector/serve.h>

#include <zlib.h>

#define REPLY_SIZE 300000

/* --- What the core does -------------------------------------------------- */

static int stop_fd;

int mc_stop_fd(struct mc_ctx *ctx)
{
	(void)ctx;
	return stop_fd;
}

mc_time mc_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * MC_SECOND + now.tv_nsec;
}

mc_time mc_wall(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * MC_SECOND + now.tv_nsec;
}

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	(void)ctx, (void)level, (void)fmt;
}

int mc_timed_file(struct mc_ctx *ctx, const char *path)
{
	(void)ctx;
	(void)path;
	return 0;
}

int mc_fail(struct mc_ctx *ctx, int errnum, const char *fmt, ...)
{
	(void)ctx, (void)fmt;
	return errnum != 0 ? -errnum : -EINVAL;
}

/* Nothing is reported. */
struct mc_series *mc_series(struct mc_batch *batch, struct mc_id id)
{
	(void)batch, (void)id;
	return NULL;
}

void mc_derive(struct mc_batch *batch, struct mc_series *series, int64_t total)
{
	(void)batch, (void)series, (void)total;
}

/* --- An address ---------------------------------------------------------- */

/* A port that was free just now. */
static inline uint16_t find_port(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof(at);

	assert_int_equal(bind(fd, (struct sockaddr *)&at, size), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
	close(fd);
	return ntohs(at.sin_port);
}

/* --- A client ------------------------------------------------------------ */

static char reply[REPLY_SIZE]; /* The last. */

/* From that address of this host. */
static int come_from(uint32_t address, uint16_t port)
{
	struct sockaddr_in from = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(address) };
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				  .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&from, sizeof(from)), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

static inline int come(uint16_t port)
{
	return come_from(INADDR_LOOPBACK, port);
}

static void send_all(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size > 0) {
		ssize_t sent = send(fd, at, size, MSG_NOSIGNAL);

		if (sent < 0) /* The server has refused it by its head. */
			return;
		at += sent;
		size -= (size_t)sent;
	}
}

/* Reads until the server closes; returns the status. */
static inline unsigned read_reply(int fd)
{
	size_t size = 0;
	unsigned status = 0;
	ssize_t n;

	while ((n = recv(fd, reply + size, sizeof(reply) - 1 - size, 0)) > 0)
		size += (size_t)n;
	reply[size] = '\0';
	close(fd);
	sscanf(reply, "HTTP/1.1 %u", &status);
	return status;
}

/* Sends "METHOD PATH" with more headers, each with its end of line. */
static inline int ask_from(uint32_t address, uint16_t port, const char *what, const char *headers)
{
	char head[512];
	int fd = come_from(address, port);

	snprintf(head, sizeof(head),
		 "%s HTTP/1.1\r\nHost: here.example.org\r\n"
		 "Connection: close\r\n%s\r\n",
		 what, headers);
	send_all(fd, head, strlen(head));
	return fd;
}

static inline int ask(uint16_t port, const char *what, const char *headers)
{
	return ask_from(INADDR_LOOPBACK, port, what, headers);
}

static inline unsigned get(uint16_t port, const char *what, const char *headers)
{
	return read_reply(ask(port, what, headers));
}

static inline unsigned post(uint16_t port, const char *path, const char *headers, const void *body,
			    size_t size)
{
	char what[64], all[256];
	int fd;

	snprintf(what, sizeof(what), "POST %s", path);
	snprintf(all, sizeof(all), "%sContent-Length: %zu\r\n", headers, size);
	fd = ask(port, what, all);
	send_all(fd, body, size);
	return read_reply(fd);
}

static inline const char *body_of_reply(void)
{
	const char *end = strstr(reply, "\r\n\r\n");

	return end != NULL ? end + 4 : "";
}

static inline size_t pack(const void *bytes, size_t size, unsigned char *out, size_t room)
{
	z_stream stream = { .next_in = (unsigned char *)(uintptr_t)bytes,
			    .avail_in = (uInt)size,
			    .next_out = out,
			    .avail_out = (uInt)room };

	assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	deflateEnd(&stream);
	return stream.total_out;
}
