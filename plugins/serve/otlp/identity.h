/* SPDX-License-Identifier: MIT */
/* Which of several foreign senders has a name: after a restart the same sender under another
 * identifier, not a second one that is alive.  Thread: any. */
#pragma once

#include <pthread.h>

#include <collector/kit/lock.h>
#include <collector/kit/lru.h>

#include "formats/otlp/otlp.h"

struct identities {
	size_t len_max;
	mc_time default_value; /* Interval of senders that were heard once. */
	mc_time started;       /* No sender was heard before that. */
	pthread_mutex_t lock;
	struct mc_lru names MC_GUARDED_BY(lock); /* Of struct identity. */
	bool changed MC_GUARDED_BY(lock);        /* Something new is to be kept. */
};

void identity_init(struct identities *, size_t len_max, mc_time default_value);
void identity_done(struct identities *);

/* As claim() of struct mc_otlp_naming; the argument is a struct identities. */
enum mc_otlp_name identity_claim(void *identities, const struct mc_otlp_claim *);

/* Whether a name has got another sender since they were kept. */
bool identity_changed(struct identities *);

/* Reads the file of names and senders, and writes it.  Both return 0 or a negative errno; a file
 * that is not there is empty. */
int identity_load(struct identities *, const char *path);
int identity_save(struct identities *, const char *path);
