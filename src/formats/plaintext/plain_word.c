/* SPDX-License-Identifier: MIT */
/* Words of a line of the plain text protocol. */
#include "formats/plaintext/plain_word.h"

#include <string.h>

#include "formats/plaintext/plain_number.h"

char *plain_word_end(char *word)
{
	while (*word != '\0' && !plain_number_blank(*word))
		word++;
	return word;
}

/* A word with quotes or backslashes, copied to 'out' from 'at'; they may be the
 * same place, for what is written never overtakes what is read. */
static enum plain_word_result unquote(char *at, char **rest, char *out, size_t size,
				      struct plain_word *word)
{
	bool inside = false;
	size_t n = 0;

	for (; *at != '\0' && (inside || !plain_number_blank(*at)); at++) {
		if (*at == '"') {
			inside = !inside;
			continue;
		}
		if (inside && *at == '\\' && *++at == '\0')
			return PLAIN_WORD_BACKSLASH;
		if (n + 1 >= size)
			return PLAIN_WORD_LONG;
		out[n++] = *at;
	}
	if (inside)
		return PLAIN_WORD_UNTERMINATED;
	*rest = *at == '\0' ? at : at + 1;
	out[n] = '\0';
	*word = (struct plain_word){ .text = out, .size = n, .quoted = true };
	return PLAIN_WORD_FOUND;
}

enum plain_word_result plain_word_cut(char **rest, struct plain_word *word)
{
	char *start = plain_word_start(*rest), *end;
	bool more;

	if (*start == '\0')
		return PLAIN_WORD_NONE;
	if (*start == '"') {
		/* Mostly the quotes are around the word, and nothing in it. */
		end = strchr(++start, '"');
		if (end == NULL || (end[1] != '\0' && !plain_number_blank(end[1])) ||
		    memchr(start, '\\', end - start) != NULL)
			return unquote(start - 1, rest, start - 1, SIZE_MAX, word);
		more = end[1] != '\0';
		*rest = end + 1 + more;
	} else {
		for (end = start; *end != '\0' && !plain_number_blank(*end); end++) {
			if (*end == '"')
				return unquote(start, rest, start, SIZE_MAX, word);
		}
		more = *end != '\0';
		*rest = end + more;
	}
	*word = (struct plain_word){ .text = start, .size = end - start, .quoted = *end == '"' };
	*end = '\0';
	return PLAIN_WORD_FOUND;
}

enum plain_word_result plain_word_copy(char **rest, char *out, size_t size, struct plain_word *word)
{
	char *start = plain_word_start(*rest);
	enum plain_word_result result;

	if (*start == '\0')
		return PLAIN_WORD_NONE;
	result = unquote(start, rest, out, size, word);
	if (result == PLAIN_WORD_FOUND)
		word->quoted = memchr(start, '"', *rest - start) != NULL;
	return result;
}
