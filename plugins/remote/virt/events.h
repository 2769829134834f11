/* SPDX-License-Identifier: MIT */
/* Events of libvirt: notifications at once, and what reads need not ask for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <libvirt/libvirt.h>

#include <collector/plugin.h>

#define EVENTS_CHANGES_MAX 256 /* More, and all guests are read anew. */

struct link;
struct sink;

struct events {            /* Of the reader, all but the sink. */
	struct link *link; /* On which they come, and nothing hangs for long. */
	bool writes;       /* It may arm thresholds. */
	unsigned refusals; /* Of a connection that writes, in a row. */
	bool works;        /* The last events_connect() succeeded. */
	struct sink *sink; /* Shared with libvirt's threads. */
};

/* Changes since the last call. */
struct events_changes {
	bool all;
	bool missed_some; /* And events before were not received. */
	size_t len;
	unsigned char uuids[EVENTS_CHANGES_MAX][VIR_UUID_BUFLEN];
};

/* Before any connection is opened. */
int events_start(struct mc_ctx *ctx);

/* Makes sure that events come; a new connection counts as a change of all. */
void events_connect(struct mc_ctx *ctx, mc_time limit);

void events_take(struct mc_ctx *ctx, struct events_changes *changes);

/* Serves libvirt's connections until the instance must stop. */
int events_run(struct mc_ctx *ctx);

/* After it, no event touches the instance any more. */
void events_stop(struct mc_ctx *ctx);
