/* SPDX-License-Identifier: MIT */
/* How many clients an address has, how many handshakes it may begin, and that it is forgotten; and
 * which client makes way. */
#include "kit/net/admission/admission.h"

#include "unit.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static mc_time now; /* The clock of the plugin. */

mc_time mc_now(void)
{
	return now;
}

struct client {
	struct mc_admitted base;
	bool busy, shut;
};

static bool is_idle(const struct mc_admitted *client)
{
	return !((const struct client *)client)->busy;
}

static void shut(struct mc_admitted *client)
{
	((struct client *)client)->shut = true;
}

static struct admission *make(size_t clients_max, int64_t address_max)
{
	const struct admission_rules rules = {
		.clients_max = clients_max,
		.address_max = address_max,
		.idle_min = MC_SECOND,
		.is_idle = is_idle,
		.shut = shut,
	};

	now = 100 * MC_SECOND;
	return admission_new(&rules);
}

static struct sockaddr_storage at(const char *text)
{
	struct sockaddr_storage out = { 0 };
	bool six = strchr(text, ':') != NULL;

	out.ss_family = six ? AF_INET6 : AF_INET;
	assert_int_equal(inet_pton(out.ss_family, text,
				   six ? (void *)&((struct sockaddr_in6 *)&out)->sin6_addr
				       : (void *)&((struct sockaddr_in *)&out)->sin_addr),
			 1);
	return out;
}

static enum admission_verdict judge(struct admission *admission, const char *from, bool tls)
{
	struct sockaddr_storage address = at(from);

	return admission_judge(admission, &address, tls);
}

static size_t enter(struct admission *admission, struct client *client, const char *from)
{
	struct sockaddr_storage address = at(from);

	*client = (struct client){ 0 };
	return admission_enter(admission, &client->base, &address, false);
}

static void leave_all(struct admission *admission, struct client *clients, size_t len)
{
	for (size_t i = 0; i < len; i++)
		admission_leave(admission, &clients[i].base);
	admission_free(admission);
}

/* --- Addresses ------------------------------------------------------------ */

static void test_limit(void **state)
{
	struct admission *admission = make(10, 2);
	struct client a, b, c;

	(void)state;
	assert_int_equal(enter(admission, &a, "192.0.2.1"), 1);
	assert_int_equal(judge(admission, "192.0.2.1", false), ADMISSION_WELCOME);
	assert_int_equal(enter(admission, &b, "192.0.2.1"), 2);
	assert_int_equal(judge(admission, "192.0.2.1", false), ADMISSION_FULL);
	assert_int_equal(judge(admission, "192.0.2.2", false), ADMISSION_WELCOME);
	assert_int_equal(enter(admission, &c, "192.0.2.1"), 0); /* By another thread. */
	admission_leave(admission, &c.base);
	assert_int_equal(judge(admission, "192.0.2.1", false), ADMISSION_FULL);
	admission_leave(admission, &a.base);
	assert_int_equal(judge(admission, "192.0.2.1", false), ADMISSION_WELCOME);
	leave_all(admission, &b, 1);
}

/* By either family it is the same host; of IPv6 the network is the client. */
static void test_families(void **state)
{
	struct admission *admission = make(10, 1);
	struct client clients[2];

	(void)state;
	enter(admission, &clients[0], "::ffff:192.0.2.1");
	assert_int_equal(judge(admission, "192.0.2.1", false), ADMISSION_FULL);
	assert_int_equal(judge(admission, "2001:db8::1", false), ADMISSION_WELCOME);
	enter(admission, &clients[1], "2001:db8::1");
	assert_int_equal(judge(admission, "2001:db8::2", false), ADMISSION_FULL);
	assert_int_equal(judge(admission, "2001:db8:0:1::2", false), ADMISSION_WELCOME);
	leave_all(admission, clients, 2);
}

/* A unix socket has no addresses. */
static void test_without_address(void **state)
{
	const struct sockaddr_storage local = { .ss_family = AF_UNIX };
	struct admission *admission = make(10, 1);
	struct client clients[3] = { 0 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(admission_judge(admission, &local, true), ADMISSION_WELCOME);
		assert_int_equal(admission_enter(admission, &clients[i].base, &local, true), i + 1);
	}
	leave_all(admission, clients, 3);
}

static bool handshake(struct admission *admission, const char *from, bool serves)
{
	struct sockaddr_storage address = at(from);
	struct client client = { 0 };

	if (admission_judge(admission, &address, true) != ADMISSION_WELCOME)
		return false;
	admission_enter(admission, &client.base, &address, true);
	if (serves)
		admission_serves(admission, &client.base);
	admission_leave(admission, &client.base);
	return true;
}

/* Begins handshakes, after which nothing comes, until it is refused. */
static unsigned begin_all(struct admission *admission, const char *from)
{
	unsigned begun = 0;

	while (begun < 1000 && handshake(admission, from, false))
		begun++;
	assert_int_equal(judge(admission, from, true), ADMISSION_SPENT);
	return begun;
}

/* As many as connections at once, and each second an eighth of that; a client that brings something
 * may begin as many as it likes. */
static void test_handshakes(void **state)
{
	struct admission *admission = make(10, 16);
	struct client plain;

	(void)state;
	assert_int_equal(begin_all(admission, "192.0.2.1"), 16);
	assert_int_equal(judge(admission, "192.0.2.2", true), ADMISSION_WELCOME);
	assert_int_equal(judge(admission, "192.0.2.1", false), ADMISSION_WELCOME);
	now += MC_SECOND;
	assert_int_equal(begin_all(admission, "192.0.2.1"), 2);
	now += MC_SECOND;
	for (unsigned i = 0; i < 1000; i++)
		assert_true(handshake(admission, "192.0.2.1", true));
	assert_int_equal(begin_all(admission, "192.0.2.1"), 2);
	/* One without a handshake has none to get back. */
	enter(admission, &plain, "192.0.2.1");
	admission_serves(admission, &plain.base);
	assert_int_equal(judge(admission, "192.0.2.1", true), ADMISSION_SPENT);
	now += 100 * MC_SECOND;
	assert_int_equal(begin_all(admission, "192.0.2.1"), 16);
	leave_all(admission, &plain, 1);
}

/* An address is known until it is as one that is not; and not too many are. */
static void test_forgetting(void **state)
{
	struct admission *admission = make(10, 1);
	char address[20];

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		snprintf(address, sizeof(address), "192.0.%u.%u", i >> 8, i & 255);
		assert_true(handshake(admission, address, false));
	}
	assert_int_equal(judge(admission, "192.0.78.31", true), ADMISSION_SPENT);
	assert_int_equal(judge(admission, "192.0.0.0", true), ADMISSION_WELCOME);
	now += 8 * MC_SECOND;
	assert_int_equal(judge(admission, "192.0.78.31", true), ADMISSION_WELCOME);
	admission_free(admission);
}

/* --- Making way ----------------------------------------------------------- */

static void assert_makes_way(struct admission *admission, const char *from, struct client *client)
{
	struct sockaddr_storage address = from != NULL ? at(from) : (struct sockaddr_storage){ 0 };
	struct mc_admitted *chosen = admission_make_way(admission, from != NULL ? &address : NULL);

	assert_ptr_equal(chosen, client != NULL ? &client->base : NULL);
	if (client != NULL)
		assert_true(client->shut);
}

static void test_idle_longest(void **state)
{
	struct admission *admission = make(3, 0);
	struct client clients[3];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_false(admission_is_full(admission));
		enter(admission, &clients[i], "192.0.2.1");
		admission_serves(admission, &clients[i].base);
	}
	assert_true(admission_is_full(admission));
	assert_makes_way(admission, NULL, NULL); /* All have just come. */
	now += MC_SECOND;
	admission_active(&clients[0].base, now);
	clients[1].busy = true;
	assert_makes_way(admission, NULL, &clients[2]);
	assert_false(admission_is_full(admission));
	assert_makes_way(admission, NULL, NULL);
	now += MC_SECOND;
	assert_makes_way(admission, NULL, &clients[0]);
	assert_makes_way(admission, NULL, NULL);       /* Busy, for however long. */
	admission_serves(admission, &clients[0].base); /* Too late. */
	leave_all(admission, clients, 3);
}

/* The order is that of their activity, not of their places. */
static void test_order(void **state)
{
	struct admission *admission = make(10, 0);
	struct client clients[4];
	static const int order[] = { 2, 0, 3, 1 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		enter(admission, &clients[i], "192.0.2.1");
		admission_serves(admission, &clients[i].base);
	}
	for (size_t i = 0; i < 4; i++) {
		now += MC_SECOND;
		admission_active(&clients[order[i]].base, now);
	}
	now += 10 * MC_SECOND;
	for (size_t i = 0; i < 4; i++)
		assert_makes_way(admission, NULL, &clients[order[i]]);
	leave_all(admission, clients, 4);
}

/* One that has brought nothing goes before one that is idle for longer. */
static void test_silent_first(void **state)
{
	struct admission *admission = make(10, 0);
	struct client clients[3];

	(void)state;
	enter(admission, &clients[0], "192.0.2.1");
	admission_serves(admission, &clients[0].base);
	now += 100 * MC_SECOND;
	enter(admission, &clients[1], "192.0.2.1");
	enter(admission, &clients[2], "192.0.2.2");
	now += MC_SECOND;
	assert_makes_way(admission, NULL, &clients[1]);
	assert_makes_way(admission, NULL, &clients[2]);
	assert_makes_way(admission, NULL, &clients[0]);
	leave_all(admission, clients, 3);
}

static void test_first_of_an_address(void **state)
{
	struct admission *admission = make(10, 0);
	struct client clients[3];

	(void)state;
	for (size_t i = 0; i < 3; i++)
		enter(admission, &clients[i], i == 0 ? "192.0.2.1" : "192.0.2.2");
	clients[1].busy = true;
	assert_makes_way(admission, "192.0.2.2", NULL);
	assert_makes_way(admission, "192.0.2.3", &clients[2]);
	admission_leave(admission, &clients[2].base);
	assert_makes_way(admission, "192.0.2.3", NULL); /* Each has but one. */
	leave_all(admission, clients, 2);
}

static mc_time until(const struct mc_admitted *client, mc_time at_time)
{
	(void)at_time;
	return client->active + MC_SECOND;
}

static void test_end(void **state)
{
	struct admission *admission = make(10, 0);
	struct client clients[3];
	uint64_t ended;
	mc_time due;

	(void)state;
	enter(admission, &clients[0], "192.0.2.1");
	enter(admission, &clients[1], "192.0.2.1");
	admission_serves(admission, &clients[1].base);
	clients[1].busy = true;
	now += 2 * MC_SECOND;
	enter(admission, &clients[2], "192.0.2.1");
	assert_int_equal(admission_end(admission, until, &ended, &due), 1);
	assert_int_equal(ended, 2);
	assert_int_equal(due, now + MC_SECOND);
	assert_true(clients[0].shut && clients[1].shut && !clients[2].shut);
	now += MC_SECOND;
	assert_int_equal(admission_end(admission, until, &ended, &due), 1);
	assert_int_equal(ended, 0);
	assert_int_equal(due, now);
	assert_int_equal(admission_len(admission), 1);
	admission_leave(admission, &clients[2].base);
	assert_int_equal(admission_end(admission, until, &ended, &due), 0);
	assert_int_equal(due, INT64_MAX);
	leave_all(admission, clients, 2);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_without_address),
		cmocka_unit_test(test_handshakes),
		cmocka_unit_test(test_forgetting),
		cmocka_unit_test(test_idle_longest),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_silent_first),
		cmocka_unit_test(test_first_of_an_address),
		cmocka_unit_test(test_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
