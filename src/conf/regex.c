/* SPDX-License-Identifier: MIT */
/* Facts: pcre2api(3), pcre2syntax(3); regex(7), and the manual of glibc for "\<" and "\>". */
#include <collector/kit/regex.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"

/* PCRE2 limits the steps of a match from one place of a text: some milliseconds of a line.  Of a
 * long text there are many places, so the CPU time is looked at after each window of them; the
 * longer the text, the fewer have room in one. */
#define STEPS_MAX 100000
#define STEPS_PER_BYTE 4
#define WINDOW_BYTES ((size_t)128 << 20) /* Places by bytes of the text. */
#define CPU_MAX MC_SECOND
#define MATCH_KIB_MAX 1024

struct mc_regex {
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *limits;
};

static void *memory_take(size_t size, void *unused)
{
	(void)unused;
	return alloc_zero(size);
}

static void memory_free(void *memory, void *unused)
{
	(void)unused;
	free(memory);
}

/* The PCRE2 form of "\<" and "\>"; NULL for all else. */
static const char *word_end(const char *text)
{
	if (text[0] == '\\' && text[1] == '<')
		return "[[:<:]]";
	if (text[0] == '\\' && text[1] == '>')
		return "[[:>:]]";
	return NULL;
}

/* As PCRE2 writes it; freed by the caller. */
static char *translate(const char *text)
{
	char *out = alloc_zero(strlen(text) * sizeof("[[:<:]]") + 1);
	char *to = out;

	while (*text != '\0') {
		const char *word = word_end(text);
		size_t size = *text == '\\' && text[1] != '\0' ? 2 : 1;

		if (word != NULL)
			memcpy(to, word, strlen(word));
		else
			memcpy(to, text, size);
		to += word != NULL ? strlen(word) : size;
		text += size;
	}
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
			      PCRE2_DOLLAR_ENDONLY | PCRE2_DOTALL | PCRE2_NEVER_BACKSLASH_C |
				      PCRE2_NEVER_UTF | PCRE2_USE_OFFSET_LIMIT,
			      &error, &offset, NULL);

	if (code == NULL) {
		pcre2_get_error_message(error, message, sizeof(message));
		if (strlen(text) == strlen(translated))
			snprintf(reason, reason_size, "%s at character %zu", (const char *)message,
				 (size_t)offset);
		else
			snprintf(reason, reason_size, "%s", (const char *)message);
	}
	free(translated);
	return code;
}

struct mc_regex *mc_regex_new(const char *text, char *reason, size_t reason_size)
{
	pcre2_code *code = compile(text, reason, reason_size);
	pcre2_general_context *memory;
	struct mc_regex *regex;

	if (code == NULL)
		return NULL;
	regex = alloc_zero(sizeof(*regex));
	regex->code = code;
	memory = pcre2_general_context_create(memory_take, memory_free, NULL);
	regex->match = pcre2_match_data_create_from_pattern(code, memory);
	regex->limits = pcre2_match_context_create(memory);
	pcre2_set_heap_limit(regex->limits, MATCH_KIB_MAX);
	pcre2_general_context_free(memory);
	return regex;
}

bool mc_regex_in_slashes(const char *text)
{
	size_t size = strlen(text);

	return size > 2 && text[0] == '/' && text[size - 1] == '/';
}

struct mc_regex *mc_regex_new_in_slashes(const char *text, char *reason, size_t reason_size)
{
	char *inner = alloc_copy(text + 1);
	struct mc_regex *regex;

	inner[strlen(inner) - 1] = '\0';
	regex = mc_regex_new(inner, reason, reason_size);
	free(inner);
	return regex;
}

void mc_regex_free(struct mc_regex *regex)
{
	if (regex == NULL)
		return;
	pcre2_code_free(regex->code);
	pcre2_match_data_free(regex->match);
	pcre2_match_context_free(regex->limits);
	free(regex);
}

static void set_limits(struct mc_regex *regex, size_t size)
{
	size_t steps = STEPS_MAX + STEPS_PER_BYTE * size;
	uint32_t limit = steps < UINT32_MAX ? (uint32_t)steps : UINT32_MAX;

	pcre2_set_match_limit(regex->limits, limit);
	pcre2_set_depth_limit(regex->limits, limit);
}

/* PCRE2's result.  Nearly all texts are shorter than a window. */
static int match(struct mc_regex *regex, const char *text, size_t size)
{
	size_t window = WINDOW_BYTES / (size + 1) + 1;
	mc_time began = size >= window ? clock_cpu() : 0;

	set_limits(regex, size);
	for (size_t start = 0;; start += window) {
		int result;

		pcre2_set_offset_limit(regex->limits, start + window - 1);
		result = pcre2_match(regex->code, (PCRE2_SPTR)text, size, start, 0, regex->match,
				     regex->limits);
		if (result != PCRE2_ERROR_NOMATCH || size - start < window)
			return result;
		if (clock_cpu() - began > CPU_MAX)
			return PCRE2_ERROR_MATCHLIMIT;
	}
}

int mc_regex_match(struct mc_regex *regex, const char *text, size_t size)
{
	int result = match(regex, text, size);

	if (result == PCRE2_ERROR_NOMATCH)
		return 0;
	return result < 0 ? -1 : 1;
}

bool mc_regex_group(const struct mc_regex *regex, unsigned group, size_t *start, size_t *size)
{
	const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(regex->match);

	if (group >= pcre2_get_ovector_count(regex->match))
		return false;
	ends += 2 * (size_t)group;
	/* A lookbehind may set the end before the start. */
	if (ends[0] == PCRE2_UNSET || ends[0] > ends[1])
		return false;
	*start = ends[0];
	*size = ends[1] - ends[0];
	return true;
}
