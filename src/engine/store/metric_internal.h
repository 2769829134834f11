/* SPDX-License-Identifier: MIT */
/* The inside of the table of metrics, for metric.c, which keeps them, and metric_search.c. */
#pragma once

#include <pthread.h>

#include <collector/kit/lock.h>

#include "engine/store/metric.h"
#include "engine/store/quota/quota.h"
#include "model/label_set.h"

struct metric_family { /* The common part of all points of a metric. */
	struct label_shared shared;
	struct metric_table *table;
	uint8_t kind;
	bool delta;
	struct label_set *scope_labels;
	const char *scope, *scope_version, *help; /* After the name. */
	char name[];
};

struct metric_kept { /* The metric of a series. */
	struct metric_family *family;
	struct label_set *labels, *resource;
	struct mc_quota *quota;
	unsigned references; /* By the series, and by readers. */
	uint8_t part;
	bool integer;
	double bound;
	mc_time start;
};

struct metric_table {
	pthread_mutex_t lock;
	void *families MC_GUARDED_BY(lock);
	void *label_sets MC_GUARDED_BY(lock);
	struct room room MC_GUARDED_BY(lock);
	uint32_t searches MC_GUARDED_BY(lock); /* The number of the last one. */
	struct mc_quota past;                  /* Of series that have ended. */
};
