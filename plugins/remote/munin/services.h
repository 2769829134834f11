/* SPDX-License-Identifier: MIT */
/* The services of a spool, and up to which time each was taken.  One thread at
 * a time. */
#ifndef MUNIN_SERVICES_H
#define MUNIN_SERVICES_H

#include <collector/kit/map.h>
#include <collector/plugin.h>

struct service { /* Of a node; kept for as long as the node is. */
	struct mc_map_node node;
	mc_time last;     /* Of its values, in whole seconds. */
	mc_time saved;    /* 'last', as the file has it; ... */
	uint64_t number;  /* ... with that batch, */
	mc_time promised; /* and its time, while the file is read. */
	bool fresh;       /* More may follow behind 'last'. */
	mc_time before;   /* 'last' when the present answer began. */
	mc_time interval; /* Of its update_rate; 0: that of the node. */
	bool aligned;
	char name[];
};

/* The service of that name, which is made if it is not there; NULL: there are
 * too many. */
struct service *services_find(struct mc_map *, const char *name);

/* The one after 'service', or the first after NULL; NULL at the end. */
struct service *services_next(const struct mc_map *, const struct service *);

void services_free(struct mc_map *);

#endif
