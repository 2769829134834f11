/* SPDX-License-Identifier: MIT */
/* Templates of the requests of each sender: a sender sends the same series again and again, so
 * only the numbers need to be read.  Thread: any. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include <collector/kit/lock.h>
#include <collector/kit/map.h>
#include <collector/private/otlp.h>

struct mc_otlp_templates {
	size_t bytes_max;      /* Of memory; 0: no templates. */
	_Atomic uint64_t used; /* Pieces that matched a template. */
	pthread_mutex_t lock;
	struct mc_lru names MC_GUARDED_BY(lock); /* Of struct template. */
	size_t bytes MC_GUARDED_BY(lock);
};

void mc_otlp_templates_init(struct mc_otlp_templates *, size_t bytes_max);
void mc_otlp_templates_done(struct mc_otlp_templates *);

/* As mc_otlp_put(), with the templates of that sender. */
bool mc_otlp_templates_put(struct mc_otlp_templates *, const char *sender, struct mc_batch *,
			   const struct mc_otlp_request *, struct mc_otlp_result *);
