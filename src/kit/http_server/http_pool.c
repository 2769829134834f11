/* SPDX-License-Identifier: MIT */
#include "kit/http_server/http_pool.h"

#include <stdlib.h>

#include <collector/kit/alloc.h>

#include "kit/http_server/http_request.h"

void http_pool_init(struct http_pool *pool)
{
	*pool = (struct http_pool){ 0 };
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->change, NULL);
}

void http_pool_done(struct http_pool *pool)
{
	pthread_cond_destroy(&pool->change);
	pthread_mutex_destroy(&pool->lock);
}

/* --- The threads --------------------------------------------------------- */

/* The request that has waited longest; NULL: it is the end. */
static struct mc_httpd_request *take(struct http_pool *pool, bool *refused)
{
	struct mc_httpd_request *request;

	pthread_mutex_lock(&pool->lock);
	while (pool->first == NULL && !pool->stopped)
		pthread_cond_wait(&pool->change, &pool->lock);
	request = pool->first;
	if (request != NULL) {
		pool->first = request->next;
		pool->len--;
	}
	*refused = pool->closed;
	pthread_mutex_unlock(&pool->lock);
	return request;
}

static void *serve(void *argument)
{
	struct http_pool *pool = argument;
	struct mc_httpd_request *request;
	bool refused;

	while ((request = take(pool, &refused)) != NULL) {
		if (refused)
			mc_httpd_refuse(request, 503, "it ends");
		else
			request->route->handle(request);
		mc_httpd_resume(request);
	}
	return NULL;
}

int http_pool_start(struct http_pool *pool,
		    const struct mc_httpd_limits *limits)
{
	unsigned threads = (unsigned)limits->pool_threads;
	int rc = 0;

	if (pool->threads_len > 0 || threads == 0)
		return 0;
	pool->waiting_max = (unsigned)limits->pool_waiting;
	pool->threads = mc_alloc_array(threads, sizeof(*pool->threads));
	for (; rc == 0 && pool->threads_len < threads;
	     pool->threads_len += rc == 0)
		rc = http_worker_run(&pool->threads[pool->threads_len], serve,
				     pool);
	return rc;
}

void http_pool_stop(struct http_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->stopped = true;
	pthread_cond_broadcast(&pool->change);
	pthread_mutex_unlock(&pool->lock);
	while (pool->threads_len > 0)
		pthread_join(pool->threads[--pool->threads_len], NULL);
	free(pool->threads);
	pool->threads = NULL;
}

/* --- Requests ------------------------------------------------------------ */

bool http_pool_add(struct http_pool *pool, struct mc_httpd_request *request)
{
	bool room;

	request->next = NULL;
	pthread_mutex_lock(&pool->lock);
	room = pool->len < pool->waiting_max;
	if (room) {
		if (pool->first == NULL)
			pool->first = request;
		else
			pool->last->next = request;
		pool->last = request;
		pool->len++;
		pthread_cond_signal(&pool->change);
	}
	pthread_mutex_unlock(&pool->lock);
	return room;
}

void http_pool_close(struct http_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->closed = true;
	pthread_mutex_unlock(&pool->lock);
}
