/* SPDX-License-Identifier: MIT */
#include "kit/series/interpreter/reply.h"

#include <string.h>

#include <collector/kit/number.h>

#define INTERVAL_MAX 1e9 /* Seconds. */

/* Whether the next word is this one; '*at' is then moved past it and the blank that follows. */
static bool take_word(const char **at, const char *word)
{
	size_t size = strlen(word);

	if (strncmp(*at, word, size) != 0 || ((*at)[size] != ' ' && (*at)[size] != '\0'))
		return false;
	*at += size;
	*at += **at == ' ';
	return true;
}

/* The number of the word in the list, which ends with NULL; or of NULL. */
static unsigned take_one(const char **at, const char *const *words)
{
	unsigned i = 0;

	while (words[i] != NULL && !take_word(at, words[i]))
		i++;
	return i;
}

static bool take_number(const char **at, uint64_t *number)
{
	const char *next = *at;

	if (!mc_number_take(&next, 10, number) || (*next != ' ' && *next != '\0'))
		return false;
	*at = next + (*next == ' ');
	return true;
}

static bool read_kind(const char *at, struct reply *reply)
{
	static const char *const kinds[] = {
		[REPLY_READ] = "read",
		[REPLY_WRITE] = "write",
		[REPLY_FLUSH] = "flush",
		[REPLY_LOGGING] = "log",
		[REPLY_NOTIFICATION] = "notification",
		[REPLY_KINDS] = NULL,
	};
	unsigned kind = take_one(&at, kinds);
	double seconds = 0;

	if (kind == REPLY_KINDS)
		return false;
	reply->kind = (enum reply_kind)kind;
	reply->interval = 0;
	if (kind != REPLY_READ)
		return *at == '\0';
	if (reply->verb == REPLY_REGISTER) {
		if (!mc_number_take_double(&at, &seconds) || *at++ != ' ' ||
		    !(seconds >= 0 && seconds <= INTERVAL_MAX))
			return false;
		reply->interval = (mc_time)(seconds * (double)MC_SECOND);
	}
	reply->text = at;
	return *at != '\0';
}

static bool read_level(const char *at, struct reply *reply)
{
	static const char *const levels[] = {
		[MC_ERROR] = "error", [MC_WARN] = "warning", [MC_NOTE] = "notice",
		[MC_INFO] = "info",   [MC_DEBUG] = "debug",  NULL,
	};
	unsigned level = take_one(&at, levels);

	if (levels[level] == NULL)
		return false;
	reply->level = (enum mc_level)level;
	reply->text = at;
	return true;
}

bool reply_read(const char *line, struct reply *reply)
{
	static const char *const verbs[] = {
		"PUTVAL", "DONE", "FAILED",   "REGISTER", "UNREGISTER", "CONFIGURED",
		"LOG",    "TYPE", "PUTNOTIF", "FLUSH",    NULL,
	};
	const char *at = line;
	unsigned verb = take_one(&at, verbs);

	if (verbs[verb] == NULL)
		return false;
	reply->verb = verb <= REPLY_TYPE ? (enum reply_verb)verb : REPLY_PLAIN;
	switch (reply->verb) {
	case REPLY_PLAIN:
		return true;
	case REPLY_DONE:
	case REPLY_CONFIGURED:
		return take_number(&at, &reply->number) && *at == '\0';
	case REPLY_FAILED:
		reply->text = NULL;
		if (!take_number(&at, &reply->number) || !take_number(&at, &reply->count))
			return false;
		reply->text = at;
		return true;
	case REPLY_REGISTER:
	case REPLY_UNREGISTER:
		return read_kind(at, reply);
	case REPLY_LOG:
		return read_level(at, reply);
	case REPLY_TYPE:
		reply->text = at;
		return *at != '\0';
	}
	return false;
}
