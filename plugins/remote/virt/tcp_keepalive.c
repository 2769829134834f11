/* SPDX-License-Identifier: MIT */
/* keep: libvirt looks after a connection once it is open.  Before that, it has sent a question and
 * waits for the answer; if the other host has taken the question and is then switched off, nothing
 * is under way that could be found to be lost, and the wait has no end.  tcp(7) can ask; as libvirt
 * does not let its sockets be had, they are found in /proc/self/fd (proc(5)).
 *
 * Transports and ports are those of libvirt.org/uri.html. */
#include "tcp_keepalive.h"

#include <dirent.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <libxml/uri.h>

#include <collector/kit/number.h>

#define PORT_TCP 16509
#define PORT_TLS 16514

/* Seconds of silence before the first question, and between two; how many of
 * them without an answer. */
#define IDLE 30
#define INTERVAL 10
#define COUNT 3

static unsigned default_port(const char *scheme)
{
	const char *transport = strchr(scheme, '+');

	if (transport == NULL || strcmp(transport, "+tls") == 0)
		return PORT_TLS;
	return strcmp(transport, "+tcp") == 0 ? PORT_TCP : 0;
}

unsigned tcp_keepalive_port(const char *uri)
{
	xmlURIPtr parts = uri != NULL ? xmlParseURI(uri) : NULL;
	unsigned port = 0;

	if (parts == NULL)
		return 0;
	if (parts->scheme != NULL && parts->server != NULL && parts->server[0] != '\0')
		port = default_port(parts->scheme);
	if (port != 0 && parts->port > 0)
		port = (unsigned)parts->port;
	xmlFreeURI(parts);
	return port;
}

static unsigned port_of(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} peer;
	socklen_t size = sizeof(peer);

	if (getpeername(fd, &peer.any, &size) < 0)
		return 0;
	if (peer.any.sa_family == AF_INET)
		return ntohs(peer.in.sin_port);
	return peer.any.sa_family == AF_INET6 ? ntohs(peer.in6.sin6_port) : 0;
}

static void ask(int fd)
{
	const int on = 1, idle = IDLE, interval = INTERVAL, count = COUNT;

	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
}

static bool is_asked(int fd)
{
	int on = 0;
	socklen_t size = sizeof(on);

	return getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, &size) == 0 && on != 0;
}

void tcp_keepalive_asking(const char *uri)
{
	unsigned port = tcp_keepalive_port(uri);
	DIR *open = port != 0 ? opendir("/proc/self/fd") : NULL;
	struct dirent *entry;

	if (open == NULL)
		return;
	while ((entry = readdir(open)) != NULL) {
		uint64_t fd;

		if (mc_number_unsigned(entry->d_name, 10, INT_MAX, &fd) &&
		    port_of((int)fd) == port && !is_asked((int)fd))
			ask((int)fd);
	}
	closedir(open);
}
