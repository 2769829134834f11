/* SPDX-License-Identifier: MIT */
/* What the requests of each sender are like: a sender sends the same series
 * again and again, and then only numbers are to be read.  Any thread. */
#ifndef OTLP_TEMPLATE_H
#define OTLP_TEMPLATE_H

#include <pthread.h>
#include <stdatomic.h>

#include <collector/otlp.h>

#include "names.h"

struct templates {
	size_t bytes_max;      /* Of memory; 0: nothing is remembered. */
	_Atomic uint64_t used; /* Pieces that were like one before. */
	pthread_mutex_t lock;  /* Guards all below. */
	struct names names;    /* Of struct form. */
	size_t bytes;
};

void template_init(struct templates *, size_t bytes_max);
void template_done(struct templates *);

/* As mc_otlp_put(), by what is known of the requests of that sender. */
bool template_put(struct templates *, const char *sender, struct mc_batch *,
		  const struct mc_otlp_request *, struct mc_otlp_result *);

#endif
