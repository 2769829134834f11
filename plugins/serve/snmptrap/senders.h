/* SPDX-License-Identifier: MIT */
/* Senders: their names and limits: a flood of one does not have traps of others refused.
 * Thread: one. */
#pragma once

#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include <collector/kit/map.h>
#include <collector/plugin.h>

#define SENDERS_SLOTS 4096 /* Addresses that share one share its allowance. */
#define SENDERS_BURST 10   /* Seconds of the limit that may come at once. */

#define SENDERS_TEXT_SIZE NI_MAXHOST

struct senders {
	struct mc_map names; /* struct senders_named */
	double limit;        /* Messages a second. */
	uint64_t seed;
	struct senders_slot {
		mc_time since; /* When 'sent' was worked out; 0: never. */
		double sent;   /* Messages, fewer by the limit each second. */
	} * slots;
};

void senders_init(struct senders *, double limit);
void senders_done(struct senders *);

struct senders_address {
	struct in6_addr address;     /* One of IPv4 is mapped. */
	char interface[IF_NAMESIZE]; /* Of a link-local one; else "". */
};

/* Reads "192.0.2.1", "2001:db8::1" or "fe80::1%eth0".  The interface need not be there: it is
 * known by its name, whatever its index is when something comes.  False if it is invalid. */
bool senders_read_address(const char *text, struct senders_address *);

/* Gives the sender with this address a name, which is not copied.  False: it
 * has one already, and keeps that. */
bool senders_add_name(struct senders *, const struct senders_address *, const char *name);

/* The sender's name, or its address, for which there is 'text': that of IPv4
 * also if it came to a socket of IPv6. */
const char *senders_name(const struct senders *, const struct sockaddr_storage *,
			 char text[SENDERS_TEXT_SIZE]);

/* Whether it may send one more, which then counts; 'now' is monotonic. */
bool senders_may_send(struct senders *, const struct sockaddr_storage *, mc_time now);
