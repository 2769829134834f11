/* SPDX-License-Identifier: MIT */
/* Which samples of a batch are for a writer: judges may keep some from it; see engine/judge/. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <collector/plugin.h>

struct mc_batch;
struct queue_item;
struct writer;

/* The flag of samples that the writer does not get, from judge_route_of(); set before it begins. */
void route_set(struct writer *, uint32_t flag);
uint32_t route_of(const struct writer *);

/* Its name, if it takes samples that are late by so much, else NULL: see mc_accept_late(). */
const char *route_accepts_late(const struct writer *, mc_time by);

/* Flags of judges: of this one, whose writer it is, and if it commits in
 * write(), of those by whom the batch was derived that it has in hand. */
uint32_t route_lineage(struct writer *);

/* Samples of a batch that count for the writer: those that are for it; all, if the batch is in the
 * journal, where that is unknown before it is read. */
uint64_t route_count(const struct writer *, const struct queue_item *);
