/* SPDX-License-Identifier: MIT */
/* Facts: the developer guide of Network UPS Tools, "Network protocol information". */
#include "answer.h"

#include <string.h>

/* Whether the text at '*at' begins with a word, which is passed then, and the blank after it. */
static bool take_word(char **at, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*at, word, len) != 0 || ((*at)[len] != ' ' && (*at)[len] != '\0'))
		return false;
	*at += len + ((*at)[len] == ' ');
	return true;
}

/* Takes a text in quotes that is the rest of a line, without its escapes. */
static char *take_quoted(char *at)
{
	char *begin = at + 1, *out = begin;

	if (*at != '"')
		return NULL;
	for (at++; *at != '"'; at++) {
		if (*at == '\\')
			at++;
		if (*at == '\0')
			return NULL;
		*out++ = *at;
	}
	if (at[1] != '\0')
		return NULL;
	*out = '\0';
	return begin;
}

static enum answer_line read_variable(char *at, struct answer_variable *variable)
{
	char *blank = strchr(at, ' '), *value;

	if (blank == NULL || blank == at)
		return ANSWER_BAD;
	value = take_quoted(blank + 1);
	if (value == NULL)
		return ANSWER_BAD;
	*blank = '\0';
	variable->name = at;
	variable->value = value;
	return ANSWER_VARIABLE;
}

enum answer_line answer_read(char *line, const char *ups, struct answer_variable *variable)
{
	char *at = line;
	enum answer_line list = ANSWER_BAD;

	if (take_word(&at, "ERR")) {
		variable->name = at;
		variable->value = "";
		return ANSWER_ERROR;
	}
	if (take_word(&at, "VAR"))
		return take_word(&at, ups) ? read_variable(at, variable) : ANSWER_BAD;
	if (take_word(&at, "BEGIN"))
		list = ANSWER_BEGIN;
	else if (take_word(&at, "END"))
		list = ANSWER_END;
	return take_word(&at, "LIST") && take_word(&at, "VAR") && take_word(&at, ups) && *at == '\0'
		       ? list
		       : ANSWER_BAD;
}
