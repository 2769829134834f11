/* SPDX-License-Identifier: MIT */
/* Senders that number their records, as write_kafka does, and how far each is: a record that comes
 * again is known.  Records of a sender may be under way to the journal, several at a time.
 * One thread. */
#pragma once

#include <collector/journal.h>
#include <collector/kit/map.h>

struct seen {
	size_t len_max;      /* Beyond, the one longest unheard is forgotten. */
	struct mc_lru names; /* Of struct seen_sender. */
};

void seen_init(struct seen *, size_t len_max);
void seen_done(struct seen *);

/* Takes the number as one that is on its way to the journal.  False: that number, or a greater one
 * of the same run, came before. */
bool seen_take(struct seen *, const struct mc_dedup_id *);

/* The number is in the journal. */
void seen_store(struct seen *, const struct mc_dedup_id *);

/* The last number of that sender in the journal; NULL: none is known. */
const struct mc_dedup_id *seen_stored(const struct seen *, const char *sender);

/* Numbers that are not in the journal may come again. */
void seen_take_back(struct seen *);
