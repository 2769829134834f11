/* SPDX-License-Identifier: MIT */
/* The tables of hosts that an instance of web keeps, so that all who ask share them. */
#pragma once

#include <pthread.h>

#include <collector/kit/lock.h>

#include "host_table.h"

/* One for each metric; then the one that was not used for longest goes. */
#define HOST_TABLES_MAX 8

struct host_tables {
	pthread_mutex_t lock;
	pthread_cond_t made; /* A table. */
	struct host_slot *slots MC_GUARDED_BY(lock);
};

void host_tables_init(struct host_tables *);
void host_tables_done(struct host_tables *);

/* The table of now, or one that is not out of date; of the second of two who ask while it is made
 * the one before, if it is not old.  Metric and references as in host_table_make().  Thread: any
 * that may block. */
struct host_table *host_tables_get(struct host_tables *, struct mc_ctx *, struct silent *,
				   const char *metric);

/* All tables are out of date.  Thread: any. */
void host_tables_renew(struct host_tables *);
