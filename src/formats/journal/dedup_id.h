/* SPDX-License-Identifier: MIT */
/* A dedup id in a record of the journal: field 1000 after an OTLP request, which every other
 * reader skips.  Its bytes are the number, 8, little endian, and the name.  Pure functions. */
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
