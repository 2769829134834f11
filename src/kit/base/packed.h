/* SPDX-License-Identifier: MIT */
/* Samples of one source, packed into a few bits each: rows that only grow, and a value of 64 bits.
 *
 *   first sample     row 32, value 64
 *   integer          the change of its change, zigzag: 0: none; then 10 and 7 bits, 110 and 12,
 *                    1110 and 20, 11110 and 32, 11111 and 64
 *   floating point   XOR with the value before: 0: none; 10: the bits that the one before had;
 *                    11, 6 bits: zeros in front, 6 bits: length - 1, and these
 *   the next row     as these; but where it is not 0, a 0 follows its first bit
 *   another row      110 and 4 bits: 2 to 17 later; 111 and 32: so much later; then the value
 *
 * The floating point is that of Facebook's Gorilla (VLDB 2015, section 4.1).  Bits begin with the
 * highest of a byte.  Bytes may be anybody's: a damaged piece ends early.  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKED_FIRST_SIZE 12 /* Bytes of the first sample. */
#define PACKED_BITS_MAX                                                                            \
	(3 + 32 + 2 + 6 + 6 + 64) /* Of one more sample, at most.  An integer has less. */

struct packed_last { /* The sample before. */
	uint32_t row;
	uint64_t value;
	uint64_t change;      /* Of an integer. */
	uint8_t zeros, width; /* Of the bits of the XOR before; width 0: without one. */
};

struct packed { /* The samples of one piece of memory. */
	uint8_t *bytes;
	size_t size;  /* Room, in bytes. */
	size_t bits;  /* Used. */
	bool integer; /* Else values are doubles. */
	struct packed_last last;
};

/* Begins a piece; all of it is zero then. */
void packed_begin(struct packed *, void *bytes, size_t size, bool integer);

/* Adds a sample.  False, and nothing is changed: no room is left, or the row is not a later one. */
bool packed_put(struct packed *, uint32_t row, uint64_t value);

struct packed_reader {
	const uint8_t *bytes;
	size_t bits, at; /* How many there are, and were read. */
	bool integer;
	bool damaged; /* The rest makes no sense. */
	struct packed_last last;
};

/* Reads 'bits' bits. */
void packed_open(struct packed_reader *, const void *bytes, size_t bits, bool integer);

/* The next sample: last.row and last.value.  False at the end, or at what is damaged. */
bool packed_next(struct packed_reader *);
