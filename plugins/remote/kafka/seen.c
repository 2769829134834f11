/* SPDX-License-Identifier: MIT */
#include "seen.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

struct seen_sender {
	struct mc_lru_node node; /* Its name is 'taken.name' up to the '/'. */
	struct mc_dedup_id taken, stored;
};

void seen_init(struct seen *seen, size_t len_max)
{
	*seen = (struct seen){ .len_max = len_max };
}

void seen_done(struct seen *seen)
{
	struct mc_lru_node *next;

	for (struct mc_lru_node *n = seen->names.oldest; n != NULL; n = next) {
		next = n->newer;
		free(n);
	}
	mc_lru_done(&seen->names);
}

static struct seen_sender *add(struct seen *seen, const struct mc_dedup_id *id, size_t size)
{
	struct seen_sender *sender = mc_alloc_zero(sizeof(*sender));

	if (seen->names.map.len >= seen->len_max) {
		struct mc_lru_node *oldest = seen->names.oldest;

		mc_lru_remove(&seen->names, oldest);
		free(oldest);
	}
	memcpy(sender->taken.name, id->name, sizeof(id->name));
	mc_lru_add(&seen->names, &sender->node, sender->taken.name, size);
	return sender;
}

static struct seen_sender *find(struct seen *seen, const struct mc_dedup_id *id)
{
	size_t size = strcspn(id->name, "/");
	struct seen_sender *sender =
		(struct seen_sender *)mc_lru_find(&seen->names, id->name, size);

	if (sender == NULL)
		return add(seen, id, size);
	mc_lru_use(&seen->names, &sender->node);
	return sender;
}

/* A new run of a sender begins anew. */
static bool is_new(const struct mc_dedup_id *last, const struct mc_dedup_id *id)
{
	return id->number > last->number || strcmp(id->name, last->name) != 0;
}

bool seen_take(struct seen *seen, const struct mc_dedup_id *id)
{
	struct seen_sender *sender = find(seen, id);

	if (!is_new(&sender->taken, id))
		return false;
	sender->taken = *id;
	return true;
}

void seen_store(struct seen *seen, const struct mc_dedup_id *id)
{
	struct seen_sender *sender = find(seen, id);

	if (is_new(&sender->stored, id))
		sender->stored = *id;
	if (is_new(&sender->taken, id) && strcmp(sender->taken.name, id->name) == 0)
		sender->taken = *id;
}

const struct mc_dedup_id *seen_stored(const struct seen *seen, const char *name)
{
	const struct seen_sender *sender =
		(const struct seen_sender *)mc_lru_find(&seen->names, name, strlen(name));

	return sender != NULL && sender->stored.number > 0 ? &sender->stored : NULL;
}

void seen_take_back(struct seen *seen)
{
	for (struct mc_lru_node *n = seen->names.oldest; n != NULL; n = n->newer) {
		struct seen_sender *sender = (struct seen_sender *)n;

		if (strcmp(sender->taken.name, sender->stored.name) != 0)
			sender->taken.number = 0;
		else
			sender->taken.number = sender->stored.number;
	}
}
