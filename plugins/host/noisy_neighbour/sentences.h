/* SPDX-License-Identifier: MIT */
/* The sentences of the last reads about guests that suffer, for people who ask at any time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/kit/lock.h>

struct sentence {
	unsigned resource;
	char *host, *instance; /* Of the guest's series. */
	char *text;
};

struct sentences {
	pthread_mutex_t lock;
	struct sentence *items MC_PT_GUARDED_BY(lock);
	size_t len MC_GUARDED_BY(lock);
	size_t room MC_GUARDED_BY(lock);
};

void sentences_init(struct sentences *);
void sentences_done(struct sentences *);

/* Forgets those about a resource, as it is read again. */
void sentences_clear(struct sentences *, unsigned resource);

/* 'instance' may be "". */
void sentences_set(struct sentences *, unsigned resource, const char *host, const char *instance,
		   const char *text);
void sentences_remove(struct sentences *, unsigned resource, const char *host,
		      const char *instance);

/* The sentence about that guest and resource, freed by the caller; NULL without one.
 * Thread: any. */
char *sentences_find(struct sentences *, unsigned resource, const char *host, const char *instance);
