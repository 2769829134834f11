/* SPDX-License-Identifier: MIT */
/* Instances that are started, or stopped, together: all of them, or those that
 * a change of the configuration is about. */
#pragma once

#include <collector/plugin.h>

struct instance;
struct journal_writer;

struct group {
	struct instance **items;
	unsigned len;
	void (*before_run)(void); /* Or NULL. */
};

/* Ends the writer of an instance that has not started: what it was given is lost, and counted. */
void group_give_up(struct instance *);

/* Starts those that log, then those that write, then the rest, and lets the writers begin; then,
 * after before_run(), whatever runs.  One that does not start is logged and takes nothing unless it
 * has a fallback.  Returns how many these are. */
unsigned group_start(const struct group *);

/* Stops them within 'limit' of real time, counted from 'now': sources first, then the journal
 * writer, if it is to be stopped, or NULL, then the queues of the writers, then the writers.  They
 * read no more.  Those that do not end stay, which is logged; false if any does. */
bool group_stop(const struct group *, struct journal_writer *, mc_time now, mc_time limit);
