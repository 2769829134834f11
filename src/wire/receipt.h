/* SPDX-License-Identifier: MIT */
/* A receipt in a record of the journal: field 1000 behind an OTLP request,
 * which every other reader passes over.  Its bytes are the number, 8, little
 * endian, and the name.  Pure functions. */
#ifndef COLLECTOR_WIRE_RECEIPT_H
#define COLLECTOR_WIRE_RECEIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/plugin.h>

#define RECEIPT_SIZE_MAX (3 + 8 + MC_RECEIPT_MAX)

/* Returns how many bytes that are. */
size_t receipt_write(uint8_t out[RECEIPT_SIZE_MAX], const struct mc_receipt *);

/* False if the request has none, or is broken before it comes. */
bool receipt_read(const void *request, size_t size, struct mc_receipt *);

#endif
