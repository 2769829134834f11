/* SPDX-License-Identifier: MIT */
/* The header Collector-Dictionary of our own, by which two collectors send names once: a body in
 * zstd refers to that of the request before (ZSTD_CCtx_refPrefix() of zstd.h).
 *
 *   request   Collector-Dictionary: KEEP        keep this body, inflated, under that number
 *             Collector-Dictionary: KEEP USE    the same; it refers to the body kept as USE, which
 *                                               is not needed any more
 *   answer    Collector-Dictionary: KEEP        it is kept
 *             424, without that header          what it refers to is not here: to be sent again
 *                                               without
 *
 * Numbers are eight hexadecimal digits.  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HTTP_DICTIONARY_HEADER "Collector-Dictionary"
#define HTTP_DICTIONARY_MAX 262144 /* Bytes of a body that is kept. */
#define HTTP_DICTIONARY_MISSING 424

struct http_dictionary_numbers {
	uint32_t keep, use;
	bool refers; /* There is 'use'. */
};

/* False: there are not eight digits. */
static inline bool http_dictionary_read_number(const char *text, uint32_t *out)
{
	static const char digits[] = "0123456789abcdef";
	uint32_t number = 0;

	for (int i = 0; i < 8; i++) {
		const char *digit = text[i] != '\0' ? strchr(digits, text[i]) : NULL;

		if (digit == NULL)
			return false;
		number = number << 4 | (uint32_t)(digit - digits);
	}
	*out = number;
	return true;
}

/* The value of a request's header; false: it is not valid. */
static inline bool http_dictionary_read(const char *value, struct http_dictionary_numbers *out)
{
	struct http_dictionary_numbers numbers = { .refers = strlen(value) == 17 };

	if ((strlen(value) != 8 && !numbers.refers) ||
	    !http_dictionary_read_number(value, &numbers.keep))
		return false;
	if (numbers.refers &&
	    (value[8] != ' ' || !http_dictionary_read_number(value + 9, &numbers.use)))
		return false;
	*out = numbers;
	return true;
}
