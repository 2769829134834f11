/* SPDX-License-Identifier: MIT */
/* Connections that take too long are ended, and no others. */
#include "kit/net/http_server/peer/http_watch.h"

#include "unit.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static mc_time now; /* The clock of the plugin. */

mc_time mc_now(void)
{
	return now;
}

static const struct sockaddr_storage nowhere = { .ss_family = AF_UNIX };

struct lab {
	struct http_watch watch;
	struct http_watch_line line;
	int ours, theirs;
	uint64_t ended;
};

static bool add(struct lab *lab, struct http_watch_line *line, int fd)
{
	bool evicted;

	*line = (struct http_watch_line){ .fd = fd };
	assert_true(http_watch_add(&lab->watch, line, &nowhere, false, &evicted));
	return evicted;
}

static void open_lab(struct lab *lab)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	lab->ours = pair[0];
	lab->theirs = pair[1];
	lab->ended = 0;
	http_watch_init(&lab->watch, 0);
	admission_allow(lab->watch.admission, 2);
	assert_false(add(lab, &lab->line, lab->ours));
}

static void close_lab(struct lab *lab)
{
	uint64_t ended;

	http_watch_remove(&lab->watch, &lab->line);
	assert_false(http_watch_look(&lab->watch, &ended));
	assert_int_equal(ended, 0);
	http_watch_done(&lab->watch);
	close(lab->ours);
	close(lab->theirs);
}

/* Whether the other side sees the end after so much time. */
static bool ends_after(struct lab *lab, double seconds)
{
	uint64_t ended;
	char byte;

	now += (mc_time)(seconds * MC_SECOND);
	http_watch_look(&lab->watch, &ended);
	lab->ended += ended;
	return recv(lab->theirs, &byte, 1, MSG_DONTWAIT) == 0;
}

static void test_silent(void **state)
{
	struct lab lab;

	(void)state;
	open_lab(&lab);
	assert_false(ends_after(&lab, 10));
	assert_true(ends_after(&lab, 0.1));
	assert_true(ends_after(&lab, 100));
	assert_int_equal(lab.ended, 1);
	close_lab(&lab);
}

static void test_kept(void **state)
{
	struct lab lab;

	(void)state;
	open_lab(&lab);
	for (int i = 0; i < 3; i++) {
		http_watch_enter(&lab.line, HTTP_WATCH_SENDING);
		assert_false(ends_after(&lab, 1));
		http_watch_enter(&lab.line, HTTP_WATCH_SERVED);
		assert_false(ends_after(&lab, 1000));
		http_watch_enter(&lab.line, HTTP_WATCH_ANSWERED);
		assert_false(ends_after(&lab, 84));
	}
	assert_true(ends_after(&lab, 2));
	close_lab(&lab);
}

static void test_slow_body(void **state)
{
	struct lab lab;

	(void)state;
	open_lab(&lab);
	http_watch_enter(&lab.line, HTTP_WATCH_SENDING);
	assert_false(ends_after(&lab, 5));
	assert_true(ends_after(&lab, 1));
	close_lab(&lab);

	open_lab(&lab); /* Just fast enough, for half a minute. */
	http_watch_enter(&lab.line, HTTP_WATCH_SENDING);
	for (int second = 0; second < 30; second++) {
		lab.line.size += HTTP_WATCH_SPEED;
		assert_false(ends_after(&lab, 1));
	}
	lab.line.size += HTTP_WATCH_SPEED;
	assert_true(ends_after(&lab, 1));
	close_lab(&lab);
}

/* The activity is forged, as nothing else shows whether a connection is looked at. */
static void test_looks_when_due(void **state)
{
	struct lab lab;

	(void)state;
	open_lab(&lab);
	http_watch_enter(&lab.line, HTTP_WATCH_ANSWERED);
	assert_false(ends_after(&lab, 11)); /* As after its first head it may be due. */
	lab.line.admitted.active -= 1000 * MC_SECOND;
	assert_false(ends_after(&lab, 73));
	assert_true(ends_after(&lab, 1));
	close_lab(&lab);

	open_lab(&lab); /* A body may be due long before the next head. */
	http_watch_enter(&lab.line, HTTP_WATCH_ANSWERED);
	assert_false(ends_after(&lab, 11));
	http_watch_enter(&lab.line, HTTP_WATCH_SENDING);
	assert_false(ends_after(&lab, 4));
	assert_true(ends_after(&lab, 2));
	assert_int_equal(lab.ended, 1);
	close_lab(&lab);
}

static void test_others_stay(void **state)
{
	struct lab a, b;
	struct http_watch_line more;

	(void)state;
	open_lab(&a);
	open_lab(&b);
	assert_false(add(&a, &more, b.ours));
	now += 5 * MC_SECOND;
	http_watch_enter(&more, HTTP_WATCH_SENDING);
	http_watch_enter(&more, HTTP_WATCH_ANSWERED);
	assert_true(ends_after(&a, 6));
	assert_int_equal(a.ended, 1);
	http_watch_remove(&a.watch, &more);
	close_lab(&a);
	close_lab(&b);
}

/* For one too many.  One that is served stays. */
static void test_makes_way(void **state)
{
	struct lab old, asked;
	struct http_watch_line more, latest;
	char byte;

	(void)state;
	open_lab(&old); /* That one's watch has all. */
	open_lab(&asked);
	assert_false(add(&old, &more, asked.ours));
	http_watch_enter(&more, HTTP_WATCH_SERVED);
	now += MC_SECOND;
	http_watch_enter(&old.line, HTTP_WATCH_SENDING);
	assert_false(add(&old, &latest, asked.ours));
	http_watch_remove(&old.watch, &latest);
	http_watch_enter(&old.line, HTTP_WATCH_ANSWERED);
	assert_false(add(&old, &latest, asked.ours)); /* It has just been answered. */
	http_watch_remove(&old.watch, &latest);
	now += HTTP_WATCH_STAY;
	assert_true(add(&old, &latest, asked.ours));
	assert_int_equal(recv(old.theirs, &byte, 1, MSG_DONTWAIT), 0);
	assert_int_equal(recv(asked.theirs, &byte, 1, MSG_DONTWAIT), -1);
	http_watch_remove(&old.watch, &latest);
	http_watch_remove(&old.watch, &more);
	assert_int_equal(old.ended, 0);
	close_lab(&old);
	close_lab(&asked);
}

/* It wakes the look when there is nothing to look at. */
static void test_address_is_full(void **state)
{
	const struct sockaddr_storage from = { .ss_family = AF_INET };
	struct http_watch_line lines[2] = { { .fd = -1 }, { .fd = -1 } };
	struct http_watch watch;
	eventfd_t count;
	bool evicted;

	(void)state;
	http_watch_init(&watch, 1);
	admission_allow(watch.admission, 2);
	assert_true(http_watch_add(&watch, &lines[0], &from, false, &evicted));
	assert_int_equal(eventfd_read(watch.wake_fd, &count), 0);
	assert_false(http_watch_add(&watch, &lines[1], &from, false, &evicted));
	assert_int_equal(eventfd_read(watch.wake_fd, &count), -1);
	http_watch_remove(&watch, &lines[1]);
	http_watch_remove(&watch, &lines[0]);
	http_watch_done(&watch);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_silent),         cmocka_unit_test(test_kept),
		cmocka_unit_test(test_slow_body),      cmocka_unit_test(test_others_stay),
		cmocka_unit_test(test_makes_way),      cmocka_unit_test(test_address_is_full),
		cmocka_unit_test(test_looks_when_due),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
