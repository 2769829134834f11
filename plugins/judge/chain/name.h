/* SPDX-License-Identifier: MIT */
/* The name of a series, while it goes through chains: what matches have said about it, and which
 * names targets have made of it.  All of that is found out once for a series.  Thread: any. */
#pragma once

#include <collector/plugin.h>

#include <stdatomic.h>
#include <stdint.h>

#define NAME_PART_SIZE 128   /* As in collectd; longer parts are cut. */
#define NAME_DERIVED_MAX 256 /* Of one series. */

struct shared;

struct name {
	struct mc_id id; /* No part is NULL; stored after the struct. */
	const struct mc_type *type;
	struct name *root;                /* That of the series; itself. */
	const void *maker;                /* The target that has made it of its ... */
	struct name *parent;              /* ... parent; NULL of a root. */
	struct name *_Atomic derived;     /* Of a root: all others. */
	struct name *next;                /* In that list. */
	_Atomic unsigned derived_len;     /* Of a root. */
	_Atomic bool same;                /* Of a root: all samples get the same name. */
	void *values;                     /* Of a root: what scale keeps; lock of struct shared. */
	struct name *_Atomic split;       /* Of a root: see split.h; NULL: none. */
	struct mc_series *_Atomic series; /* Of that name, held; or NULL. */
	struct shared *shared;            /* Set with the series. */
	struct name *next_held, *prev_held; /* Lock of struct shared. */
	_Atomic bool split_behind;          /* For a root: v5upgrade after the cache. */
	_Atomic uint8_t *verdicts;          /* Of matches, by their number. */
};

/* 'verdicts' is the number of matches.  Freed with name_free(), a root with all
 * that was made of it. */
struct name *name_of(const struct mc_series *series, unsigned verdicts_len);
void name_free(struct name *root);

/* The earlier result of 'maker' for a name, or NULL. */
struct name *name_find(const struct name *name, const void *maker);

/* Records the result of 'maker' for it: 'id', of which no part is NULL.  NULL: there are
 * NAME_DERIVED_MAX of this series. */
struct name *name_derive(struct name *name, const void *maker, const struct mc_id *id,
			 unsigned verdicts_len);

/* Keeps the series of that name, held; returns what is kept. */
struct mc_series *name_keep(struct name *, struct shared *, struct mc_series *);

/* Lets go of all series that names keep. */
void name_release_all(struct shared *);

/* Whether both are the same. */
bool name_equal(const struct name *, const struct name *);
