/* SPDX-License-Identifier: MIT */
/* Pages of real servers, and of none. */
#include "unit.h"

#include "status.h"

static struct status found;

static void expect(struct status_figure figure, uint64_t value)
{
	assert_true(figure.known);
	assert_int_equal(figure.value, value);
}

/* Apache 2.4.62: the lines of workers come twice, as they are since 2.4.35. */
static void apache(void **state)
{
	(void)state;
	assert_true(status_read("127.0.0.1\n"
				"ServerVersion: Apache/2.4.62 (Debian)\n"
				"ServerMPM: event\n"
				"ServerUptime: 2 minutes 5 seconds\n"
				"Load1: 8.23\n"
				"Total Accesses: 1713\n"
				"Total kBytes: 4294967297\n"
				"Total Duration: 2\n"
				"CPUUser: .02\n"
				"BusyWorkers: 3\n"
				"GracefulWorkers: 0\n"
				"IdleWorkers: 72\n"
				"BusyWorkers: 9\n"
				"IdleWorkers: 66\n"
				"Scoreboard: __W_.KRRGI..\n",
				&found));
	expect(found.requests, 1713);
	expect(found.bytes, 4294967297 * 1024);
	expect(found.busy, 3);
	expect(found.idle, 72);
	assert_true(found.has_scoreboard);
	assert_int_equal(found.slots['_'], 3);
	assert_int_equal(found.slots['.'], 3);
	assert_int_equal(found.slots['R'], 2);
	assert_int_equal(found.slots['W'], 1);
	assert_int_equal(found.slots['S'], 0);
}

static void lighttpd(void **state)
{
	(void)state;
	assert_true(status_read("Total Accesses: 7\r\n"
				"Total kBytes: 0\r\n"
				"Uptime: 11\r\n"
				"BusyServers: 1\r\n"
				"IdleServers: 127\r\n"
				"Scoreboard: h_____hrqQ\r\n",
				&found));
	expect(found.requests, 7);
	expect(found.bytes, 0);
	expect(found.busy, 1);
	expect(found.idle, 127);
	assert_int_equal(found.slots['h'], 2);
	assert_int_equal(found.slots['q'], 1);
	assert_int_equal(found.slots['\r'], 0);
}

/* ExtendedStatus off: a missing value is not 0. */
static void without_totals(void **state)
{
	(void)state;
	assert_true(status_read("BusyWorkers: 1\nIdleWorkers: 5\n", &found));
	assert_false(found.requests.known);
	assert_false(found.bytes.known);
	assert_false(found.has_scoreboard);
	expect(found.busy, 1);
}

static void garbage(void **state)
{
	(void)state;
	assert_true(status_read("Total Accesses: 12.5\n"
				"Total kBytes: 18014398509481983\n"
				"BusyWorkers: -1\n"
				"IdleWorkers: 4 of 5\n"
				"xIdleWorkers: 4\n"
				"Scoreboard:\n",
				&found));
	assert_false(found.requests.known);
	assert_false(found.bytes.known);
	assert_false(found.busy.known);
	assert_false(found.idle.known);
	assert_true(found.has_scoreboard);
	assert_false(status_read("", &found));
	assert_false(status_read("<html>Total Accesses: 5</html>", &found));
	assert_false(status_read("Total Accesses:", &found));
	/* What fails leaves the status of before. */
	assert_true(found.has_scoreboard);
}

/* A bad line does not hide the good one after it. */
static void second_line(void **state)
{
	(void)state;
	assert_true(status_read("IdleWorkers: ?\nIdleWorkers: 5\n", &found));
	expect(found.idle, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(apache),         cmocka_unit_test(lighttpd),
		cmocka_unit_test(without_totals), cmocka_unit_test(garbage),
		cmocka_unit_test(second_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
