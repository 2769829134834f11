/* SPDX-License-Identifier: MIT */
/* kit/net/dialogue.h - servers that are asked the same each interval, and answer with text, in
 * libkit.
 *
 * A plugin has a target for each server, and its run() is:
 *
 *   return dialogue_run(ctx, targets, len);
 *
 * One thread has all conversations at the same time.  A server that is away, slow, or says what
 * is no answer fails alone: it is asked again at the next interval.  Why is logged once, until
 * there is another reason or it works again.  Connections stay open between questions.
 *
 * Thread: that of dialogue_run(), as all callbacks. */
#pragma once

#include <collector/plugin.h>
#include <collector/quota.h>

struct dialogue;
struct mc_stream;

struct dialogue_kind { /* A protocol.  Callbacks may be NULL, but for ask(), and line() or take().
			*/
	/* The connection is new: asks what comes before all else, such as a password. */
	void (*opened)(struct dialogue *);

	/* Each interval: asks, by dialogue_ask(). */
	void (*ask)(struct dialogue *);

	/* A line of an answer, without its end. */
	void (*line)(struct dialogue *, char *line, size_t size);

	/* Instead of it: takes what is complete of what has come, and returns its size. */
	size_t (*take)(struct dialogue *, char *bytes, size_t size);

	/* Of a protocol whose answer ends with the connection: all of it, with a '\0' after it. */
	void (*ended)(struct dialogue *, char *text, size_t size);

	/* Nothing is answered in this interval, which is logged. */
	void (*failed)(struct dialogue *);

	bool unasked; /* The server may also speak between questions: take() has that, too. */
	bool once;    /* A connection is for one question, and closed after its answer. */

	/* Bytes of all answers of an interval, and of what is incomplete: of lines, which are
	 * DIALOGUE_SIZE_MAX at most, and of what take() takes. */
	size_t answer_max;
};

/* The answers of an interval may have as many bytes, where a protocol has no reason for another
 * limit; nothing that is incomplete may have more. */
#define DIALOGUE_SIZE_MAX ((size_t)1 << 20)

struct dialogue_target {
	const struct dialogue_kind *kind;
	const char *host, *port; /* Port NULL: the host is the path of a unix socket. */
	mc_time timeout;         /* Of the connection and all answers; 0: the interval. */
	const struct mc_quota_limits *limits;
	void *argument;
};

/* The options for them: MaxSeries and MaxNewSeries of a struct mc_quota_limits 'field'. */
#define DIALOGUE_QUOTA_OPTIONS(self, field)                                                        \
	MC_QUOTA_SOURCE_OPTIONS(self, field, "server", "10000", "1000")

/* For check(): the name or address of a server and its port, and the path of its unix socket,
 * which is asked if it is not NULL. */
void dialogue_check(struct mc_ctx *, const char *const *host, const char *const *port,
		    const char *const *socket);

/* Asks until the plugin must stop; returns what run() is to. */
int dialogue_run(struct mc_ctx *, const struct dialogue_target *targets, size_t len);

/* The same for servers that come and go: look() is called each interval, and begins and ends
 * dialogues.  Those that it has not ended end with the plugin. */
struct dialogues;
int dialogue_run_changing(struct mc_ctx *, void (*look)(struct dialogues *, void *argument),
			  void *argument);

/* Of look(): the target lives until the dialogue has ended. */
struct dialogue *dialogue_begin(struct dialogues *, const struct dialogue_target *);
void dialogue_end(struct dialogue *);

/* --- In callbacks ---------------------------------------------------------- */

void *dialogue_argument(const struct dialogue *);
struct mc_ctx *dialogue_ctx(const struct dialogue *);

/* "server:6379", for the log. */
const char *dialogue_name(const struct dialogue *);

/* Sends this after the callback. */
void dialogue_ask(struct dialogue *, const char *text, size_t size);

/* For mc_tls_stream_begin(): TLS in mid-conversation.  Questions that follow go by TLS. */
struct mc_stream *dialogue_stream(struct dialogue *);

/* For values of the answers: committed by dialogue_answered(), discarded when the dialogue fails.
 */
struct mc_batch *dialogue_batch(struct dialogue *);

/* Calls ask() again in this interval, by a new connection: the last that take() does, of a kind
 * with 'once'. */
void dialogue_ask_more(struct dialogue *);

/* All that was asked in this interval is answered. */
void dialogue_answered(struct dialogue *);

/* No answer has come: logs why, and begins anew with the next interval. */
void dialogue_fail(struct dialogue *, const char *fmt, ...) MC_PRINTF(2, 3);
