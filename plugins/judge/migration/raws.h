/* SPDX-License-Identifier: MIT */
/* Counters as the processes of guests have sent them, in memory that may be that of a file: there
 * they outlive a kill of this process.  Pure; raws_file.h has the file.
 *
 * A guest's counter is stored as a sum over its processes, of what each has counted.  A counter of
 * one process is one number here, which is replaced by one store: so at whatever moment the
 * collector is killed, the next start finds for each process what was taken of it last, neither
 * less nor more, and a sample that its sender repeats then makes the same number again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raws_slot {
	uint64_t key;   /* 0: free. */
	uint64_t value; /* Of a free one: where the next free one is, plus 1. */
};

struct raws { /* All zero: there is no room. */
	struct raws_slot *slots;
	size_t capacity, end; /* Slots from 'end' on were never used. */
	size_t used;
	uint64_t free; /* The first free one before 'end', plus 1; 0: none. */
};

/* Key of a source of a series, as a process counts it; never 0. */
uint64_t raws_key(const char *host, const char *name, const char *generation, unsigned source);

bool raws_has_room(const struct raws *);

/* A place for that counter, which is 'value' now; there is room, and no other place of it. */
uint64_t *raws_add(struct raws *, uint64_t key, uint64_t value);

/* NULL is fine. */
void raws_remove(struct raws *, uint64_t *place);

/* Counters that another process has left, in the order of keys. */
struct raws_left { /* All zero: nothing. */
	struct raws_slot *slots;
	size_t len;
};

/* From all slots of a file, as they are there; to be freed. */
struct raws_left raws_leave(const struct raws_slot *slots, size_t len);
bool raws_find(const struct raws_left *, uint64_t key, uint64_t *value);
void raws_left_free(struct raws_left *);
