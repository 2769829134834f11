/* SPDX-License-Identifier: MIT */
/* Without GnuTLS no plugin has TLS, either: cases with TLS are skipped. */
#include "secrets.h"

#include <errno.h>

bool secrets_possible(void)
{
	return false;
}

struct secrets *secrets_new(const char *folder)
{
	(void)folder;
	return NULL;
}

void secrets_free(struct secrets *secrets)
{
	(void)secrets;
}

struct secret_stream *secret_stream_new(const struct secrets *secrets, int fd, bool server)
{
	(void)secrets, (void)fd, (void)server;
	return NULL;
}

void secret_stream_free(struct secret_stream *stream)
{
	(void)stream;
}

ssize_t secret_stream_send(struct secret_stream *stream, const void *bytes, size_t size)
{
	(void)stream, (void)bytes, (void)size;
	errno = EPROTO;
	return -1;
}

ssize_t secret_stream_receive(struct secret_stream *stream, void *bytes, size_t size)
{
	(void)stream, (void)bytes, (void)size;
	errno = EPROTO;
	return -1;
}

const char *secret_stream_why(const struct secret_stream *stream)
{
	(void)stream;
	return "has no TLS";
}

short secret_stream_events(const struct secret_stream *stream)
{
	(void)stream;
	return 0;
}

void secret_stream_bye(struct secret_stream *stream)
{
	(void)stream;
}
