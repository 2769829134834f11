/* SPDX-License-Identifier: MIT */
/* Alerts that the engine knows itself, and time in the life of all: once an interval. */
#pragma once

struct engine;

/* Sets the states of readers, writers and the journal, ends those of plugins that are gone, and
 * silences whose time is over.  Thread: that of the engine's own read(). */
void alerting_look(struct engine *);
