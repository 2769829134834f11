/* SPDX-License-Identifier: MIT */
#include "engine/catalogue/past.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/alloc.h"
#include "engine/store/metric.h"

#define PLACES_FIRST 1024 /* A power of two. */

static struct past **place_of(const struct past_table *table, uint32_t hash)
{
	return &table->places[hash & (table->places_len - 1)];
}

struct past *past_find(const struct past_table *table, const char *name, size_t size)
{
	uint32_t hash = (uint32_t)XXH3_64bits(name, size);

	if (table->len == 0)
		return NULL;
	for (struct past *past = *place_of(table, hash); past != NULL; past = past->chain)
		if (past->hash == hash && past->name_size == size &&
		    memcmp(past->name, name, size) == 0)
			return past;
	return NULL;
}

static void put(struct past_table *table, struct past *past)
{
	struct past **place = place_of(table, past->hash);

	past->chain = *place;
	*place = past;
}

static void grow(struct past_table *table)
{
	struct past_table old = *table;
	struct past *next;

	table->places_len = old.places_len == 0 ? PLACES_FIRST : 2 * old.places_len;
	table->places = alloc_array(table->places_len, sizeof(struct past *));
	for (size_t i = 0; i < old.places_len; i++) {
		for (struct past *past = old.places[i]; past != NULL; past = next) {
			next = past->chain;
			put(table, past);
		}
	}
	free(old.places);
}

struct past *past_add(struct past_table *table, const char *name, size_t size)
{
	struct past *past = alloc_zero(sizeof(*past) + size + 1);

	memcpy(past->name, name, size);
	past->name_size = (uint16_t)size;
	past->hash = (uint32_t)XXH3_64bits(name, size);
	if (table->len >= table->places_len)
		grow(table);
	put(table, past);
	table->len++;
	return past;
}

static void unlink_ended(struct past_table *table, struct past *past)
{
	*(past->older != NULL ? &past->older->newer : &table->oldest) = past->newer;
	*(past->newer != NULL ? &past->newer->older : &table->newest) = past->older;
	past->older = past->newer = NULL;
	table->ended_len--;
}

static void unlink_away(struct past_table *table, struct past *past)
{
	*(past->older != NULL ? &past->older->newer : &table->away) = past->newer;
	if (past->newer != NULL)
		past->newer->older = past->older;
	past->older = past->newer = NULL;
}

void past_set_away(struct past_table *table, struct past *past, bool away)
{
	if (past->away)
		unlink_away(table, past);
	past->away = away;
	if (!away)
		return;
	past->newer = table->away;
	if (past->newer != NULL)
		past->newer->older = past;
	table->away = past;
}

void past_clear_away(struct past_table *table)
{
	while (table->away != NULL)
		past_set_away(table, table->away, false);
}

void past_set_ended(struct past_table *table, struct past *past, bool ended)
{
	if (past->ended)
		unlink_ended(table, past);
	else if (past->away)
		unlink_away(table, past);
	past->ended = ended;
	past->away = past->away && ended;
	if (!ended)
		return;
	past->older = table->newest;
	*(table->newest != NULL ? &table->newest->newer : &table->oldest) = past;
	table->newest = past;
	table->ended_len++;
}

void past_set_metric(struct past *past, struct metric_kept *metric)
{
	metric_let_go(past->metric);
	past->metric = metric;
}

void past_remove(struct past_table *table, struct past *past)
{
	struct past **at = place_of(table, past->hash);

	while (*at != past)
		at = &(*at)->chain;
	*at = past->chain;
	past_set_ended(table, past, false);
	table->len--;
	metric_let_go(past->metric);
	free(past);
}

struct past *past_end(struct past_table *table, const struct catalogue_record *record)
{
	struct past *past = past_find(table, record->name, record->name_size);

	if (past == NULL) {
		past = past_add(table, record->name, record->name_size);
		past->first = record->first;
	}
	if (record->first < past->first)
		past->first = record->first;
	past->last = record->last;
	past->interval = record->interval;
	past_set_ended(table, past, true);
	return past;
}

void past_trim(struct past_table *table, size_t limit)
{
	while (table->ended_len > limit)
		past_remove(table, table->oldest);
}

struct past *past_next(const struct past_table *table, const struct past *past)
{
	size_t place = 0;

	if (past != NULL && past->chain != NULL)
		return past->chain;
	if (past != NULL)
		place = (past->hash & (table->places_len - 1)) + 1;
	for (; place < table->places_len; place++)
		if (table->places[place] != NULL)
			return table->places[place];
	return NULL;
}

void past_done(struct past_table *table)
{
	struct past *next;

	for (size_t i = 0; i < table->places_len; i++) {
		for (struct past *past = table->places[i]; past != NULL; past = next) {
			next = past->chain;
			metric_let_go(past->metric);
			free(past);
		}
	}
	free(table->places);
	*table = (struct past_table){ 0 };
}
