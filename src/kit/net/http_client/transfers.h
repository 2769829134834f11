/* SPDX-License-Identifier: MIT */
/* kit/net/http_client/transfers.h - libcurl's transfers in a loop (kit/loop.h), in
 * libkit_http_client:
 *
 *   rc = mc_transfers_init(transfers, loop, 8);
 *   mc_transfers_begin(transfers, &transfer, 30 * MC_SECOND);   calls transfer.ended()
 *   mc_transfers_done(transfers);                               before mc_loop_done()
 *
 * Time limits of transfers go by mc_now(), so that a test steps them; libcurl has a clock
 * of its own for what it does meanwhile.
 *
 * Thread: the one of the loop. */
#pragma once

#include <curl/curl.h>

#include <collector/kit/loop.h>

struct mc_transfer {
	CURL *curl; /* The caller's, with all options but those for errors,
		     * progress and private data. */
	void (*ended)(void *argument, CURLcode);
	void *argument;
	bool running; /* src/kit/net/http_client/transfers.c's own, as the next. */
	struct mc_transfers *transfers;
	struct mc_loop_timer timer;
	mc_time timeout;
	curl_socket_t socket; /* That it waits for. */
	CURLcode given_up;    /* Why; CURLE_OK: it is not. */
	CURLcode result;      /* After mc_transfers_wait_all(). */
	char error[CURL_ERROR_SIZE];
};

struct mc_transfers { /* All that share connections. */
	struct mc_loop *loop;
	CURLM *multi;
	struct mc_loop_timer timer; /* Of libcurl. */
	struct mc_transfer *giving_up;
	bool waits; /* mc_transfers_wait() does. */
	/* Set by the caller before it waits: whether somebody still wants the results; false ends
	 * them within a second, as the stop does.  NULL: they are. */
	bool (*is_wanted)(void *argument);
	void *wanted_argument;
	struct mc_loop_timer look; /* For the stop. */
	mc_time stopped;           /* When that was seen; 0: not yet. */
};

/* Up to 'connections_max' connections that have nothing to do are kept.  0, or what
 * mc_fail() returned.  mc_transfers_done() follows in any case, and is fine with zeros; it
 * stops nothing: no transfer may run. */
int mc_transfers_init(struct mc_transfers *, struct mc_loop *, size_t connections_max);
void mc_transfers_done(struct mc_transfers *);

/* Begins a transfer; ended() is called later, unless mc_transfers_stop() comes before it.  After
 * 'timeout' it ends with CURLE_OPERATION_TIMEDOUT; 0: never.  A mail must not be stopped: it would
 * be sent as far as it is. */
void mc_transfers_begin(struct mc_transfers *, struct mc_transfer *, mc_time timeout);
void mc_transfers_stop(struct mc_transfer *); /* One that does not run is fine. */

/* Runs a transfer, and the loop until that has ended, in a thread that may wait, such as a
 * writer's; CURLE_ABORTED_BY_CALLBACK two seconds after the instance must stop, or when
 * it is not wanted any more.  The loop has no other purpose. */
CURLcode mc_transfers_wait(struct mc_transfers *, struct mc_transfer *, mc_time timeout);

/* The same for several at once, until all have ended; each has its 'result'. */
void mc_transfers_wait_all(struct mc_transfers *, struct mc_transfer *const *list, size_t len,
			   mc_time timeout);

/* Writes why a transfer has failed: libcurl's words, and the system's if it knows more.  Durations
 * are left out: with another one each time, the same failure would be logged each time. */
void mc_transfers_why(const struct mc_transfer *, CURLcode, char *out, size_t size);
