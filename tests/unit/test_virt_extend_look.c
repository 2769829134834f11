/* SPDX-License-Identifier: MIT */
/* Questions about disks that are to be extended: how many are asked at a time, and what becomes of
 * those that hang.  Connections are this test. */
#include "extend_look.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <collector/kit/alloc.h>
#include <collector/kit/loop.h>

#include "describe.h"

#define LEN 6

struct link {
	struct connection_job *job; /* That hangs. */
};

static struct {
	struct link links[EXTEND_LOOKS_MAX];
	size_t links_len, freed;
	bool refuses; /* Further calls. */
	unsigned woken;
} fake;

static struct extend_looks *looks;
static struct mc_loop_wakeup wakeup;

void mc_loop_wake(struct mc_loop_wakeup *woken)
{
	assert_ptr_equal(woken, &wakeup);
	fake.woken++;
}

struct link *connection_new(const char *uri, bool writes)
{
	assert_string_equal(uri, "test:///default");
	assert_true(writes);
	return &fake.links[fake.links_len++];
}

void connection_free(struct mc_ctx *ctx, struct link *link)
{
	(void)ctx;
	(void)link;
	fake.freed++;
}

bool connection_busy(const struct link *link)
{
	return link->job != NULL;
}

int connection_explain(struct connection_job *job, const char *what)
{
	(void)job;
	(void)what;
	return -EIO;
}

int connection_call(struct mc_ctx *ctx, struct link *link, struct connection_job *job,
		    mc_time limit)
{
	(void)ctx;
	assert_int_equal(limit, 0); /* Never waits. */
	if (fake.refuses) {
		snprintf(job->reason, sizeof(job->reason), "too many calls to libvirt hang");
		return -EAGAIN;
	}
	link->job = job;
	return -ETIMEDOUT;
}

bool describe_chain(const char *xml, const char *disk, char *out, size_t size)
{
	(void)xml;
	(void)disk;
	(void)out;
	(void)size;
	return false;
}

static int begin(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	looks = extend_look_new("test:///default", &wakeup);
	return 0;
}

static void ask_about(unsigned char guest, uint64_t number)
{
	struct extend_look *look = mc_alloc_zero(sizeof(*look));

	look->uuid[0] = guest;
	look->from = number;
	extend_look_ask(NULL, looks, look);
}

static void ask(uint64_t number)
{
	ask_about((unsigned char)(1 + number), number);
}

/* The call on that link comes back. */
static void come_back(size_t link)
{
	struct connection_job *job = fake.links[link].job;

	fake.links[link].job = NULL;
	job->free(job);
}

static size_t under_way(void)
{
	size_t len = 0;

	for (size_t i = 0; i < EXTEND_LOOKS_MAX; i++)
		len += fake.links[i].job != NULL;
	return len;
}

static void take(uint64_t number, const char *reason)
{
	struct extend_look *look = extend_look_take(NULL, looks);

	assert_non_null(look);
	assert_int_equal(look->from, number);
	assert_string_equal(look->reason, reason);
	free(look);
}

static void some_are_asked_at_a_time(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < LEN; i++)
		ask(i);
	assert_int_equal(under_way(), EXTEND_LOOKS_MAX);
	assert_null(extend_look_take(NULL, looks));
	come_back(1);
	assert_int_equal(fake.woken, 1);
	take(1, "");
	assert_int_equal(under_way(), EXTEND_LOOKS_MAX); /* The first that waited. */
	come_back(1);
	take(4, "");
	/* As long as the others hang, too. */
	come_back(1);
	take(5, "");
	assert_int_equal(under_way(), EXTEND_LOOKS_MAX - 1);
	for (size_t i = 0; i < EXTEND_LOOKS_MAX; i++)
		if (i != 1)
			come_back(i);
	extend_look_free(NULL, looks);
	assert_int_equal(fake.freed, EXTEND_LOOKS_MAX);
}

/* One that hangs leaves room for others, however many disks it has. */
static void a_guest_is_asked_about_once_at_a_time(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < LEN; i++)
		ask_about(1, i);
	assert_int_equal(under_way(), 1);
	ask_about(2, LEN);
	assert_int_equal(under_way(), 2);
	come_back(1);
	take(LEN, "");
	assert_int_equal(under_way(), 1);
	for (uint64_t i = 0; i < LEN; i++) {
		come_back(0);
		take(i, "");
	}
	assert_int_equal(under_way(), 0);
	extend_look_free(NULL, looks);
}

static void one_that_is_refused_has_an_answer(void **state)
{
	(void)state;
	fake.refuses = true;
	ask(7);
	assert_int_equal(fake.woken, 1);
	take(7, "too many calls to libvirt hang");
	extend_look_free(NULL, looks);
}

/* Nobody is woken then; the leak sanitizer sees what is left. */
static void calls_come_back_after_the_end(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < LEN; i++)
		ask(i);
	extend_look_free(NULL, looks);
	for (size_t i = 0; i < EXTEND_LOOKS_MAX; i++)
		come_back(i);
	assert_int_equal(fake.woken, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(some_are_asked_at_a_time, begin),
		cmocka_unit_test_setup(a_guest_is_asked_about_once_at_a_time, begin),
		cmocka_unit_test_setup(one_that_is_refused_has_an_answer, begin),
		cmocka_unit_test_setup(calls_come_back_after_the_end, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
