/* SPDX-License-Identifier: MIT */
/* Users and their passwords: a file of htpasswd(1), whose hashes are those of crypt(5).
 * Thread: any. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include <collector/kit/lock.h>
#include <collector/kit/map.h>
#include <collector/plugin.h>

#define HTTP_USERS_TRIES 5   /* Wrong passwords of a client within */
#define HTTP_USERS_WINDOW 60 /* this number of seconds. */

struct http_users {
	pthread_mutex_t lock;
	struct mc_map users MC_GUARDED_BY(lock);
	struct mc_lru tries MC_GUARDED_BY(lock); /* By client. */
	mc_time logged MC_GUARDED_BY(lock);      /* A client is shut out. */
	unsigned char secret[32];                /* Of this start; never changes. */
};

void http_users_init(struct http_users *);
void http_users_done(struct http_users *) MC_NO_LOCK;

/* Takes the users of that text in place of those that are there.  0, or the
 * number of the line that is wrong, and why: nothing has changed then. */
unsigned http_users_set(struct http_users *, const char *text, const char **why);

/* Whether http_users_set() would take a text: results as above.  Pure. */
unsigned http_users_check(const char *text, const char **why);

/* Looks at a header Authorization, which may be NULL.  0: that user may ask;
 * else 401, or 429: the client has tried too often.  'news': that is to be
 * logged.  May take half a second, as hashes are made to. */
unsigned http_users_judge(struct http_users *, const char *authorization, const char *client,
			  bool *news);
