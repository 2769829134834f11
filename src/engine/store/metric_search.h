/* SPDX-License-Identifier: MIT */
/* A search for metrics by a label.  Sets of labels are few beside the series that have them, so
 * each is looked at once, and remembers what was found. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct mc_series;
struct metric_search;
struct metric_table;

/* 'label' is that of mc_metric_matches().  Thread: one for each search. */
struct metric_search *metric_search_new(struct metric_table *, const char *label);
void metric_search_free(struct metric_search *);

/* Keeps those series of a block whose metric matches; returns how many.  They must be kept alive.
 */
size_t metric_search_keep(struct metric_search *, struct mc_series **block, size_t len);
