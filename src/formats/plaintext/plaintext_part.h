/* SPDX-License-Identifier: MIT */
/* Shared by the files of the plain text codec; the rest of its interface is
 * formats/plaintext/plaintext.h. */
#pragma once

#include "formats/plaintext/plaintext.h"

#define PLAINTEXT_PART_MAX 127 /* Characters of a part of an identifier. */

enum plaintext_split {
	PLAINTEXT_SPLIT_GOOD,
	PLAINTEXT_SPLIT_BAD,  /* Two '/' are needed, and names around them. */
	PLAINTEXT_SPLIT_LONG, /* A part has more than 127 characters. */
};

/* Splits an identifier of 'size' bytes, ended by '\0', as collectd does: the host ends at the first
 * '/', the plugin at the second, their instances start at the first '-'.  It is changed where it
 * must be: "cpu-" becomes "cpu", and a '/' in the type instance '_'.  Untouched on failure. */
enum plaintext_split plaintext_split(char *identifier, size_t size, struct mc_name_parts *);

/* Splits a word as the name of the request; false, and an error, if it is invalid. */
struct plain_word;
bool plaintext_split_word(struct mc_plain *, const struct plain_word *);

/* Notes the error of a request and returns false. */
bool plaintext_fail(struct mc_plain *, const char *fmt, ...) MC_PRINTF(2, 3);

/* The arguments of PUTVAL, from own.rest on. */
bool plaintext_put(struct mc_plain *);

/* The same for ACK, SILENCE and UNSILENCE; FLUSH; HISTORY; PUTNOTIF. */
bool plaintext_alerts(struct mc_plain *);
bool plaintext_flush(struct mc_plain *);
bool plaintext_history(struct mc_plain *);
bool plaintext_notify(struct mc_plain *);
