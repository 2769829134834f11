/* SPDX-License-Identifier: MIT */
/* Makes series of names: in the store, of a type, in a unit; and the labels of its host.  One per
 * engine, for all that make batches.  The functions of the plugin API that look series up are in
 * catalog.c. */
#pragma once

struct labels;
struct store;
struct type_set;
struct units;

struct catalog {
	struct store *store;
	const struct type_set *_Atomic types; /* A replaced part stays. */
	struct units *units;                  /* Of series whose type can be in any. */
	struct labels *labels;                /* Of hosts. */
};
