/* SPDX-License-Identifier: MIT */
/* Bodies that clients want kept, because their next ones refer to them: see
 * kit/net/http_dictionary.h. Each belongs to its client; those not asked for longest make way.
 * Thread: any. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/kit/lock.h>
#include <collector/kit/map.h>

struct http_dictionary;
struct http_dictionaries {
	size_t size_max; /* Bytes of all; 0: none is kept. */
	pthread_mutex_t lock;
	struct mc_lru kept MC_GUARDED_BY(lock);
	size_t size MC_GUARDED_BY(lock);
	_Atomic uint64_t used, missed;
};

void http_dictionaries_init(struct http_dictionaries *, size_t size_max);
void http_dictionaries_done(struct http_dictionaries *) MC_NO_LOCK;

/* Takes one out, to be freed with free(); NULL: it is not there. */
struct http_dictionary *http_dictionaries_take(struct http_dictionaries *, const char *client,
					       uint32_t number);
const void *http_dictionaries_bytes(const struct http_dictionary *, size_t *size);

/* Keeps a copy. */
void http_dictionaries_keep(struct http_dictionaries *, const char *client, uint32_t number,
			    const void *bytes, size_t size);
