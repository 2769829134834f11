/* SPDX-License-Identifier: MIT */
/* The services of a spool, and up to which time each was taken.  Thread: one at a time. */
#pragma once

#include <collector/kit/map.h>
#include <collector/plugin.h>

struct saved_time { /* As the file has it. */
	mc_time time;
	uint64_t number; /* Of the batch with which it counts. */
	mc_time before;  /* It counts until that batch is safe. */
};

struct service { /* Of a node. */
	struct mc_map_node node;
	mc_time last; /* Of its values, in whole seconds. */
	struct saved_time saved;
	bool fresh;       /* More may follow after 'last'. */
	mc_time before;   /* 'last' when the present answer began. */
	mc_time interval; /* Of its update_rate; 0: that of the node. */
	bool aligned;
	char name[];
};

/* The service of that name, which is made if it is not there; NULL: there are too many. */
struct service *services_find(struct mc_map *, const char *name);

/* The one after 'service', or the first after NULL; NULL at the end. */
struct service *services_next(const struct mc_map *, const struct service *);

/* Forgets those whose last value is older than that. */
void services_forget(struct mc_map *, mc_time oldest);

void services_free(struct mc_map *);
