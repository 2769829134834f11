/* SPDX-License-Identifier: MIT */
/* reload: has the configuration read anew, and says what became of it.  The collector may replace
 * the very socket that is asked, so every question has a connection of its own. */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "ctl/answer/overview.h"
#include "ctl/ctl.h"

#define LOOK_EVERY 100000000 /* Nanoseconds. */
#define LOOKS 600            /* A minute: a stop takes five seconds. */
#define LOOKS_GONE 100       /* Without a socket: a new one is there before that. */

/* Asks without a complaint: while the socket is replaced no answer comes. 0 or -errno. */
static int ask(const struct ctl *ctl, struct overview *overview)
{
	struct answer answer;
	struct peer peer;
	int status = peer_open(&peer, ctl->socket, ctl->timeout);

	if (status < 0)
		return status;
	status = peer_ask(&peer, "STATUS", &answer);
	peer_close(&peer);
	if (status == 0)
		overview_init(overview, &answer, 0);
	return status;
}

static double number(const struct overview *overview, const char *key)
{
	const struct record *record = overview_next(overview, "reload", NULL);

	return record != NULL ? record_number(record, key) : 0;
}

/* The collector's answer after it has read the configuration. */
static int say(const struct overview *overview, double refused)
{
	const struct record *record = overview_next(overview, "reload", NULL);
	const char *failure = record_text(record, "failure");

	if (record_number(record, "refused") > refused)
		return ctl_failed("refused, the configuration before is still "
				  "in effect:\n%s",
				  failure);
	if (failure[0] != '\0')
		return ctl_failed("reloaded, but %s", failure);
	puts("reloaded");
	return CTL_OK;
}

/* An answer that does not come went with a socket that was replaced at once. */
static int tell(const struct ctl *ctl)
{
	struct answer answer;
	struct peer peer;
	int status = ctl_connect(ctl, &peer);
	int asked;

	if (status != CTL_OK)
		return status;
	asked = peer_ask(&peer, "RELOAD", &answer);
	if (asked == -ETIMEDOUT || asked == -EPROTO || asked == -EMSGSIZE)
		status = ctl_lost(ctl, &peer, asked);
	peer_close(&peer);
	if (asked < 0)
		return status;
	if (answer.status < 0)
		status = ctl_failed("%s", answer.message);
	peer_answer_done(&answer);
	return status;
}

/* How often it was reloaded and refused before. */
struct before {
	double count, refused;
};

static int look_before(const struct ctl *ctl, struct before *before)
{
	struct overview overview;
	struct answer answer;
	int status = ctl_ask(ctl, "STATUS", &answer);

	if (status != CTL_OK)
		return status;
	overview_init(&overview, &answer, 0);
	before->count = number(&overview, "count");
	before->refused = number(&overview, "refused");
	overview_done(&overview);
	return CTL_OK;
}

/* Whether it is known what became of it; 'status' is set if so. */
static bool look_after(const struct overview *overview, const struct before *before, int *status)
{
	if (number(overview, "count") <= before->count)
		return false;
	*status = say(overview, before->refused);
	return true;
}

static int tell_gone(const struct ctl *ctl)
{
	ctl_failed("the collector is no longer at '%s': its new configuration "
		   "has no plugin unixsock, or another SocketFile, or it has "
		   "ended; see its log",
		   ctl->socket);
	return CTL_UNAVAILABLE;
}

int reload_run(const struct ctl *ctl, int argc, char **argv)
{
	struct timespec moment = { .tv_nsec = LOOK_EVERY };
	struct overview overview;
	struct before before;
	unsigned gone = 0; /* Looks that found no socket, one after the other. */
	int status = look_before(ctl, &before);

	(void)argc;
	(void)argv;
	if (status == CTL_OK)
		status = tell(ctl);
	if (status != CTL_OK)
		return status;
	for (unsigned i = 0; i < LOOKS && gone < LOOKS_GONE; i++) {
		bool known = false;
		int asked = ask(ctl, &overview);

		if (asked == 0) {
			known = look_after(&overview, &before, &status);
			overview_done(&overview);
		}
		if (known)
			return status;
		gone = asked == -ENOENT || asked == -ECONNREFUSED ? gone + 1 : 0;
		nanosleep(&moment, NULL);
	}
	if (gone > 0)
		return tell_gone(ctl);
	return ctl_failed("the collector does not say what became of it; see "
			  "its log");
}
