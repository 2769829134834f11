/* SPDX-License-Identifier: MIT */
/* Connections that take too long are ended, and no others. */
#include "kit/net/http_server/peer/http_watch.h"

#include "unit.h"

#include <sys/socket.h>
#include <unistd.h>

static mc_time now; /* The clock of the plugin. */

mc_time mc_now(void)
{
	return now;
}

struct lab {
	struct http_watch watch;
	struct http_watch_line line;
	int ours, theirs;
};

static void open_lab(struct lab *lab)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	lab->ours = pair[0];
	lab->theirs = pair[1];
	http_watch_init(&lab->watch);
	http_watch_allow(&lab->watch, 2);
	http_watch_add(&lab->watch, &lab->line, lab->ours);
}

static void close_lab(struct lab *lab)
{
	http_watch_remove(&lab->watch, &lab->line);
	assert_null(lab->watch.first);
	http_watch_done(&lab->watch);
	close(lab->ours);
	close(lab->theirs);
}

/* Whether the other side sees the end after so much time. */
static bool ends_after(struct lab *lab, double seconds)
{
	char byte;

	now += (mc_time)(seconds * MC_SECOND);
	http_watch_look(&lab->watch);
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
	assert_int_equal(lab.watch.ended, 1);
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

static void test_others_stay(void **state)
{
	struct lab a, b;
	struct http_watch_line more;

	(void)state;
	open_lab(&a);
	open_lab(&b);
	http_watch_add(&a.watch, &more, b.ours);
	now += 5 * MC_SECOND;
	http_watch_enter(&more, HTTP_WATCH_SENDING);
	http_watch_enter(&more, HTTP_WATCH_ANSWERED);
	assert_true(ends_after(&a, 6));
	assert_int_equal(a.watch.ended, 1);
	http_watch_remove(&a.watch, &more);
	close_lab(&a);
	close_lab(&b);
}

/* For one too many; one with a request goes after one without. */
static void test_makes_way(void **state)
{
	struct lab old, asked, busy;
	struct http_watch_line more[2], latest;
	char byte;

	(void)state;
	open_lab(&old); /* That one's watch has all. */
	open_lab(&asked);
	open_lab(&busy);
	http_watch_add(&old.watch, &more[0], asked.ours);
	http_watch_enter(&more[0], HTTP_WATCH_ANSWERED);
	now += MC_SECOND;
	http_watch_enter(&old.line, HTTP_WATCH_CONNECTED); /* Younger. */
	http_watch_add(&old.watch, &more[1], busy.ours);
	http_watch_enter(&more[1], HTTP_WATCH_SERVED);
	assert_true(ends_after(&asked, 0)); /* The other has just come. */
	assert_int_equal(old.watch.ended, 1);
	assert_int_equal(old.watch.len, 2);
	now += MC_SECOND;
	http_watch_add(&old.watch, &latest, busy.ours);
	assert_int_equal(recv(old.theirs, &byte, 1, MSG_DONTWAIT), 0);
	assert_int_equal(old.watch.len, 2);
	http_watch_enter(&latest, HTTP_WATCH_SENDING);
	now += MC_SECOND;
	for (int i = 0; i < 2; i++)
		http_watch_remove(&old.watch, &more[i]);
	assert_int_equal(old.watch.len, 1);
	assert_int_equal(recv(busy.theirs, &byte, 1, MSG_DONTWAIT), -1);
	http_watch_remove(&old.watch, &latest);
	assert_int_equal(old.watch.ended, 2);
	close_lab(&old);
	close_lab(&asked);
	close_lab(&busy);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_silent),    cmocka_unit_test(test_kept),
		cmocka_unit_test(test_slow_body), cmocka_unit_test(test_others_stay),
		cmocka_unit_test(test_makes_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
