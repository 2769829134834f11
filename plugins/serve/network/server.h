/* SPDX-License-Identifier: MIT */
/* One destination: its address, its socket, its key. */
#pragma once

#include <sys/socket.h>

#include <collector/kit/once.h>
#include <collector/plugin.h>

#include "count.h"
#include "crypt.h"
#include "formats/binary/binary.h"
#include "network.h"

#define SERVER_PACKETS 16 /* Sent at once. */

struct server {
	const struct network_server *options;
	struct count *count;
	int time_to_live;
	struct crypt_key *key;    /* NULL: nothing is signed or encrypted. */
	unsigned char *enveloped; /* Room for as many packets. */
	size_t packet_size;
	int fd; /* -1: no address yet. */
	struct sockaddr_storage address;
	mc_time look_at; /* When to look the name up (again). */
	struct mc_once look_once;
	mc_time refused; /* When nobody was there to take a packet; or 0. */
};

/* Return 0, or what mc_fail() returned; server_stop() is due in any case. */
int server_start(struct server *, struct mc_ctx *, const struct network_server *,
		 const struct network_options *, struct count *);
void server_stop(struct server *);

/* Bytes that it puts before each packet. */
size_t server_overhead(const struct server *);

/* Looks the name up if that is due, and logs a change.  Returns whether there is an address. */
bool server_ready(struct server *, struct mc_ctx *, mc_time now);

/* Sends packets, up to SERVER_PACKETS.  Returns how many value lists of them
 * did not go; errno then says why. */
unsigned server_send(struct server *, struct mc_ctx *, const struct mc_binary_packet *,
		     unsigned len);
