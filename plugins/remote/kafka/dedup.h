/* SPDX-License-Identifier: MIT */
/* Senders that number their records, as write_kafka does, and how far each is: a record that comes
 * again is known.  Records of a sender may be under way to the journal, several at a time.
 * One thread. */
#pragma once

#include <collector/journal.h>
#include <collector/kit/map.h>

struct dedup {
	size_t len_max;      /* Beyond, the one longest unheard is forgotten. */
	struct mc_lru names; /* Of struct dedup_sender. */
};

void dedup_init(struct dedup *, size_t len_max);
void dedup_done(struct dedup *);

/* Takes the number as one that is on its way to the journal.  False: that number, or a greater one
 * of the same run, came before. */
bool dedup_take(struct dedup *, const struct mc_dedup_id *);

/* The number is in the journal. */
void dedup_store(struct dedup *, const struct mc_dedup_id *);

/* The last number of that sender in the journal; NULL: none is known. */
const struct mc_dedup_id *dedup_stored(const struct dedup *, const char *sender);

/* Numbers that are not in the journal may come again. */
void dedup_take_back(struct dedup *);
