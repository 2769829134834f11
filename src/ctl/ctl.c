/* SPDX-License-Identifier: MIT */
/* How every command asks and complains. */
#include "ctl/ctl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/plaintext/plaintext.h"

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

static bool is_socket(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 || S_ISSOCK(st.st_mode);
}

static const char *hint(const char *path, int error)
{
	switch (error) {
	case ENOENT:
		return "is the collector running, with 'LoadPlugin unixsock'? "
		       "Its SocketFile can be given with -s or in "
		       "COLLECTOR_SOCKET";
	case ECONNREFUSED:
		return is_socket(path) ? "the collector that made this socket "
					 "has ended"
				       : "it is not a socket";
	case EACCES:
		return "you must be in the group of the socket (SocketGroup), "
		       "or root";
	case ETIMEDOUT:
		return "the collector that made this socket does not accept "
		       "anybody: it is stopped, or hangs";
	default:
		return "is this the SocketFile of a running collector?";
	}
}

int ctl_connect(const struct ctl *ctl, struct peer *peer)
{
	int status = peer_open(peer, ctl->socket, ctl->timeout);

	if (status == 0)
		return CTL_OK;
	ctl_failed("cannot connect to '%s': %s\n  hint: %s", ctl->socket, strerror(-status),
		   hint(ctl->socket, -status));
	return CTL_UNAVAILABLE;
}

/* Whether a signal has stopped it: 'T' or 't' after its name (proc(5)). */
static bool is_stopped(pid_t process)
{
	char path[64], text[256] = "", *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)process);
	file = fopen(path, "re");
	if (file == NULL)
		return false;
	if (fgets(text, sizeof(text), file) == NULL)
		text[0] = '\0';
	fclose(file);
	end = strrchr(text, ')');
	return end != NULL && (end[1] == ' ') && (end[2] == 'T' || end[2] == 't');
}

/* The process that does not answer, if it is known. */
static void tell_silence(const struct ctl *ctl, const struct peer *peer)
{
	double seconds = (double)ctl->timeout * CTL_NS;
	pid_t process = peer_process(peer);

	if (process <= 0)
		ctl_failed("the collector does not answer within %g s", seconds);
	else if (is_stopped(process))
		ctl_failed("the collector does not answer within %g s: process "
			   "%ld is stopped",
			   seconds, (long)process);
	else
		ctl_failed("the collector does not answer within %g s (process "
			   "%ld is busy, or hangs)",
			   seconds, (long)process);
}

int ctl_lost(const struct ctl *ctl, const struct peer *peer, int status)
{
	if (status == -ETIMEDOUT)
		tell_silence(ctl, peer);
	else if (status == -EPROTO)
		ctl_failed("'%s' does not speak the collector's protocol", ctl->socket);
	else if (status == -EMSGSIZE)
		ctl_failed("'%s' says more than a collector does: gave up", ctl->socket);
	else if (status == 0)
		ctl_failed("the collector closed the connection");
	else
		ctl_failed("lost the connection to '%s': %s", ctl->socket, strerror(-status));
	return CTL_UNAVAILABLE;
}

int ctl_ask_on(const struct ctl *ctl, struct peer *peer, const char *line, struct answer *answer)
{
	int status = peer_ask(peer, line, answer);

	if (status < 0)
		return ctl_lost(ctl, peer, status);
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

int ctl_ask_patiently(const struct ctl *ctl, const char *line, bool files)
{
	struct ctl patient = *ctl;
	struct answer answer;
	int status;

	if (files && ctl->timeout == CTL_TIMEOUT)
		patient.timeout = CTL_TIMEOUT_FILES;
	status = ctl_ask(&patient, line, &answer);
	if (status != CTL_OK)
		return status;
	puts(answer.message);
	peer_answer_done(&answer);
	return CTL_OK;
}
