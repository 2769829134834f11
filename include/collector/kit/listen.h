/* SPDX-License-Identifier: MIT */
/* collector/kit/listen.h - sockets that others come to, and taking them in, in libkit.
 *
 * All descriptors are non-blocking and closed on exec.  mc_check_listen() and mc_check_socket() of
 * collector/check.h say before the start whether another program or instance listens there.
 */
#pragma once

#include <stdbool.h>

#include <collector/kit/address.h>
#include <collector/plugin.h>

/* --- Addresses ----------------------------------------------------------- */

struct mc_listen {
	int type;              /* SOCK_STREAM or SOCK_DGRAM. */
	const char *interface; /* NULL: any. */
	bool both_families;    /* "::" takes what comes by IPv4, too; else "::"
				* and "0.0.0.0" are two sockets. */
	bool shared;           /* Others of this process listen there, too: the kernel
				* divides the senders among them. */
	bool no_groups;        /* mc_listen_host() leaves out those of multicast. */
};

struct mc_listen_sockets {
	struct mc_listen_socket {
		int fd;
		struct sockaddr_storage address;
	} items[MC_ADDRESSES_MAX];
	unsigned len;
};

/* Listens at each address of 'host'; where IPv6 is not known "::" is "0.0.0.0".  Logs where it
 * cannot.  An address that this machine does not have is left out, if it has another; one that is
 * in use or forbidden is an error, and none is listened at.  Returns 0 if there is one, or none is
 * wanted; else what mc_fail() returned.  For start(); the caller closes them. */
int mc_listen_host(struct mc_ctx *, const char *host, const char *port, const struct mc_listen *,
		   struct mc_listen_sockets *);

/* --- Unix sockets -------------------------------------------------------- */

struct mc_listen_file {
	const char *path;
	const char *group;  /* Of the file, if we are root; NULL: "collectd", if
			     * there is such a group. */
	const char *perms;  /* Of the file, in octal, such as "0770". */
	bool delete_socket; /* Takes the place of a program that listens there;
			     * a socket that nobody listens at is replaced in
			     * any case, a file of another kind never. */
};

/* Whether 'text' is right for 'perms'. */
bool mc_listen_takes_perms(const char *text);

/* A stream socket that listens at that path.  Nobody can connect before its
 * permissions are set.  Returns the descriptor, or what mc_fail() returned. */
int mc_listen_file(struct mc_ctx *, const struct mc_listen_file *);

/* Closes it and removes its file, unless that is another's by now. */
void mc_listen_file_close(int fd, const char *path);

/* --- Accepting ----------------------------------------------------------- */

struct mc_accept { /* State of one listener.  Thread: one. */
	int listener;
	bool asks; /* Its clients do: see mc_descriptors_left(). */

	/* src/kit/net/listen.c's own; 0. */
	bool paused;
	int starved;        /* The errno of that, logged; 0: not yet. */
	mc_time starved_at; /* The last time; monotonic. */
};

/* --- Clients --------------------------------------------------------------- */

struct admission_address;

struct mc_admitted {                       /* A client of a server. */
	struct mc_admitted *older, *newer; /* src/kit/net/admission/admission.c's own. */
	struct admission_address *from;    /* NULL: it has no address. */
	_Atomic mc_time active;            /* When it was active last. */
	mc_time place;                     /* The same, when it got its place in the list. */
	bool tls;                          /* It began with a handshake. */
	bool known, out;                   /* It has brought something; it makes way. */
};
