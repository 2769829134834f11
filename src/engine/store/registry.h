/* SPDX-License-Identifier: MIT */
/* Makes series of names: in the store, of a type, in a unit; and the labels of its host.  One per
 * engine, for all that make batches.  The functions of the plugin API that look series up are in
 * registry.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/plugin.h>

struct graph_rules;
struct labels;
struct mc_ended;
struct mc_metric;
struct store;
struct type_set;
struct units;

/* Looks up series that have ended: see engine/catalogue/, which is above this floor. */
struct registry_past {
	bool (*find)(void *argument, const char *name, size_t size, struct mc_ended *,
		     struct mc_metric *);
	bool (*find_metric)(void *argument, const char *name, size_t size, struct mc_metric *);
	size_t (*each)(void *argument, const char *glob,
		       bool (*show)(void *show_argument, const struct mc_ended *),
		       void *show_argument);
	void *argument;
};

struct registry {
	struct store *store;
	const struct type_set *_Atomic types;     /* A replaced part stays. */
	struct units *units;                      /* Of series whose type can be in any. */
	struct labels *labels;                    /* Of hosts. */
	struct registry_past past;                /* All NULL: none is known. */
	const struct graph_rules *_Atomic graphs; /* Replaced ones stay. */
};

/* A series that was made of a record gets the metric that it had before, if it has none. */
void registry_recall_metric(struct registry *, struct mc_series *);

/* The series that has ended, as it was when it left the store, but without its values, or the
 * living one of that name; NULL if its type is not known any more.  It lives as long as a batch
 * that was begun before the call. */
struct mc_series *registry_recreate(struct registry *, const struct mc_ended *);
