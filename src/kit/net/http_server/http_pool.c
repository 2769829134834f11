/* SPDX-License-Identifier: MIT */
#include "kit/net/http_server/http_pool.h"

#include <stdlib.h>

#include <collector/kit/alloc.h>

#include "kit/net/http_server/http_request.h"

void http_pool_init(struct http_pool *pool, http_pool_answer *answer)
{
	*pool = (struct http_pool){ .answer = answer };
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->change, NULL);
}

void http_pool_done(struct http_pool *pool)
{
	pthread_cond_destroy(&pool->change);
	pthread_mutex_destroy(&pool->lock);
}

/* --- The threads --------------------------------------------------------- */

static bool may_begin(const struct http_pool *pool, const struct mc_httpd_request *request)
	MC_REQUIRES(pool->lock)
{
	unsigned busy = 0, waits = 0, both = 0;

	for (unsigned i = 0; i < pool->threads_max; i++) {
		bool same = pool->clients[i] == request->client;

		busy += same;
		waits += pool->waits[i];
		both += same && pool->waits[i];
	}
	if (pool->closed)
		return true;
	if (request->route->waits &&
	    (waits >= pool->waits_max || both >= (pool->waits_max + 1) / 2))
		return false;
	return busy < pool->per_client;
}

/* The thread is the request's from now on; NULL: it is idle. */
static void assign(struct http_pool *pool, unsigned thread, const struct mc_httpd_request *request)
	MC_REQUIRES(pool->lock)
{
	pool->clients[thread] = request != NULL ? request->client : NULL;
	pool->waits[thread] = request != NULL && request->route->waits;
}

/* Takes the one that has waited longest of those that may begin; NULL without one. */
static struct mc_httpd_request *remove_next(struct http_pool *pool) MC_REQUIRES(pool->lock)
{
	struct mc_httpd_request *before = NULL, *request = pool->first;

	for (; request != NULL && !may_begin(pool, request); request = request->next)
		before = request;
	if (request == NULL)
		return NULL;
	if (before == NULL)
		pool->first = request->next;
	else
		before->next = request->next;
	if (pool->last == request)
		pool->last = before;
	pool->len--;
	return request;
}

/* The next task of the thread; NULL: nothing now. */
static struct mc_httpd_request *next_of(struct http_pool *pool, unsigned thread)
	MC_REQUIRES(pool->lock)
{
	struct mc_httpd_request *request = pool->handed[thread];

	pool->handed[thread] = NULL;
	if (request != NULL)
		return request;
	assign(pool, thread, NULL);
	request = remove_next(pool);
	assign(pool, thread, request);
	return request;
}

/* NULL: it is the end. */
static struct mc_httpd_request *take(struct http_pool *pool, unsigned thread, bool *refused)
{
	struct mc_httpd_request *request;

	pthread_mutex_lock(&pool->lock);
	while ((request = next_of(pool, thread)) == NULL && !pool->stopped)
		pthread_cond_wait(&pool->change, &pool->lock);
	*refused = pool->closed;
	pthread_mutex_unlock(&pool->lock);
	return request;
}

static unsigned number_of_thread(struct http_pool *pool)
{
	unsigned number;

	pthread_mutex_lock(&pool->lock);
	number = pool->begun++;
	pthread_mutex_unlock(&pool->lock);
	return number;
}

static void *serve(void *argument)
{
	struct http_pool *pool = argument;
	unsigned thread = number_of_thread(pool);
	struct mc_httpd_request *request;
	bool refused;

	while ((request = take(pool, thread, &refused)) != NULL)
		pool->answer(request, refused);
	return NULL;
}

int http_pool_start(struct http_pool *pool, const struct mc_httpd_limits *limits) MC_NO_LOCK
{
	unsigned threads = (unsigned)limits->pool_threads;
	int rc = 0;

	if (pool->threads_len > 0 || threads == 0)
		return 0;
	pool->waiting_max = (unsigned)limits->pool_waiting;
	pool->threads_max = threads;
	pool->per_client = (threads + 1) / 2;
	pool->waits_max = threads > 1 ? 2 * threads / 3 : 1;
	pool->clients = mc_alloc_array(threads, sizeof(*pool->clients));
	pool->waits = mc_alloc_array(threads, sizeof(*pool->waits));
	pool->handed = mc_alloc_array(threads, sizeof(*pool->handed));
	pool->threads = mc_alloc_array(threads, sizeof(*pool->threads));
	for (; rc == 0 && pool->threads_len < threads; pool->threads_len += rc == 0)
		rc = http_worker_run(&pool->threads[pool->threads_len], serve, pool);
	pool->threads_max = pool->threads_len; /* None else takes any. */
	return rc;
}

void http_pool_stop(struct http_pool *pool) MC_NO_LOCK
{
	pthread_mutex_lock(&pool->lock);
	pool->stopped = true;
	pthread_cond_broadcast(&pool->change);
	pthread_mutex_unlock(&pool->lock);
	while (pool->threads_len > 0)
		pthread_join(pool->threads[--pool->threads_len], NULL);
	free(pool->threads);
	pool->threads = NULL;
	free(pool->clients);
	pool->clients = NULL;
	free(pool->waits);
	pool->waits = NULL;
	free(pool->handed);
	pool->handed = NULL;
}

/* --- Requests ------------------------------------------------------------ */

/* False: none is idle, or its client has as many as it may. */
static bool hand_over(struct http_pool *pool, struct mc_httpd_request *request)
	MC_REQUIRES(pool->lock)
{
	unsigned thread = 0;

	while (thread < pool->threads_max && pool->clients[thread] != NULL)
		thread++;
	if (thread == pool->threads_max || !may_begin(pool, request))
		return false;
	assign(pool, thread, request);
	pool->handed[thread] = request;
	pthread_cond_broadcast(&pool->change);
	return true;
}

/* Whoever is done looks for those that wait: none need be woken. */
static bool enqueue(struct http_pool *pool, struct mc_httpd_request *request)
	MC_REQUIRES(pool->lock)
{
	if (pool->len == pool->waiting_max)
		return false;
	if (pool->first == NULL)
		pool->first = request;
	else
		pool->last->next = request;
	pool->last = request;
	pool->len++;
	return true;
}

bool http_pool_add(struct http_pool *pool, struct mc_httpd_request *request)
{
	bool room;

	request->next = NULL;
	pthread_mutex_lock(&pool->lock);
	room = hand_over(pool, request) || enqueue(pool, request);
	pthread_mutex_unlock(&pool->lock);
	return room;
}

void http_pool_close(struct http_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->closed = true;
	pthread_cond_broadcast(&pool->change);
	pthread_mutex_unlock(&pool->lock);
}
