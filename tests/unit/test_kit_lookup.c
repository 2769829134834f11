/* SPDX-License-Identifier: MIT */
/* Lookups beside the caller; built for each of the two ways, lookup_libc.c and lookup_threads.c. */
#include <arpa/inet.h>
#include <netdb.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"
#include <collector/kit/address.h>

/* A request at the resolver cannot be taken back, nor be freed: it is not a leak. */
static const void *volatile asked;

static bool takes_v4(void *argument, int family)
{
	(void)argument;
	return family == AF_INET;
}

static int ends(struct mc_lookup *lookup, struct sockaddr_storage *address)
{
	int rc;

	while ((rc = mc_lookup_end(lookup, takes_v4, NULL, address)) == EAI_INPROGRESS)
		sched_yield();
	return rc;
}

static int without_libc_threads(void **state)
{
	(void)state;
#if defined(__SANITIZE_THREAD__) && !defined(LOOKUP_THREADS)
	skip(); /* It does not know threads that glibc makes itself. */
#endif
	return 0;
}

/* A number of a family that is not there is looked up in vain. */
static void addresses_must_fit(void **state)
{
	struct sockaddr_storage address;
	struct mc_lookup lookup = { 0 };

	without_libc_threads(state);
	assert_int_equal(mc_lookup_start(&lookup, "::1", NULL, AF_UNSPEC, SOCK_DGRAM), 0);
	assert_int_equal(ends(&lookup, &address), EAI_ADDRFAMILY);
	assert_false(mc_lookup_runs(&lookup));
	assert_int_equal(mc_lookup_start(&lookup, "127.0.0.9", "80", AF_INET, SOCK_STREAM), 0);
	assert_int_equal(ends(&lookup, &address), 0);
	assert_int_equal(((struct sockaddr_in *)&address)->sin_addr.s_addr,
			 htonl(INADDR_LOOPBACK + 8));
	assert_int_equal(((struct sockaddr_in *)&address)->sin_port, htons(80));
}

static void the_resolvers_error_is_returned(void **state)
{
	struct sockaddr_storage address;
	struct mc_lookup lookup = { 0 };

	without_libc_threads(state);
	assert_int_equal(mc_lookup_start(&lookup, "127.0.0.1", "no service", AF_INET, SOCK_STREAM),
			 0);
	assert_int_equal(ends(&lookup, &address), EAI_SERVICE);
	assert_false(mc_lookup_runs(&lookup));
}

static void one_that_is_given_up_is_over(void **state)
{
	struct mc_lookup lookup = { 0 };

	without_libc_threads(state);
	mc_lookup_start(&lookup, "127.0.0.9", "80", AF_INET, SOCK_STREAM);
	asked = lookup.query;
	mc_lookup_stop(&lookup);
	assert_false(mc_lookup_runs(&lookup));
	mc_lookup_stop(&lookup);
}

/* More at once than there are threads for. */
static void each_of_many_is_answered(void **state)
{
	struct mc_lookup lookups[100] = { 0 };
	struct sockaddr_storage address;
	char host[INET_ADDRSTRLEN];

	without_libc_threads(state);
	for (unsigned i = 0; i < 100; i++) {
		snprintf(host, sizeof(host), "127.0.1.%u", i);
		assert_int_equal(mc_lookup_start(&lookups[i], host, NULL, AF_INET, SOCK_DGRAM), 0);
	}
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(ends(&lookups[i], &address), 0);
		assert_int_equal(((struct sockaddr_in *)&address)->sin_addr.s_addr,
				 htonl((127U << 24) + 256 + i));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_must_fit),
		cmocka_unit_test(the_resolvers_error_is_returned),
		cmocka_unit_test(one_that_is_given_up_is_over),
		cmocka_unit_test(each_of_many_is_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
