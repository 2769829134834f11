/* SPDX-License-Identifier: MIT */
/* A device's session with net-snmp: requests by it, and their answers.  The library keeps users
 * and clocks of engines for the whole process, without a lock: one thread for all sessions. */
#pragma once

#include <collector/plugin.h>

#include <net-snmp/net-snmp-config.h>

#include <net-snmp/net-snmp-includes.h>

#include "discovery.h"
#include "keys.h"
#include "options.h"

/* Makes the library this instance's, and silent.  False: another instance of the process has it.
 * Both are for start() and stop(), which are never called at the same time. */
bool session_library_claim(void);
void session_library_release(void);

/* Makes the library ready, without files of its own. */
void session_library_start(void);

/* Forgets users and their keys: the next instance may have others. */
void session_library_stop(void);

struct session {
	void *handle; /* NULL: it is closed. */
	int fd;
};

struct session_settings {
	const struct host_options *host;       /* Complete. */
	const struct discovery_engine *engine; /* Of version 3; else NULL. */
	struct keys *keys;
	int fd; /* Connected; the session's from now on. */
	bool stream;
	netsnmp_callback stray; /* Gets what answers no request. */
	void *stray_argument;
};

/* 0, or -errno: the descriptor is closed then. */
int session_open(struct session *, const struct session_settings *);
void session_close(struct session *);

/* Sends 'pdu', which is the library's from now on; 'answered' is called with
 * the answer, or when 'timeout' is over: by session_receive() and
 * session_expire(), and must not close the session.  False: it is not sent. */
bool session_send(struct session *, netsnmp_pdu *pdu, mc_time timeout, netsnmp_callback answered,
		  void *argument);

/* Takes what has come, some answers at most.  False: the stream has ended. */
bool session_receive(struct session *);

/* Whether the library could not read what came last.  Reports of an engine that
 * is not the session's are among that: they are of no user that it knows. */
bool session_misreads(const struct session *);

/* Ends requests whose time is over. */
void session_expire(struct session *);
