/* SPDX-License-Identifier: MIT */
/* Writers one after the other, for calls on any thread that may wait for a disk. */
#pragma once

#include <stdbool.h>

struct engine;
struct instance;
struct mc_writer;

/* The writer after 'before', which is left, that has such a callback; the first after NULL; NULL at
 * the end.  It is not stopped before it is left. */
struct instance *writers_next(struct engine *, struct instance *before,
			      bool (*has)(const struct mc_writer *));
void writers_leave(struct instance *); /* NULL is fine. */
