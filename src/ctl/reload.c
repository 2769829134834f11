/* SPDX-License-Identifier: MIT */
/* reload: has the configuration read anew, and says what became of it.  The
 * collector may replace the very socket that is asked, so every question has a
 * connection of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ctl/ctl.h"
#include "ctl/overview.h"

#define LOOK_EVERY 100000000 /* Nanoseconds. */
#define LOOKS 600            /* A minute: a stop takes five seconds. */

/* Asks without a complaint: while the socket is replaced nobody answers. */
static bool ask(const struct ctl *ctl, struct overview *overview)
{
	struct answer answer;
	struct peer peer;
	bool asked;

	if (peer_open(&peer, ctl->socket) < 0)
		return false;
	asked = peer_ask(&peer, "STATUS", &answer) == 0;
	peer_close(&peer);
	if (asked)
		overview_init(overview, &answer, 0);
	return asked;
}

static double number(const struct overview *overview, const char *key)
{
	const struct record *record = overview_next(overview, "reload", NULL);

	return record != NULL ? record_number(record, key) : 0;
}

/* What the collector says once it has read the configuration. */
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
	bool answered;

	if (status != CTL_OK)
		return status;
	answered = peer_ask(&peer, "RELOAD", &answer) == 0;
	peer_close(&peer);
	if (!answered)
		return CTL_OK;
	if (answer.status < 0)
		status = ctl_failed("%s", answer.message);
	peer_answer_done(&answer);
	return status;
}

int reload_run(const struct ctl *ctl, int argc, char **argv)
{
	struct timespec moment = { .tv_nsec = LOOK_EVERY };
	struct overview overview;
	struct answer answer;
	double count, refused;
	int status = ctl_ask(ctl, "STATUS", &answer);

	(void)argc;
	(void)argv;
	if (status != CTL_OK)
		return status;
	overview_init(&overview, &answer, 0);
	count = number(&overview, "count");
	refused = number(&overview, "refused");
	overview_done(&overview);
	status = tell(ctl);
	if (status != CTL_OK)
		return status;
	for (unsigned i = 0; i < LOOKS; i++) {
		bool asked = ask(ctl, &overview);

		if (asked && number(&overview, "count") > count) {
			status = say(&overview, refused);
			overview_done(&overview);
			return status;
		}
		if (asked)
			overview_done(&overview);
		nanosleep(&moment, NULL);
	}
	return ctl_failed("the collector does not say what became of it; see "
			  "its log");
}
