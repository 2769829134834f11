/* SPDX-License-Identifier: MIT */
/* All hosts with their states and figures.  A table is made in one walk over all series, and never
 * changes.  It says when it is out of date: after 250 times what the walk took, so that walks take
 * 0.4 % of a core however many look. */
#pragma once

#include <collector/kit/map.h>
#include <collector/label.h>
#include <collector/metric.h>

#include "host_values.h"
#include "silent.h"

#define HOST_TABLE_HOSTS_MAX 100000 /* Further hosts are counted. */
#define HOST_TABLE_LABELS_MAX 64    /* Names of labels, of all hosts. */
#define HOST_METRIC_SIZE 512

enum host_state { /* In the order of their weight. */
		  HOST_OKAY,
		  HOST_WARNING, /* Of at least one series or alert, as of the next two. */
		  HOST_MISSING,
		  HOST_FAILURE,
		  HOST_SILENT,  /* All of its series are missing. */
		  HOST_ENDED,   /* All of its series have ended. */
		  HOST_AWAITED, /* It lived until the start, and may come back. */
		  HOST_STATES_LEN,
};

struct host_row {
	struct mc_map_node node; /* By name. */
	mc_time newest;          /* Of its samples. */
	uint64_t series, missing;
	uint64_t warning, failure; /* Series, and alerts that are of none of these. */
	enum host_state state;
	bool is_awaited;                /* Some of its series may come back. */
	bool is_past;                   /* It has ended more than SILENT_TIME ago. */
	double values[HOST_VALUES_LEN]; /* NaN: it has no such series. */
	double metric;                  /* The largest of its series of the metric; or NaN. */
	struct host_sums *sums;         /* While the table is made. */
	struct mc_metric *resource;     /* Of one of its series, for its labels; NULL without. */
	char name[];
};

struct host_table {
	struct host_row **rows; /* By name: "host9" is before "host10". */
	size_t len;
	uint64_t left_out;                   /* Hosts beyond HOST_TABLE_HOSTS_MAX. */
	char *labels[HOST_TABLE_LABELS_MAX]; /* Their names, sorted. */
	unsigned labels_len;
	struct mc_map by_name;  /* Of struct host_row. */
	mc_time renewed, stale; /* mc_now(): when it is out of date, and of no more use at all. */
	_Atomic unsigned references;
};

/* Makes the table of now.  'metric': a glob of names without their host, such as "load/" "*", whose
 * largest rate each host has as its metric; or NULL.  The caller has a reference.  Thread: any that
 * may block. */
struct host_table *host_table_make(struct mc_ctx *, struct silent *, const char *metric);

/* One more reference; and gives one back, and with the last one the table.  Thread: any. */
struct host_table *host_table_share(struct host_table *);
void host_table_release(struct host_table *);

/* The row of that host, or NULL.  Thread: any. */
const struct host_row *host_table_find(const struct host_table *, const char *name);

/* Calls visit() for each label of the host, at most MC_LABELS_MAX; of one without any, for the
 * attributes of the resource that one of its series is of.  Thread: any. */
void host_table_each_label(struct mc_ctx *, const struct host_row *,
			   void (*visit)(void *argument, const struct mc_field *label),
			   void *argument);
