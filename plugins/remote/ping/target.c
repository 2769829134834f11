/* SPDX-License-Identifier: MIT */
#include "target.h"

#include <netdb.h>
#include <netinet/in.h>
#include <string.h>

#include <collector/kit/address.h>

#define LONGEST (5 * 60 * MC_SECOND) /* Between two lookups that fail. */

void target_init(struct target *target, const char *host, int family)
{
	*target = (struct target){
		.host = host,
		.family = family,
		.backoff.longest = LONGEST,
	};
	pthread_mutex_init(&target->lock, NULL);
}

void target_done(struct target *target)
{
	mc_lookup_stop(&target->lookup);
	for (size_t i = 0; i < sizeof(target->held) / sizeof(*target->held); i++)
		mc_release(target->held[i]);
	pthread_mutex_destroy(&target->lock);
}

/* --- Its address ---------------------------------------------------------- */

static void set_error(struct target *target, int error)
{
	pthread_mutex_lock(&target->lock);
	/* While it is looked up again, the last reason holds. */
	if (error != EAI_INPROGRESS || target->counts.error == 0)
		target->counts.error = error;
	pthread_mutex_unlock(&target->lock);
}

/* It keeps the address that it has until there is another. */
static void end(struct target *target, bool (*fits)(void *argument, int family), void *argument)
{
	int rc = mc_lookup_end(&target->lookup, fits, argument, &target->address);

	if (rc == EAI_INPROGRESS)
		return;
	if (rc == 0)
		mc_backoff_done(&target->backoff);
	else
		mc_backoff_failed(&target->backoff, mc_now(), 0);
	if (target->address.ss_family == AF_UNSPEC)
		set_error(target, rc);
	else
		set_error(target, 0);
}

/* A number needs no lookup. */
static void take_number(struct target *target, bool (*fits)(void *argument, int family),
			void *argument)
{
	struct mc_addresses list;

	target->no_number =
		mc_address_find(target->host, NULL, SOCK_DGRAM, AI_NUMERICHOST, &list) != 0;
	if (target->no_number)
		return;
	if (fits(argument, list.items[0].ss_family) &&
	    (target->family == AF_UNSPEC || target->family == list.items[0].ss_family))
		target->address = list.items[0];
	else /* The lookup will say so. */
		target->no_number = true;
}

void target_find(struct target *target, bool (*fits)(void *argument, int family), void *argument)
{
	int rc;

	if (mc_lookup_runs(&target->lookup)) {
		end(target, fits, argument);
		return;
	}
	if (!target->no_number)
		take_number(target, fits, argument);
	if (target->address.ss_family != AF_UNSPEC || mc_now() < target->backoff.until)
		return;
	rc = mc_lookup_start(&target->lookup, target->host, NULL, target->family, SOCK_DGRAM);
	set_error(target, rc != 0 ? rc : EAI_INPROGRESS);
	if (rc != 0)
		mc_backoff_failed(&target->backoff, mc_now(), 0);
}

bool target_is(const struct target *target, const struct sockaddr_storage *sender)
{
	const struct sockaddr_storage *own = &target->address;

	if (own->ss_family != sender->ss_family)
		return false;
	if (mc_address_multicast(own))
		return true;
	if (own->ss_family == AF_INET6)
		return memcmp(&((const struct sockaddr_in6 *)own)->sin6_addr,
			      &((const struct sockaddr_in6 *)sender)->sin6_addr,
			      sizeof(struct in6_addr)) == 0;
	return ((const struct sockaddr_in *)own)->sin_addr.s_addr ==
	       ((const struct sockaddr_in *)sender)->sin_addr.s_addr;
}

/* --- Counts --------------------------------------------------------------- */

void target_received(struct target *target, mc_time duration)
{
	double ms = (double)duration / MC_MILLISECOND;

	target->missed = 0;
	pthread_mutex_lock(&target->lock);
	target->counts.sent++;
	target->counts.received++;
	target->counts.sum += ms;
	target->counts.squares += ms * ms;
	pthread_mutex_unlock(&target->lock);
}

void target_missed(struct target *target, int64_t missed_max)
{
	target->missed++;
	pthread_mutex_lock(&target->lock);
	target->counts.sent++;
	pthread_mutex_unlock(&target->lock);
	if (missed_max < 0 || target->missed < (uint64_t)missed_max || !target->no_number ||
	    mc_lookup_runs(&target->lookup) || mc_now() < target->backoff.until)
		return;
	target->missed = 0;
	if (mc_lookup_start(&target->lookup, target->host, NULL, target->family, SOCK_DGRAM) != 0)
		mc_backoff_failed(&target->backoff, mc_now(), 0);
}

static void put(struct target *target, struct mc_batch *batch, unsigned number, double value)
{
	static const char *const types[] = { "ping", "ping_stddev", "ping_droprate" };
	struct mc_series **held = &target->held[number];

	if (*held == NULL)
		*held = mc_hold(mc_series(
			batch, MC_ID(.type = types[number], .type_instance = target->host)));
	mc_gauge(batch, *held, value);
}

/* That of a sample, as there will be more. */
static double deviation(const struct target_counts *counts)
{
	double n = (double)counts->received;
	double above = n * counts->squares - counts->sum * counts->sum;

	if (counts->received == 0)
		return NAN;
	if (counts->received == 1 || above <= 0)
		return 0;
	return sqrt(above / (n * (n - 1)));
}

int target_report(struct target *target, struct mc_batch *batch)
{
	struct target_counts counts;

	pthread_mutex_lock(&target->lock);
	counts = target->counts;
	target->counts = (struct target_counts){ .error = counts.error };
	pthread_mutex_unlock(&target->lock);
	/* A moment without it at the start is not a failure. */
	if (counts.error == EAI_INPROGRESS && !target->pending) {
		target->pending = true;
		counts.error = 0;
	}
	if (counts.sent == 0)
		return counts.error;
	put(target, batch, 0, counts.received > 0 ? counts.sum / (double)counts.received : NAN);
	put(target, batch, 1, deviation(&counts));
	put(target, batch, 2, (double)(counts.sent - counts.received) / (double)counts.sent);
	return counts.error;
}
