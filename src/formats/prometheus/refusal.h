/* SPDX-License-Identifier: MIT */
/* Why a store of Prometheus' kind refuses samples, by the text of its answer.  Pure functions.
 *
 * Sources: the answers of Prometheus 2.42 and 3.16 and of Mimir, to remote write and to OTLP. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum refusal_why {
	REFUSAL_OTHER,
	REFUSAL_THERE, /* Out of order, or a duplicate: it may be stored already. */
	REFUSAL_OLD,   /* Older than what is still taken, of any series. */
};

enum refusal_why refusal_why(const char *body);

/* Whether a request that is answered so, to be sent again, may have been stored all the same.  0:
 * there was no answer. */
bool refusal_may_be_stored(long status);

/* The first line of a body, cut at 'size' bytes; what is no character of ASCII is '?'. */
void refusal_text(const char *body, char *out, size_t size);
