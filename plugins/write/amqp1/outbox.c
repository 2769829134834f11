/* SPDX-License-Identifier: MIT */
#include "outbox.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

void outbox_init(struct outbox *outbox, size_t room)
{
	*outbox = (struct outbox){ .room = room };
	outbox->ring = mc_alloc_zero(room * sizeof(*outbox->ring));
}

static struct outbox_message *at(const struct outbox *outbox, size_t index)
{
	return &outbox->ring[(outbox->first + index) % outbox->room];
}

void outbox_free(struct outbox *outbox)
{
	for (size_t i = 0; i < outbox->len; i++)
		free(at(outbox, i)->bytes);
	free(outbox->ring);
	*outbox = (struct outbox){ .len = 0 };
}

void outbox_add(struct outbox *outbox, const char *bytes, size_t size)
{
	struct outbox_message *message = at(outbox, outbox->len);

	assert(!outbox_is_full(outbox));
	*message = (struct outbox_message){ .bytes = mc_alloc(size), .size = size };
	memcpy(message->bytes, bytes, size);
	outbox->len++;
}

struct outbox_message *outbox_unsent(struct outbox *outbox)
{
	for (; outbox->skip < outbox->len; outbox->skip++)
		if (at(outbox, outbox->skip)->state == OUTBOX_UNSENT)
			return at(outbox, outbox->skip);
	return NULL;
}

void outbox_done(struct outbox *outbox, struct outbox_message *message)
{
	message->state = OUTBOX_DONE;
	while (outbox->len > 0 && at(outbox, 0)->state == OUTBOX_DONE) {
		free(at(outbox, 0)->bytes);
		outbox->first = (outbox->first + 1) % outbox->room;
		outbox->len--;
		if (outbox->skip > 0)
			outbox->skip--;
	}
}

void outbox_again(struct outbox *outbox, struct outbox_message *message)
{
	message->state = OUTBOX_UNSENT;
	outbox->skip = 0;
}

void outbox_all_again(struct outbox *outbox)
{
	for (size_t i = 0; i < outbox->len; i++)
		if (at(outbox, i)->state == OUTBOX_SENT)
			outbox_again(outbox, at(outbox, i));
}
