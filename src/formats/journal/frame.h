/* SPDX-License-Identifier: MIT */
/* The journal's file format: a segment is a head of 64 bytes and then frames, a
 * record each, until the file ends or a frame says that it is sealed.
 *
 * All numbers are little endian.  A frame is a head of 48 bytes and a payload, padded to 8 bytes;
 * each of the two has a checksum of its own, so that a bad payload does not break the chain, and a
 * length is believed only when the head is right.  The checksums begin with the epoch, a random
 * number that every journal draws once: bytes that a sender put into a payload can never pass for a
 * frame.
 *
 *   segment head   magic "MCJ1" 4, version 2, 0 2, epoch 8, first sequence 8,
 *                  samples before 8, created 8, 0 20, CRC32C 4
 *   frame head     magic "MCF1" 4, type 1, 0 1, head size 2, payload size 4,
 *                  samples 4, sequence 8, samples before 8, time 8,
 *                  CRC32C of payload 4, CRC32C of head 4
 *
 * "Samples before" counts the samples of all records of the epoch that come earlier: whatever is
 * missing between two records, its number is known.  Beside the segments lies a file for every
 * writer that says how far it has come, a cursor: two slots of 64 bytes, written in turn.
 *
 *   slot           magic "MCC1" 4, 0 4, generation 8, epoch 8, next sequence 8,
 *                  samples before it 8, 0 20, CRC32C 4
 *
 * Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/plugin.h>

#define FRAME_SEGMENT_SIZE 64 /* Bytes of a segment's head. */
#define FRAME_HEAD_SIZE 48
#define FRAME_PAYLOAD_MAX ((size_t)16 << 20)
#define FRAME_NAME_SIZE 40 /* Of a segment's file, with '\0'. */
#define FRAME_VERSION 1

struct frame_segment { /* The head of a segment. */
	uint64_t epoch;
	uint64_t first;  /* Sequence number of its first record. */
	uint64_t before; /* Samples of all records before. */
	mc_time created; /* Since 1970. */
};

enum frame_type {
	FRAME_BATCH = 1, /* A batch, as an OTLP metrics request. */
	FRAME_GAP = 2,   /* Records that are gone: struct frame_gap. */
	FRAME_SEAL = 3,  /* The last frame: nothing is added any more. */
};

struct frame {
	unsigned type; /* enum frame_type, or one of a later version. */
	uint32_t size; /* Of the payload, in bytes. */
	uint32_t samples;
	uint64_t seq;    /* 1 is the first; a seal has that of what follows. */
	uint64_t before; /* Samples of all records before. */
	mc_time time;    /* Of the record, since 1970. */
	const uint8_t *payload;
};

#define FRAME_GAP_SIZE 32
struct frame_gap { /* Records 'from' to 'to', both included, were given up. */
	uint64_t from, to, samples;
	uint64_t reason; /* 1: the quota. */
};

/* Name of a segment's file, from which it can be read without its head. */
void frame_segment_name(char out[FRAME_NAME_SIZE], uint64_t first, uint64_t epoch);
bool frame_parse_name(const char *name, uint64_t *first, uint64_t *epoch);

void frame_write_segment(uint8_t out[FRAME_SEGMENT_SIZE], const struct frame_segment *);

/* 0; -EBADMSG: damaged; -EPROTO: written by another version. */
int frame_read_segment(const uint8_t *data, size_t size, struct frame_segment *);

/* Bytes of a frame whose payload has 'payload' bytes. */
size_t frame_size(size_t payload);

/* Writes a whole frame, frame_size() bytes.  The payload may already be in its place,
 * FRAME_HEAD_SIZE bytes after 'out'. */
void frame_write(uint8_t *out, const struct frame *, uint64_t epoch);

void frame_write_gap(uint8_t out[FRAME_GAP_SIZE], const struct frame_gap *);
bool frame_read_gap(const struct frame *, struct frame_gap *);

#define FRAME_CURSOR_SIZE 64
#define FRAME_CURSOR_SUFFIX ".cursor"
struct frame_cursor {
	uint64_t generation; /* Of two slots the higher one counts. */
	uint64_t epoch;
	uint64_t next;   /* The first record that is not done with. */
	uint64_t before; /* Samples of all records before it. */
};

void frame_write_cursor(uint8_t out[FRAME_CURSOR_SIZE], const struct frame_cursor *);

/* The newer of the slots that are whole; false if neither is. */
bool frame_read_cursor(const uint8_t slots[2 * FRAME_CURSOR_SIZE], struct frame_cursor *);

/* Walks over the frames in a piece of memory that begins with one. */
struct frame_walk {
	const uint8_t *data;
	size_t size;
	size_t at; /* Where the next step begins. */
	uint64_t epoch;
	uint64_t last; /* Sequence numbers only grow beyond this one. */
};

enum frame_step {
	FRAME_RECORD,  /* A frame, undamaged; its payload is in the data. */
	FRAME_DAMAGED, /* Bytes 'from' to 'at' are not a frame, but more follow. */
	FRAME_REST,    /* From 'from' on there is no frame any more. */
	FRAME_END,     /* The data ended with the last frame. */
};

/* Always gets on: after the size of the data at the latest it has ended.  Of a damaged frame whose
 * head is right all but the payload is set, else 'seq' is 0. */
enum frame_step frame_next(struct frame_walk *, struct frame *, size_t *from);
