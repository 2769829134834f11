/* SPDX-License-Identifier: MIT */
#include "dedup.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

struct dedup_sender {
	struct mc_lru_node node; /* Its name is 'taken.name' up to the '/'. */
	struct mc_dedup_id taken, stored;
};

void dedup_init(struct dedup *dedup, size_t len_max)
{
	*dedup = (struct dedup){ .len_max = len_max };
}

void dedup_done(struct dedup *dedup)
{
	mc_lru_free(&dedup->names);
}

static struct dedup_sender *add(struct dedup *dedup, const struct mc_dedup_id *id, size_t size)
{
	struct dedup_sender *sender = mc_alloc_zero(sizeof(*sender));

	mc_lru_make_room(&dedup->names, dedup->len_max);
	memcpy(sender->taken.name, id->name, sizeof(id->name));
	mc_lru_add(&dedup->names, &sender->node, sender->taken.name, size);
	return sender;
}

static struct dedup_sender *find(struct dedup *dedup, const struct mc_dedup_id *id)
{
	size_t size = strcspn(id->name, "/");
	struct dedup_sender *sender =
		(struct dedup_sender *)mc_lru_find(&dedup->names, id->name, size);

	if (sender == NULL)
		return add(dedup, id, size);
	mc_lru_use(&dedup->names, &sender->node);
	return sender;
}

/* A new run of a sender begins anew. */
static bool is_new(const struct mc_dedup_id *last, const struct mc_dedup_id *id)
{
	return id->number > last->number || strcmp(id->name, last->name) != 0;
}

bool dedup_take(struct dedup *dedup, const struct mc_dedup_id *id)
{
	struct dedup_sender *sender = find(dedup, id);

	if (!is_new(&sender->taken, id))
		return false;
	sender->taken = *id;
	return true;
}

void dedup_store(struct dedup *dedup, const struct mc_dedup_id *id)
{
	struct dedup_sender *sender = find(dedup, id);

	if (is_new(&sender->stored, id))
		sender->stored = *id;
	if (is_new(&sender->taken, id) && strcmp(sender->taken.name, id->name) == 0)
		sender->taken = *id;
}

const struct mc_dedup_id *dedup_stored(const struct dedup *dedup, const char *name)
{
	const struct dedup_sender *sender =
		(const struct dedup_sender *)mc_lru_find(&dedup->names, name, strlen(name));

	return sender != NULL && sender->stored.number > 0 ? &sender->stored : NULL;
}

void dedup_take_back(struct dedup *dedup)
{
	for (struct mc_lru_node *n = dedup->names.oldest; n != NULL; n = n->newer) {
		struct dedup_sender *sender = (struct dedup_sender *)n;

		if (strcmp(sender->taken.name, sender->stored.name) != 0)
			sender->taken.number = 0;
		else
			sender->taken.number = sender->stored.number;
	}
}
