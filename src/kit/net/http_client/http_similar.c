/* SPDX-License-Identifier: MIT */
#include "kit/net/http_client/http_similar.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>

#include "kit/net/http_dictionary.h"

#define MISSES_MAX 3             /* As of several receivers that share an address. */
#define PAUSE (3600 * MC_SECOND) /* Until one that keeps nothing is asked again. */
#define SMALL 65536              /* Bytes that inflate from any size: see kit/inflate.h. */

void http_similar_done(struct http_similar *similar)
{
	mc_buffer_free(&similar->body);
}

/* Numbers begin at random, so that two clients that a receiver takes for one differ. */
static uint32_t next_number(struct http_similar *similar)
{
	if (similar->last == 0 && getrandom(&similar->last, sizeof(similar->last), 0) < 0)
		similar->last = 1;
	if (++similar->last == 0)
		similar->last = 1;
	return similar->last;
}

void http_similar_header(struct http_similar *similar, size_t size, char out[64], bool *refers)
{
	*refers = false;
	out[0] = '\0';
	if (size == 0 || size > HTTP_DICTIONARY_MAX || mc_now() < similar->next_try)
		return;
	*refers = similar->kept && (size < SMALL || size <= 2 * similar->body.size);
	if (*refers)
		snprintf(out, 64, HTTP_DICTIONARY_HEADER ": %08" PRIx32 " %08" PRIx32,
			 next_number(similar), similar->number);
	else
		snprintf(out, 64, HTTP_DICTIONARY_HEADER ": %08" PRIx32, next_number(similar));
}

void http_similar_answer(struct http_similar *similar, const void *body, size_t size,
			 const struct http_similar_answer *answer)
{
	uint32_t number;

	if (strlen(answer->header) == 8 && http_dictionary_read_number(answer->header, &number) &&
	    number == similar->last) {
		mc_buffer_clear(&similar->body);
		mc_buffer_add(&similar->body, body, size);
		similar->number = number;
		similar->kept = true;
		similar->misses = 0;
		return;
	}
	if (answer->status == 0) /* It may have come. */
		return;
	similar->kept = false;
	if (answer->status == HTTP_DICTIONARY_MISSING)
		similar->misses++;
	if (answer->status == 200 || similar->misses >= MISSES_MAX) {
		similar->next_try = mc_now() + PAUSE;
		similar->misses = 0;
	}
}
