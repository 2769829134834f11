/* SPDX-License-Identifier: MIT */
/* A dedup id in a record of the journal: field 1000 after an OTLP request, which every other
 * reader skips.  Its bytes are the number, 8, little endian, and the name.  In the headers X-Stream
 * and X-Seq of a request or a record of Kafka it is text.  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/journal.h>
#include <collector/plugin.h>

#define DEDUP_ID_SIZE_MAX (3 + 8 + MC_DEDUP_ID_MAX)

/* Returns how many bytes that are. */
size_t dedup_id_write(uint8_t out[DEDUP_ID_SIZE_MAX], const struct mc_dedup_id *);

/* False if the request has none, or is broken before it comes. */
bool dedup_id_read(const void *request, size_t size, struct mc_dedup_id *);

/* Reads these headers: "SENDER/RUN", and "7" or "5-7" if it replaces several.  False if they are
 * invalid. */
bool dedup_id_parse(const char *name, const char *numbers, struct mc_dedup_id *, uint64_t *first);

/* A number, without sign or blank, that begins at *at, which then is after it.  False without one,
 * or if it is not between 1 and UINT64_MAX - 1. */
bool dedup_id_number(const char **at, uint64_t *number);
