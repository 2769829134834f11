/* SPDX-License-Identifier: MIT */
/* Clients are in two lists, of those that have brought something and of the others, each by the
 * time of their last activity.  That time changes without the lock: a client gets its place when it
 * is looked at. */
#include "kit/net/admission/admission.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/lock.h>
#include <collector/kit/map.h>

#define GONE_MAX 16384 /* Addresses without clients. */
#define REFILL 8       /* Seconds for all handshakes. */

struct admission_address {
	struct mc_lru_node node;
	unsigned char key[sizeof(struct in6_addr)];
	size_t key_size;
	int64_t clients;
	double handshakes; /* That it may begin, */
	mc_time since;     /* at that time. */
};

struct list {
	struct mc_admitted *oldest, *newest;
};

struct admission {
	struct admission_rules rules;
	pthread_mutex_t lock;
	struct list lists[2] MC_GUARDED_BY(lock); /* By 'known'. */
	size_t len MC_GUARDED_BY(lock);

	/* Of struct admission_address: those with clients, and those without that may not
	 * begin all handshakes. */
	struct mc_lru here MC_GUARDED_BY(lock);
	struct mc_lru gone MC_GUARDED_BY(lock);
};

/* --- Addresses ------------------------------------------------------------ */

static bool has_address(const struct sockaddr_storage *from)
{
	return from != NULL && (from->ss_family == AF_INET || from->ss_family == AF_INET6);
}

static struct admission_address *find(const struct mc_lru *all, const struct sockaddr_storage *from)
{
	size_t size;
	const void *bytes = mc_address_client_bytes(from, &size);

	return (struct admission_address *)mc_lru_find(all, bytes, size);
}

static void move(struct admission_address *address, struct mc_lru *from, struct mc_lru *to)
{
	mc_lru_remove(from, &address->node);
	mc_lru_add(to, &address->node, address->key, address->key_size);
}

static void give(const struct admission *admission, struct admission_address *address,
		 double handshakes)
{
	double max = (double)admission->rules.address_max;

	address->handshakes += handshakes;
	if (address->handshakes > max)
		address->handshakes = max;
}

static void refill(const struct admission *admission, struct admission_address *address)
{
	mc_time now = mc_now();
	double seconds = (double)(now - address->since) / (double)MC_SECOND;

	give(admission, address, seconds * (double)admission->rules.address_max / REFILL);
	address->since = now;
}

/* As much is known of an address that was never seen. */
static bool is_as_new(const struct admission *admission, struct admission_address *address)
{
	refill(admission, address);
	return address->handshakes >= (double)admission->rules.address_max;
}

static void forget_gone(struct admission *admission) MC_REQUIRES(admission->lock)
{
	struct mc_lru *gone = &admission->gone;

	while (gone->oldest != NULL &&
	       (gone->map.len > GONE_MAX ||
		is_as_new(admission, (struct admission_address *)gone->oldest))) {
		struct mc_lru_node *oldest = gone->oldest;

		mc_lru_remove(gone, oldest);
		free(oldest);
	}
}

static struct admission_address *find_or_add(struct admission *admission,
					     const struct sockaddr_storage *from)
	MC_REQUIRES(admission->lock)
{
	struct admission_address *address = find(&admission->here, from);
	const void *bytes;

	if (address != NULL)
		return address;
	forget_gone(admission);
	address = find(&admission->gone, from);
	if (address != NULL) {
		move(address, &admission->gone, &admission->here);
		return address;
	}
	address = mc_alloc_zero(sizeof(*address));
	bytes = mc_address_client_bytes(from, &address->key_size);
	memcpy(address->key, bytes, address->key_size);
	address->handshakes = (double)admission->rules.address_max;
	address->since = mc_now();
	mc_lru_add(&admission->here, &address->node, address->key, address->key_size);
	return address;
}

static void leave_address(struct admission *admission, struct admission_address *address)
	MC_REQUIRES(admission->lock)
{
	if (--address->clients == 0 && !is_as_new(admission, address)) {
		move(address, &admission->here, &admission->gone);
	} else if (address->clients == 0) {
		mc_lru_remove(&admission->here, &address->node);
		free(address);
	}
	forget_gone(admission);
}

static bool address_is_full(const struct admission *admission,
			    const struct admission_address *address)
{
	return admission->rules.address_max > 0 && address != NULL &&
	       address->clients >= admission->rules.address_max;
}

static enum admission_verdict judge(struct admission *admission,
				    const struct sockaddr_storage *from, bool tls)
	MC_REQUIRES(admission->lock)
{
	struct admission_address *address = find(&admission->here, from);

	if (address_is_full(admission, address))
		return ADMISSION_FULL;
	if (!tls || admission->rules.address_max == 0)
		return ADMISSION_WELCOME;
	if (address == NULL)
		address = find(&admission->gone, from);
	if (address == NULL)
		return ADMISSION_WELCOME;
	refill(admission, address);
	return address->handshakes >= 1 ? ADMISSION_WELCOME : ADMISSION_SPENT;
}

enum admission_verdict admission_judge(struct admission *admission,
				       const struct sockaddr_storage *from, bool tls)
{
	enum admission_verdict verdict;

	if (!has_address(from))
		return ADMISSION_WELCOME;
	pthread_mutex_lock(&admission->lock);
	verdict = judge(admission, from, tls);
	pthread_mutex_unlock(&admission->lock);
	return verdict;
}

/* --- The lists ------------------------------------------------------------ */

/* Mostly at the end: those that come, or have just been active. */
static void put_in(struct admission *admission, struct mc_admitted *client)
	MC_REQUIRES(admission->lock)
{
	struct list *list = &admission->lists[client->known];
	struct mc_admitted *older = list->newest;

	client->place = atomic_load_explicit(&client->active, memory_order_relaxed);
	while (older != NULL && older->place > client->place)
		older = older->older;
	client->older = older;
	client->newer = older != NULL ? older->newer : list->oldest;
	*(client->newer != NULL ? &client->newer->older : &list->newest) = client;
	*(older != NULL ? &older->newer : &list->oldest) = client;
}

static void take_out(struct admission *admission, const struct mc_admitted *client)
	MC_REQUIRES(admission->lock)
{
	struct list *list = &admission->lists[client->known];

	*(client->newer != NULL ? &client->newer->older : &list->newest) = client->older;
	*(client->older != NULL ? &client->older->newer : &list->oldest) = client->newer;
}

/* It does not count any more. */
static void drop(struct admission *admission, struct mc_admitted *client)
	MC_REQUIRES(admission->lock)
{
	take_out(admission, client);
	client->out = true;
	admission->len--;
	if (admission->rules.shut != NULL)
		admission->rules.shut(client);
}

/* Whether it still is where its activity belongs; else it is there now. */
static bool settle(struct admission *admission, struct mc_admitted *client)
	MC_REQUIRES(admission->lock)
{
	if (atomic_load_explicit(&client->active, memory_order_relaxed) == client->place)
		return true;
	take_out(admission, client);
	put_in(admission, client);
	return false;
}

static struct mc_admitted *choose(struct admission *admission, bool known, bool is_first)
	MC_REQUIRES(admission->lock)
{
	const struct admission_rules *rules = &admission->rules;
	struct mc_admitted *client = admission->lists[known].oldest, *newer;
	mc_time now = mc_now();

	for (; client != NULL; client = newer) {
		bool is_one_of_many = client->from != NULL && client->from->clients > 1;
		mc_time idle = now - client->place;

		newer = client->newer;
		if (!settle(admission, client)) {
			newer = newer != NULL ? newer : client;
			continue;
		}
		if (idle < rules->idle_min && !is_first)
			return NULL;
		if ((idle >= rules->idle_min || is_one_of_many) && rules->is_idle(client))
			return client;
	}
	return NULL;
}

bool admission_is_full(struct admission *admission)
{
	bool full;

	pthread_mutex_lock(&admission->lock);
	full = admission->len >= admission->rules.clients_max;
	pthread_mutex_unlock(&admission->lock);
	return full;
}

struct mc_admitted *admission_make_way(struct admission *admission,
				       const struct sockaddr_storage *from)
{
	struct mc_admitted *client;
	bool is_first;

	pthread_mutex_lock(&admission->lock);
	is_first = has_address(from) && find(&admission->here, from) == NULL;
	client = choose(admission, false, is_first);
	if (client == NULL)
		client = choose(admission, true, is_first);
	if (client != NULL)
		drop(admission, client);
	pthread_mutex_unlock(&admission->lock);
	return client;
}

static uint64_t end_some(struct admission *admission, bool known,
			 mc_time (*until)(const struct mc_admitted *, mc_time now), mc_time now,
			 mc_time *due) MC_REQUIRES(admission->lock)
{
	struct mc_admitted *newer;
	uint64_t ended = 0;

	for (struct mc_admitted *c = admission->lists[known].oldest; c != NULL; c = newer) {
		mc_time end = until(c, now);

		newer = c->newer;
		if (end < now) {
			drop(admission, c);
			ended++;
		} else if (end < *due) {
			*due = end;
		}
	}
	return ended;
}

size_t admission_end(struct admission *admission,
		     mc_time (*until)(const struct mc_admitted *, mc_time now), uint64_t *ended,
		     mc_time *due)
{
	mc_time now = mc_now();
	size_t len;

	*due = INT64_MAX;
	pthread_mutex_lock(&admission->lock);
	*ended = end_some(admission, false, until, now, due) +
		 end_some(admission, true, until, now, due);
	len = admission->len;
	pthread_mutex_unlock(&admission->lock);
	return len;
}

size_t admission_len(struct admission *admission)
{
	size_t len;

	pthread_mutex_lock(&admission->lock);
	len = admission->len;
	pthread_mutex_unlock(&admission->lock);
	return len;
}

/* --- Coming and going ----------------------------------------------------- */

static bool enter_address(struct admission *admission, struct mc_admitted *client,
			  const struct sockaddr_storage *from, bool tls)
	MC_REQUIRES(admission->lock)
{
	if (!has_address(from))
		return true;
	if (address_is_full(admission, find(&admission->here, from)))
		return false;
	client->from = find_or_add(admission, from);
	client->from->clients++;
	client->from->handshakes -= tls;
	client->tls = tls;
	return true;
}

size_t admission_enter(struct admission *admission, struct mc_admitted *client,
		       const struct sockaddr_storage *from, bool tls)
{
	size_t len = 0;

	client->active = mc_now();
	pthread_mutex_lock(&admission->lock);
	if (enter_address(admission, client, from, tls)) {
		put_in(admission, client);
		len = ++admission->len;
	} else {
		client->out = true;
	}
	pthread_mutex_unlock(&admission->lock);
	return len;
}

void admission_leave(struct admission *admission, struct mc_admitted *client)
{
	pthread_mutex_lock(&admission->lock);
	if (!client->out)
		take_out(admission, client);
	admission->len -= !client->out;
	if (client->from != NULL)
		leave_address(admission, client->from);
	pthread_mutex_unlock(&admission->lock);
}

void admission_serves(struct admission *admission, struct mc_admitted *client)
{
	pthread_mutex_lock(&admission->lock);
	if (!client->known && !client->out) {
		take_out(admission, client);
		client->known = true;
		put_in(admission, client);
	}
	if (client->from != NULL && client->tls)
		give(admission, client->from, 1);
	pthread_mutex_unlock(&admission->lock);
}

/* --- Life ----------------------------------------------------------------- */

struct admission *admission_new(const struct admission_rules *rules)
{
	struct admission *admission = mc_alloc_zero(sizeof(*admission));

	admission->rules = *rules;
	pthread_mutex_init(&admission->lock, NULL);
	return admission;
}

void admission_allow(struct admission *admission, size_t more_clients)
{
	pthread_mutex_lock(&admission->lock);
	admission->rules.clients_max += more_clients;
	pthread_mutex_unlock(&admission->lock);
}

static void free_addresses(struct mc_lru *all)
{
	struct mc_lru_node *next;

	for (struct mc_lru_node *node = all->oldest; node != NULL; node = next) {
		next = node->newer;
		free(node);
	}
	mc_lru_done(all);
}

void admission_free(struct admission *admission) MC_NO_LOCK
{
	if (admission == NULL)
		return;
	free_addresses(&admission->here);
	free_addresses(&admission->gone);
	pthread_mutex_destroy(&admission->lock);
	free(admission);
}
