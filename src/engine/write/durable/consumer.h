/* SPDX-License-Identifier: MIT */
/* A part of a writer that may lag alone: mc_consumer().  It has a cursor and a reader of its
 * own. */
#pragma once

#include <collector/plugin.h>

struct mc_consumer;

/* Frees it and those that were made before it; NULL is fine. */
void consumer_free(struct mc_consumer *);

/* Nothing is kept any more for those whose names the consumers of a successor do not have. */
void consumer_leave(struct mc_consumer *, const struct mc_consumer *successors);

/* The same of what is kept for them: nothing any more. */
void consumer_let_go(struct mc_consumer *);
