/* SPDX-License-Identifier: MIT */
/* Sessions of TLS that clients resume when they connect again, by what RFC 8446 (4.6.1) and RFC
 * 5077 call a ticket: the client keeps the session, encrypted by a key of ours.  A resumed
 * handshake needs no signature of ours, and none of a client's.  One that we cannot decrypt, for
 * whatever reason, makes a full handshake.
 *
 * The key is in a file, so that a restart keeps it; GnuTLS derives another one from it every three
 * weeks.  Thread: any. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <gnutls/gnutls.h>

#include <collector/kit/lock.h>
#include <collector/plugin.h>

#define HTTP_SESSIONS_KEY_SIZE 64 /* As gnutls_session_ticket_key_generate() makes them. */
/* The most that TLS 1.3 allows, of a full handshake and all that resume its session. */
#define HTTP_SESSIONS_SECONDS (7 * 24 * 3600)
#define HTTP_SESSIONS_KEY_TIME (30 * 24 * 3600 * MC_SECOND) /* Then it is made anew. */

struct http_sessions {
	pthread_mutex_t lock;
	unsigned char key[HTTP_SESSIONS_KEY_SIZE] MC_GUARDED_BY(lock);
	mc_time made MC_GUARDED_BY(lock); /* 0: there is no key. */
	_Atomic uint64_t full, resumed;   /* Handshakes. */
};

void http_sessions_init(struct http_sessions *);
void http_sessions_done(struct http_sessions *) MC_NO_LOCK;

/* Has a key that is not too old: that of the file, if it is ours and nobody else can read it, or
 * else a new one, which is put there.  NULL: in no file.  0, or -errno: the file cannot be
 * written. */
int http_sessions_renew(struct http_sessions *, const char *path);

/* The session of a connection, before its handshake. */
void http_sessions_enter(struct http_sessions *, gnutls_session_t);

/* Counts a handshake that is done. */
void http_sessions_count(struct http_sessions *, gnutls_session_t);
