/* SPDX-License-Identifier: MIT */
/*
 * Lookups where libc has no getaddrinfo_a(3), as musl: by threads, THREADS at most, each of which
 * ends when no query waits.  A thread may run when its plugin has ended.  So this is only for a
 * libc whose dlclose() leaves the code where it is: musl's does.
 */
#include <collector/kit/address.h>

#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/lock.h>

#define THREADS 20
#define STACK_SIZE (256 << 10)

struct mc_lookup_query {
	struct mc_lookup_query *next; /* That waits. */
	struct addrinfo hints, *result;
	int rc;
	bool ended;
	bool given_up; /* The thread that has it frees it. */
	const char *port;
	char names[]; /* The host, and the port. */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mc_lookup_query *first MC_GUARDED_BY(lock), **last MC_GUARDED_BY(lock) = &first;
static unsigned threads MC_GUARDED_BY(lock);

static void free_query(struct mc_lookup_query *query)
{
	if (query->result != NULL)
		freeaddrinfo(query->result);
	free(query);
}

static struct mc_lookup_query *take(void) MC_REQUIRES(lock)
{
	struct mc_lookup_query *query = first;

	if (query == NULL)
		return NULL;
	first = query->next;
	if (first == NULL)
		last = &first;
	query->next = NULL;
	return query;
}

static void *run(void *unused)
{
	struct mc_lookup_query *query;
	int rc;

	(void)unused;
	pthread_mutex_lock(&lock);
	while ((query = take()) != NULL) {
		pthread_mutex_unlock(&lock);
		rc = getaddrinfo(query->names, query->port, &query->hints, &query->result);
		pthread_mutex_lock(&lock);
		query->rc = rc;
		query->ended = true;
		if (query->given_up)
			free_query(query);
	}
	threads--;
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* One more thread, which gets no signals; 0, or an errno. */
static int start_thread(void)
{
	sigset_t all, before;
	pthread_attr_t attributes;
	pthread_t thread;
	int rc;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&thread, &attributes, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return rc;
}

/* Into the queue; false: there is no thread for it. */
static bool enqueue(struct mc_lookup_query *query)
{
	bool is_served = true;

	pthread_mutex_lock(&lock);
	*last = query;
	last = &query->next;
	if (threads < THREADS) {
		if (start_thread() == 0)
			threads++;
		else
			is_served = threads > 0;
	}
	if (!is_served)
		take(); /* Without a thread it waits alone. */
	pthread_mutex_unlock(&lock);
	return is_served;
}

int mc_lookup_start(struct mc_lookup *lookup, const char *host, const char *port, int family,
		    int type)
{
	size_t host_size = strlen(host) + 1;
	size_t port_size = port != NULL ? strlen(port) + 1 : 0;
	struct mc_lookup_query *query = mc_alloc_zero(sizeof(*query) + host_size + port_size);

	memcpy(query->names, host, host_size);
	if (port != NULL)
		query->port = memcpy(query->names + host_size, port, port_size);
	query->hints.ai_family = family;
	query->hints.ai_socktype = type;
	if (!enqueue(query)) {
		free(query);
		return EAI_AGAIN;
	}
	lookup->query = query;
	return 0;
}

int mc_lookup_all(struct mc_lookup *lookup, struct mc_addresses *list)
{
	struct mc_lookup_query *query = lookup->query;
	bool ended;
	int rc;

	pthread_mutex_lock(&lock);
	ended = query->ended;
	pthread_mutex_unlock(&lock);
	if (!ended)
		return EAI_INPROGRESS;
	rc = query->rc;
	if (rc == 0)
		mc_address_collect(query->result, list);
	free_query(query);
	lookup->query = NULL;
	return rc;
}

void mc_lookup_stop(struct mc_lookup *lookup)
{
	struct mc_lookup_query *query = lookup->query;
	bool ended;

	lookup->query = NULL;
	if (query == NULL)
		return;
	pthread_mutex_lock(&lock);
	ended = query->ended;
	query->given_up = true;
	pthread_mutex_unlock(&lock);
	if (ended)
		free_query(query);
}
