/* SPDX-License-Identifier: MIT */
/* The labels of hosts that other collectors measure, as they send them: kept here, so that they go
 * on from here.  Thread: any. */
#pragma once

#include <pthread.h>

#include <collector/kit/lock.h>
#include <collector/kit/map.h>

#include "formats/otlp/otlp.h"

#define MC_HOST_LABELS_MAX 65536                  /* As many as the core remembers. */
#define MC_HOST_LABELS_FORGET (86400 * MC_SECOND) /* After so long without news. */

struct mc_host_labels {
	struct mc_ctx *ctx;
	pthread_mutex_t telling; /* Held from a change until it is reported, so that the last one is
				    the last one reported. */
	pthread_mutex_t lock;    /* Taken after the other. */
	struct mc_lru names MC_GUARDED_BY(lock); /* Of hosts with labels. */
};

void mc_host_labels_init(struct mc_host_labels *, struct mc_ctx *);
void mc_host_labels_done(struct mc_host_labels *);

/* The streams of the hosts of a batch that is being filled: collector/private/stream.h. */
struct mc_host_streams {
	struct mc_batch *batch;
	struct mc_map hosts; /* Zero at first. */
};
void mc_host_streams_done(struct mc_host_streams *);

/* Gives the batch the stream of a resource's host, and the core the labels of it, if they are new;
 * those of a foreign sender are in its metrics.  A host without labels keeps those from another
 * sender.  'tenant' is whose the host is (tenant.h), whatever the resource says, or "" for
 * nobody's; NULL: as the resource says.  The resource's bytes live as long as the streams.  False:
 * the host has another stream in the batch, which has room for one of each. */
bool mc_host_labels_learn(struct mc_host_labels *, struct mc_host_streams *,
			  const struct mc_otlp_resource *, const char *tenant);

/* Has those forgotten of hosts of which nobody has sent any for long. */
void mc_host_labels_forget(struct mc_host_labels *);
