/* SPDX-License-Identifier: MIT */
/* Expressions by PCRE2. */
#include "pattern.h"

#include <collector/kit/alloc.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define STEPS_MAX 100000 /* Of one match: some milliseconds. */
#define MATCH_KIB_MAX 1024

struct pattern {
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *limits;
};

static void *memory_take(size_t size, void *unused)
{
	(void)unused;
	return mc_alloc(size);
}

static void memory_free(void *memory, void *unused)
{
	(void)unused;
	free(memory);
}

struct pattern *pattern_new(const char *expression, char *reason, size_t size)
{
	struct pattern *pattern;
	pcre2_general_context *memory;
	PCRE2_SIZE offset;
	int error;
	pcre2_code *code =
		pcre2_compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED,
			      PCRE2_DOLLAR_ENDONLY | PCRE2_DOTALL |
				      PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UTF,
			      &error, &offset, NULL);

	if (code == NULL) {
		PCRE2_UCHAR text[256];

		pcre2_get_error_message(error, text, sizeof(text));
		snprintf(reason, size, "%s at character %zu",
			 (const char *)text, (size_t)offset);
		return NULL;
	}
	pattern = mc_alloc_zero(sizeof(*pattern));
	pattern->code = code;
	memory = pcre2_general_context_create(memory_take, memory_free, NULL);
	pattern->match = pcre2_match_data_create(1, memory);
	pattern->limits = pcre2_match_context_create(memory);
	pcre2_set_match_limit(pattern->limits, STEPS_MAX);
	pcre2_set_depth_limit(pattern->limits, STEPS_MAX);
	pcre2_set_heap_limit(pattern->limits, MATCH_KIB_MAX);
	pcre2_general_context_free(memory);
	return pattern;
}

void pattern_free(struct pattern *pattern)
{
	if (pattern == NULL)
		return;
	pcre2_code_free(pattern->code);
	pcre2_match_data_free(pattern->match);
	pcre2_match_context_free(pattern->limits);
	free(pattern);
}

bool pattern_matches(const struct pattern *pattern, const char *text,
		     size_t size)
{
	return pcre2_match(pattern->code, (PCRE2_SPTR)text, size, 0, 0,
			   pattern->match, pattern->limits) >= 0;
}
