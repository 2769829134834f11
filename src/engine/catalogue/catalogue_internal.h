/* SPDX-License-Identifier: MIT */
/* The inside of the catalogue, for catalogue.c, its thread, catalogue_load.c, which reads the file,
 * and catalogue_ask.c, all others.  Under its lock that of metrics may be taken, but no other. */
#pragma once

#include <pthread.h>

#include <collector/kit/lock.h>

#include "engine/catalogue/catalogue.h"
#include "engine/catalogue/catalogue_file.h"
#include "engine/catalogue/catalogue_metrics.h"
#include "engine/catalogue/past.h"

struct catalogue {
	char *path;
	size_t limit;
	struct store *store;
	struct mc_ctx *self;
	mc_time started; /* clock_now() */
	pthread_t thread;
	bool threaded;

	pthread_mutex_t lock;
	pthread_cond_t change;
	struct past_table past MC_GUARDED_BY(lock);
	bool stopping MC_GUARDED_BY(lock);
	bool loaded MC_GUARDED_BY(lock);
	mc_time load_end MC_GUARDED_BY(lock);             /* thread_time(): nobody waits longer. */
	struct records records MC_GUARDED_BY(lock);       /* To be appended. */
	uint64_t flushes MC_GUARDED_BY(lock);             /* That have ended. */
	bool wanted MC_GUARDED_BY(lock);                  /* Somebody waits for one. */
	bool in_vain MC_GUARDED_BY(lock);                 /* To wait for the next one. */
	bool settled MC_GUARDED_BY(lock);                 /* CATALOGUE_GRACE is over. */
	mc_time lived_until MC_GUARDED_BY(lock);          /* 'alive_before', of the start. */
	void (*scan)(void *argument) MC_GUARDED_BY(lock); /* NULL: none is due. */
	void *scan_argument MC_GUARDED_BY(lock);

	/* Thread: its own. */
	struct catalogue_file file;
	struct catalogue_metrics metrics;
	mc_time alive_before; /* Last record of what lives; 0: none. */
	mc_time alive_due, metrics_due, retry_due;
	mc_time flush_due; /* While it scans. */
	bool empty;        /* The file had nothing. */
	bool stale;        /* The file lacks something: it is to be written anew. */
	bool failing;
	bool in_memory; /* The file could not be read. */
};

/* Adds a record with its metric, and those of the parts that it has; without one: that it has none
 * now. */
void catalogue_add_with_metric(struct catalogue *, struct records *, struct catalogue_record *,
			       const struct metric_kept *);

/* The record that a series has now, without its metric; its name is not copied. */
struct catalogue_record catalogue_record_of(const struct past *);
