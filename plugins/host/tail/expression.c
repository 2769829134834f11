/* SPDX-License-Identifier: MIT */
/* PCRE2 reads extended expressions as POSIX does, but for what POSIX leaves
 * open.  Of that, the "\<" and "\>" of glibc are translated, because collectd's
 * manual shows them.  Among alternatives the first that matches is taken, not
 * the longest.
 */
#include "expression.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define STEPS_MAX 100000 /* Of one match: some milliseconds. */
#define MATCH_KIB_MAX 1024

struct expression {
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *limits;
};

/* "\<" and "\>" begin and end a word; freed by the caller. */
static char *translate(const char *text)
{
	static const char begin[] = "\\b(?=\\w)", end[] = "\\b(?<=\\w)";
	char *out = mc_alloc(strlen(text) * (sizeof(end) - 1) + 1), *to = out;

	for (; *text != '\0'; text++) {
		if (*text != '\\' || text[1] == '\0') {
			*to++ = *text;
			continue;
		}
		text++;
		if (*text == '<' || *text == '>') {
			const char *word = *text == '<' ? begin : end;

			memcpy(to, word, strlen(word));
			to += strlen(word);
		} else {
			*to++ = '\\';
			*to++ = *text;
		}
	}
	*to = '\0';
	return out;
}

static pcre2_code *compile(const char *text, char *reason, size_t reason_size)
{
	char *translated = translate(text);
	PCRE2_UCHAR message[256];
	PCRE2_SIZE offset;
	int error;
	pcre2_code *code =
		pcre2_compile((PCRE2_SPTR)translated, PCRE2_ZERO_TERMINATED,
			      PCRE2_DOLLAR_ENDONLY | PCRE2_DOTALL |
				      PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UTF,
			      &error, &offset, NULL);

	free(translated);
	if (code == NULL) {
		pcre2_get_error_message(error, message, sizeof(message));
		snprintf(reason, reason_size, "%s", (const char *)message);
	}
	return code;
}

struct expression *expression_new(const char *text, char *reason,
				  size_t reason_size)
{
	pcre2_code *code = compile(text, reason, reason_size);
	struct expression *expression;

	if (code == NULL)
		return NULL;
	expression = mc_alloc_zero(sizeof(*expression));
	expression->code = code;
	expression->match = mc_alloc_checked(
		pcre2_match_data_create_from_pattern(code, NULL), 0);
	expression->limits =
		mc_alloc_checked(pcre2_match_context_create(NULL), 0);
	pcre2_set_match_limit(expression->limits, STEPS_MAX);
	pcre2_set_depth_limit(expression->limits, STEPS_MAX);
	pcre2_set_heap_limit(expression->limits, MATCH_KIB_MAX);
	return expression;
}

void expression_free(struct expression *expression)
{
	if (expression == NULL)
		return;
	pcre2_match_context_free(expression->limits);
	pcre2_match_data_free(expression->match);
	pcre2_code_free(expression->code);
	free(expression);
}

int expression_match(struct expression *expression, const char *line,
		     size_t size)
{
	int result = pcre2_match(expression->code, (PCRE2_SPTR)line, size, 0, 0,
				 expression->match, expression->limits);

	if (result == PCRE2_ERROR_NOMATCH)
		return 0;
	return result < 0 ? -1 : 1;
}

bool expression_part(struct expression *expression, const char *line, char *out,
		     size_t size)
{
	const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(expression->match);

	if (pcre2_get_ovector_count(expression->match) < 2 ||
	    ends[2] == PCRE2_UNSET || ends[2] > ends[3])
		return false;
	snprintf(out, size, "%.*s", (int)(ends[3] - ends[2]), line + ends[2]);
	return true;
}
