/* SPDX-License-Identifier: MIT */
/* Messages of a link that the receiver has not acknowledged: a ring, in their order.
 *
 * Pure; one thread at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum outbox_state { OUTBOX_UNSENT, OUTBOX_SENT, OUTBOX_DONE };

struct outbox_message {
	char *bytes; /* The outbox's own. */
	size_t size;
	enum outbox_state state;
};

struct outbox {
	struct outbox_message *ring; /* It does not move. */
	size_t room;                 /* Messages at most. */
	size_t first, len;
	size_t skip; /* The number of the first ones that are not unsent. */
};

void outbox_init(struct outbox *, size_t room);
void outbox_free(struct outbox *); /* Fine with zeros. */

static inline bool outbox_is_full(const struct outbox *outbox)
{
	return outbox->len == outbox->room;
}

/* Adds a copy of a message; there must be room. */
void outbox_add(struct outbox *, const char *bytes, size_t size);

/* The first message that is to be sent; NULL: none is. */
struct outbox_message *outbox_unsent(struct outbox *);

/* The receiver has it, or will never take it. */
void outbox_done(struct outbox *, struct outbox_message *);

/* It is to be sent again. */
void outbox_again(struct outbox *, struct outbox_message *);

/* So are all that were sent: the connection is lost. */
void outbox_all_again(struct outbox *);
