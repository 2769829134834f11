/* SPDX-License-Identifier: MIT */
/* A socket that sends echo requests of one family, to any host, and gets their replies: a datagram
 * socket, which needs no rights where net.ipv4.ping_group_range allows it (icmp(7)); else a raw
 * one, which needs CAP_NET_RAW.  One thread. */
#pragma once

#include <stddef.h>
#include <sys/socket.h>

#include <collector/plugin.h>

#include "echo.h"

struct socket_options {
	const struct sockaddr_storage *source; /* NULL: any. */
	const char *device;                    /* NULL: any. */
	int ttl;
	size_t data_size;
};

struct socket {
	int fd; /* -1: none. */
	struct echo_how how;
	struct echo echo;      /* The common part of its requests. */
	unsigned char *packet; /* Room for one, as it comes. */
	size_t room;
};

struct socket_reply {
	uint16_t sequence;
	struct sockaddr_storage sender;
	mc_time waited; /* In the kernel, until now. */
};

/* Whether this process may send; without side effects.  0 or a negative errno. */
int socket_may_open(int family);

/* 0, or a negative errno: 'fd' is then -1. */
int socket_open(struct socket *, int family, const struct socket_options *);
void socket_close(struct socket *);

/* 0 or a negative errno. */
int socket_send(struct socket *, const struct sockaddr_storage *to, uint16_t sequence);

/* The next reply to a request of this socket; false when all are taken.  Other packets are
 * skipped. */
bool socket_receive(struct socket *, struct socket_reply *);
