/* SPDX-License-Identifier: MIT */
#include "known.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/hash.h>

#define HELP_SIZE MC_METRIC_HELP_SIZE

void known_begin(struct known *known, struct mc_batch *batch, const struct described_target *target,
		 const struct page *page)
{
	known->batch = batch;
	known->target = target;
	known->page = page;
	known->round++;
	known->last = NULL;
	known->why = NULL;
	known->refused = known->seen = 0;
}

static struct known_series *guess(const struct known *known)
{
	return known->last != NULL ? known->last->follower : known->first;
}

const struct page_text *known_guess(const struct known *known)
{
	const struct known_series *next = guess(known);

	return next != NULL ? &next->text : NULL;
}

/* --- Making ------------------------------------------------------------------- */

static bool is_taken(const struct known *known, struct mc_series *series)
{
	return mc_map_find(&known->taken, &series, sizeof(series)) != NULL;
}

struct making {
	struct described described;
	char help[HELP_SIZE];
};

/* Another series of the page may have the name that it would get. */
static struct mc_series *find_series(struct known *known, struct making *making,
				     enum described_kind *kind)
{
	struct mc_series *series =
		described_series(known->batch, known->target, &making->described, kind);

	if (series == NULL || !is_taken(known, series))
		return series;
	known->shared++;
	making->described.by_sum = true;
	return described_series(known->batch, known->target, &making->described, kind);
}

static void add(struct known *known, struct known_series *one, struct mc_series *series)
{
	one->node.key = one->bytes;
	one->node.key_size = one->text.size;
	mc_map_add(&known->texts, &one->node);
	if (series == NULL)
		return;
	one->series = mc_hold(series);
	one->taken.key = &one->series;
	one->taken.key_size = sizeof(one->series);
	if (!is_taken(known, one->series))
		mc_map_add(&known->taken, &one->taken);
	else
		one->taken.key = NULL;
}

static struct known_series *make(struct known *known, struct making *making,
				 const struct page_text *text, const char **fault)
{
	struct known_series *one = mc_alloc_zero(sizeof(*one) + text->size + 1);
	struct described *described = &making->described;
	char *copy = mc_alloc_zero(text->size + 1);
	struct mc_series *series = NULL;
	enum described_kind kind;

	memcpy(one->bytes, text->at, text->size);
	memcpy(copy, text->at, text->size);
	one->text = (struct page_text){ one->bytes, text->size };
	*fault = page_labels_read(&described->labels, copy);
	if (*fault == NULL) {
		described->role = page_role_of(known->page, described->labels.name);
		described->sum = mc_hash_bytes(mc_hash_start(), text->at, text->size);
		if (described->role.type != PAGE_UNTYPED)
			page_help_read(known->page->help, making->help, sizeof(making->help));
		described->help = making->help;
		series = find_series(known, making, &kind);
		one->kind = (uint8_t)kind;
	}
	free(copy);
	if (*fault != NULL || (series == NULL && kind != DESCRIBED_NOTHING)) {
		free(one);
		return NULL;
	}
	one->family_type = (uint8_t)known->page->type;
	add(known, one, series);
	return one;
}

/* --- Finding ------------------------------------------------------------------- */

static void give_back(struct known *known, struct known_series *one)
{
	if (one->taken.key != NULL)
		mc_map_remove(&known->taken, &one->taken);
	one->taken.key = NULL;
	mc_release(one->series);
	one->series = NULL;
}

/* It is of another kind now.  Others may know it as their follower until the end of the page. */
static void outdate(struct known *known, struct known_series *one)
{
	mc_map_remove(&known->texts, &one->node);
	give_back(known, one);
	one->text.size = 0;
	one->node.next = known->outdated;
	known->outdated = &one->node;
}

static struct known_series *look_up(struct known *known, const struct page_text *text)
{
	struct known_series *next = guess(known);

	if (next != NULL && next->text.size == text->size &&
	    memcmp(next->bytes, text->at, text->size) == 0)
		return next;
	return (struct known_series *)mc_map_find(&known->texts, text->at, text->size);
}

static void refuse(struct known *known, const char *why)
{
	known->refused++;
	if (known->why == NULL)
		known->why = why;
}

struct known_series *known_find(struct known *known, const struct page_text *text,
				const char **fault)
{
	struct known_series *one = look_up(known, text);

	*fault = NULL;
	if (one != NULL && one->round == known->round) {
		refuse(known, "a series twice");
		return NULL;
	}
	if (one != NULL && one->family_type != known->page->type) {
		outdate(known, one);
		one = NULL;
	}
	if (one == NULL) {
		struct making making = { { .help = "" }, "" };

		one = make(known, &making, text, fault);
	}
	if (one == NULL) {
		if (*fault == NULL)
			refuse(known, "series that may not be made");
		return NULL;
	}
	one->round = known->round;
	known->seen++;
	if (known->last != NULL)
		known->last->follower = one;
	else
		known->first = one;
	known->last = one;
	return one;
}

/* --- Forgetting ------------------------------------------------------------------ */

static void free_outdated(struct known *known)
{
	while (known->outdated != NULL) {
		struct mc_map_node *next = known->outdated->next;

		free(known->outdated);
		known->outdated = next;
	}
}

static void forget(struct known *known, uint64_t round)
{
	struct mc_map_node *node = mc_map_next(&known->texts, NULL), *next;

	for (; node != NULL; node = next) {
		struct known_series *one = (struct known_series *)node;

		next = mc_map_next(&known->texts, node);
		if (one->round == round)
			continue;
		mc_map_remove(&known->texts, node);
		give_back(known, one);
		free(one);
	}
	free_outdated(known);
}

static bool is_gone(const struct known *known, const struct known_series *one)
{
	return one != NULL && one->round != known->round;
}

void known_end(struct known *known)
{
	struct mc_map_node *node = NULL;

	if (known->seen == known->texts.len && known->outdated == NULL)
		return;
	if (is_gone(known, known->first))
		known->first = NULL;
	while ((node = mc_map_next(&known->texts, node)) != NULL) {
		struct known_series *one = (struct known_series *)node;

		if (is_gone(known, one->follower))
			one->follower = NULL;
	}
	known->last = NULL;
	forget(known, known->round);
}

void known_clear(struct known *known)
{
	known->round++;
	forget(known, known->round);
	mc_map_done(&known->texts);
	mc_map_done(&known->taken);
	known->first = known->last = NULL;
}
