/* SPDX-License-Identifier: MIT */
/* How every command asks and complains. */
#include "ctl/ctl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <collector/plaintext.h>

static void complain(const char *fmt, va_list arguments)
{
	fflush(stdout);
	fputs("collectorctl: ", stderr);
	vfprintf(stderr, fmt, arguments);
	fputc('\n', stderr);
}

int ctl_failed(const char *fmt, ...)
{
	va_list arguments;

	va_start(arguments, fmt);
	complain(fmt, arguments);
	va_end(arguments);
	return CTL_FAILED;
}

int ctl_usage(const char *fmt, ...)
{
	va_list arguments;

	va_start(arguments, fmt);
	complain(fmt, arguments);
	va_end(arguments);
	fputs("Try 'collectorctl --help'.\n", stderr);
	return CTL_USAGE;
}

static const char *hint(int error)
{
	switch (error) {
	case ENOENT:
		return "is the collector running, with 'LoadPlugin unixsock'? "
		       "Its SocketFile can be given with -s or in "
		       "COLLECTOR_SOCKET";
	case ECONNREFUSED:
		return "the collector that made this socket has ended";
	case EACCES:
		return "you must be in the group of the socket (SocketGroup), "
		       "or root";
	default:
		return "is this the SocketFile of a running collector?";
	}
}

int ctl_connect(const struct ctl *ctl, struct peer *peer)
{
	int status = peer_open(peer, ctl->socket);

	if (status == 0)
		return CTL_OK;
	ctl_failed("cannot connect to '%s': %s\n  hint: %s", ctl->socket,
		   strerror(-status), hint(-status));
	return CTL_UNAVAILABLE;
}

int ctl_ask_on(const struct ctl *ctl, struct peer *peer, const char *line,
	       struct answer *answer)
{
	int status = peer_ask(peer, line, answer);

	if (status == -EPROTO) {
		ctl_failed("'%s' does not speak the collector's protocol",
			   ctl->socket);
		return CTL_UNAVAILABLE;
	}
	if (status < 0) {
		ctl_failed("lost the connection to '%s': %s", ctl->socket,
			   strerror(-status));
		return CTL_UNAVAILABLE;
	}
	if (answer->status >= 0)
		return CTL_OK;
	ctl_failed("%s", answer->message);
	peer_answer_done(answer);
	return CTL_FAILED;
}

int ctl_ask(const struct ctl *ctl, const char *line, struct answer *answer)
{
	struct peer peer;
	int status = ctl_connect(ctl, &peer);

	if (status != CTL_OK)
		return status;
	status = ctl_ask_on(ctl, &peer, line, answer);
	peer_close(&peer);
	return status;
}

bool ctl_line(char *out, size_t size, const char *verb, const char *word)
{
	size_t used = (size_t)snprintf(out, size, "%s ", verb);

	if (word == NULL) {
		out[used - 1] = '\0';
		return true;
	}
	if (mc_plain_quote(out + used, size - used, word) > 0)
		return true;
	ctl_failed("'%.40s…' is too long", word);
	return false;
}
