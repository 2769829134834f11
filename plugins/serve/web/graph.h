/* SPDX-License-Identifier: MIT */
/* Histories as pictures, and a page of them without JavaScript. */
#pragma once

#include <pthread.h>

#include <collector/kit/http_server.h>
#include <collector/kit/lock.h>
#include <collector/kit/map.h>

#define GRAPH_PATH "/graph/"   /* And NAME.png: a picture. */
#define GRAPHS_PATH "/graphs/" /* And a name: day, week, month and year. */

struct graphs { /* Pictures that were drawn just now. */
	pthread_mutex_t lock;
	struct mc_lru pictures MC_GUARDED_BY(lock);
	size_t size MC_GUARDED_BY(lock);
};

void graph_init(struct graphs *);
void graph_done(struct graphs *) MC_NO_LOCK;

/* ?range=day&width=600&height=150; from and to in place of range. */
void graph_answer(struct mc_httpd_request *);
void graph_page(struct mc_httpd_request *);
