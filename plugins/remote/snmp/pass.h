/* SPDX-License-Identifier: MIT */
/* A pass over what is due: tasks to read single values and tables, in phases:
 * rows are found first, then all are read at once, then those without names get
 * them.  When all is read, it is reported. */
#pragma once

#include "device.h"

void pass_init(struct pass *, struct device *, const struct plan_group *);
void pass_done(struct pass *);

/* Begins: its tasks are in the queue of the device. */
void pass_start(struct pass *, struct device *, mc_time now);

/* A task of it has ended, and is freed.  Of one that has 'failed', NULL: not,
 * that is logged, and what else was to be read of its table is not. */
void pass_end_task(struct device *, struct task *, const char *failed);

/* Ends it: reports values that were read as a whole, or none. */
void pass_finish(struct pass *, struct device *, bool report);

/* The next task of the device; NULL: none waits.  And one back, as the first. */
struct task *pass_take_task(struct device *);
void pass_give_back(struct device *, struct task *);
