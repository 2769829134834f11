/* SPDX-License-Identifier: MIT */
/* The judges among the instances.  Thread: the main one. */
#pragma once

#include <stdbool.h>

struct engine;
struct instance_set;

/* Finds the judges among the instances of a set, before it is published; false without any. */
bool judges_find(struct instance_set *);

/* Whether one of them may rename series, which then need a slot for it. */
bool judges_rename(const struct instance_set *);

/* Logs that a writer gets all series, because there are too many writers. */
void judges_report_unroutable(const char *name);

/* Judges have been started, or are gone: all series are asked about anew.
 * 'left': one that may have set states is gone. */
void judges_renew(struct engine *, bool left);
