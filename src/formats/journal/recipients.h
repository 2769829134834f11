/* SPDX-License-Identifier: MIT */
/* The writers that a record of the journal is for, where it is not for all:
 * field 1001 in front of an OTLP request, which every other reader passes over.
 * Its bytes are their names, one after the other, '\n' between them.  Pure
 * functions. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define RECIPIENTS_MAX 4096    /* Bytes of the names; longer ones are cut. */
#define RECIPIENTS_HEAD_SIZE 4 /* In front of the names. */

/* Writes what comes in front of 'size' bytes of names. */
void recipients_write(uint8_t out[RECIPIENTS_HEAD_SIZE], size_t size);

/* The names that a request begins with, and their size; NULL: it has none. */
const char *recipients_read(const void *request, size_t request_size, size_t *size);
