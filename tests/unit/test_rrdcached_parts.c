/* SPDX-License-Identifier: MIT */
/* The small pure parts of rrdcached: addresses, paths, shards, commands. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "address.h"
#include "create.h"
#include "joined.h"
#include "shard.h"
#include "stats.h"

/* --- Addresses -------------------------------------------------------- */

static void check_host(const char *text, const char *host, const char *port)
{
	struct address address;

	assert_true(address_parse(&address, text));
	assert_false(address.local);
	assert_string_equal(address.host, host);
	assert_string_equal(address.port, port);
}

static void test_addresses(void **state)
{
	struct address address;
	char long_path[300] = "unix:/";

	(void)state;
	assert_true(address_parse(&address, "unix:/run/a.sock"));
	assert_true(address.local);
	assert_string_equal(address.path, "/run/a.sock");
	assert_true(address_parse(&address, "/run/a.sock"));
	assert_string_equal(address.path, "/run/a.sock");
	check_host("cache", "cache", "42217");
	check_host("10.0.0.1:99", "10.0.0.1", "99");
	check_host("[::1]:99", "::1", "99");
	check_host("[::1]", "::1", "42217");
	check_host("fe80::1", "fe80::1", "42217");
	assert_false(address_parse(&address, "unix:"));
	assert_false(address_parse(&address, ""));
	assert_false(address_parse(&address, ":1"));
	assert_false(address_parse(&address, "host:"));
	assert_false(address_parse(&address, "[::1"));
	assert_false(address_parse(&address, "[::1]x"));
	memset(long_path + 6, 'x', sizeof(long_path) - 7);
	assert_false(address_parse(&address, long_path));
}

/* --- Paths ------------------------------------------------------------ */

static void check_prefix(const char *directory, const char *name, const char *expected)
{
	char out[FILE_PREFIX_MAX];
	size_t size = file_prefix(directory, name, out);

	assert_int_equal(size, strlen(expected));
	assert_memory_equal(out, expected, size);
}

static void test_paths(void **state)
{
	char name[FILE_PREFIX_MAX], out[FILE_PREFIX_MAX];

	(void)state;
	check_prefix("/rrd", "h/p/t", "UPDATE /rrd/h/p/t.rrd ");
	check_prefix("", "h/p/t", "UPDATE h/p/t.rrd ");
	check_prefix(NULL, "h/p/t", "UPDATE h/p/t.rrd ");
	check_prefix("/my rrd", "h/a b\\c/\"t\"", "UPDATE /my\\ rrd/h/a\\ b\\\\c/\"t\".rrd ");
	check_prefix(NULL, "h/\xc3\xa4/t", "UPDATE h/\xc3\xa4/t.rrd ");
	/* Another command cannot be smuggled in. */
	assert_int_equal(file_prefix(NULL, "h/a\nFLUSHALL\n/t", out), 0);
	assert_int_equal(file_prefix("/a\n", "h/p/t", out), 0);
	assert_int_equal(file_prefix(NULL, "h/\r/t", out), 0);
	memset(name, ' ', sizeof(name));
	name[FILE_PREFIX_MAX / 2] = '\0';
	assert_int_equal(file_prefix(NULL, name, out), 0);
}

static struct file *open_file(struct mc_map *files, const char *name)
{
	char prefix[FILE_PREFIX_MAX];

	return file_open(files, prefix, file_prefix("/a b", name, prefix));
}

static bool is_over(const struct file *file)
{
	return file->position == 0;
}

static void test_files(void **state)
{
	static const char line[] = "UPDATE /a\\ b/h/p/t.rrd 17:1";
	struct mc_map files = { 0 };
	struct file *file = open_file(&files, "h/p/t"), *other;
	const char *value;
	char name[32];

	(void)state;
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "h/p/t-%d", i);
		other = open_file(&files, name);
		other->position = (uint64_t)i % 2;
		other->users = 0;
	}
	assert_int_equal(files.len, 1001);
	assert_ptr_equal(open_file(&files, "h/p/t"), file);
	assert_int_equal(file->users, 2);
	assert_ptr_equal(file_find(&files, line, strlen(line), &value), file);
	assert_string_equal(value, "17:1");
	assert_null(file_find(&files, line, 12, &value));
	assert_null(value);
	assert_null(file_find(&files, "UPDATE x\\", 9, &value));
	assert_null(file_find(&files, "UP", 2, &value));
	file_sweep(&files, is_over);
	assert_int_equal(files.len, 501);
	file_remove(&files, file);
	assert_null(file_find(&files, line, strlen(line), &value));
	file_done(&files);
}

/* --- Shards ----------------------------------------------------------- */

static void test_shards(void **state)
{
	static const char *const addresses[] = { "/a", "/b", "/c", "/d" };
	static const char *const turned[] = { "/c", "/a", "/b" };
	enum { LEN = 10000 };
	struct shard three, four, same;
	unsigned counts[4] = { 0 }, moved = 0;
	char name[40];

	(void)state;
	shard_init(&three, addresses, 3);
	shard_init(&four, addresses, 4);
	shard_init(&same, turned, 3);
	for (int i = 0; i < LEN; i++) {
		unsigned before, after;

		snprintf(name, sizeof(name), "host%d/cpu-0/cpu-idle", i);
		before = shard_of(&three, name);
		after = shard_of(&four, name);
		assert_string_equal(addresses[before], turned[shard_of(&same, name)]);
		counts[after]++;
		moved += before != after;
		if (before != after) /* Only to the one that is new. */
			assert_int_equal(after, 3);
	}
	assert_in_range(moved, LEN / 5, LEN / 3);
	for (int i = 0; i < 4; i++)
		assert_in_range(counts[i], LEN / 5, LEN / 3);
	shard_done(&three);
	shard_done(&four);
	shard_done(&same);
}

/* --- Files to be made ------------------------------------------------- */

static const struct mc_type gauge = {
	.name = "gauge",
	.sources_len = 1,
	.sources = { { "value", MC_GAUGE, NAN, NAN } },
};

static void test_create_command(void **state)
{
	int64_t spans[] = { 3600 };
	struct mc_rrd_rules rules = {
		.rows = 10, .xff = 0.5, .timespans = spans, .timespans_len = 1
	};
	struct mc_rrd_layout *layouts = NULL;
	struct mc_map files = { 0 };
	struct file *file = open_file(&files, "h/p/t");
	char text[1000];
	size_t size;

	(void)state;
	file->layout = mc_rrd_layout(&layouts, &rules, &gauge, 10 * MC_SECOND);
	memcpy(lines_room(&file->deferred, 13), "1700000000:5\n", 13);
	lines_added(&file->deferred, 13, 1);
	size = create_text(file, text, sizeof(text));
	text[size] = '\0';
	assert_string_equal(text, "CREATE /a\\ b/h/p/t.rrd -s 10 -b 1699999999 -O "
				  "DS:value:GAUGE:20:U:U "
				  "RRA:AVERAGE:0.5000000000:1:360 "
				  "RRA:MIN:0.5000000000:1:360 "
				  "RRA:MAX:0.5000000000:1:360\n");
	assert_int_equal(create_text(file, text, size), 0);
	assert_int_equal(create_text(file, text, size + 1), size);
	memcpy(file->deferred.memory, "0000000007:5\n", 13);
	size = create_text(file, text, sizeof(text));
	assert_non_null(strstr(text, " -b 315619200 "));
	file_done(&files);
	mc_rrd_layouts_free(layouts);
}

static void test_create_answers(void **state)
{
	(void)state;
	assert_true(create_succeeded(0, "RRD created OK"));
	assert_true(create_succeeded(-1, "RRD Error: creating '/x': File exists"));
	assert_false(create_succeeded(-1, "Permission denied"));
	assert_true(create_lacks_directory("No permission to recursively create: /x"));
	assert_false(create_lacks_directory("Permission denied"));
}

static void test_create_order_and_rate(void **state)
{
	struct create create = { .pause = 10 * MC_MILLISECOND };
	struct file a = { .position = 5 }, b = { .position = 6 };
	mc_time now = 1000 * MC_SECOND, wake = INT64_MAX;

	(void)state;
	create_add(&create, &a);
	create_add(&create, &b);
	/* What was sent for it is not answered yet. */
	assert_null(create_next(&create, now, 4, &wake));
	assert_int_equal(wake, INT64_MAX);
	assert_ptr_equal(create_next(&create, now, 6, &wake), &a);
	assert_null(create_next(&create, now, 6, &wake));
	assert_int_equal(wake, now + 10 * MC_MILLISECOND);
	create_failed(&create, &a, now);
	now += 10 * MC_MILLISECOND;
	assert_ptr_equal(create_next(&create, now, 6, &wake), &b);
	wake = INT64_MAX;
	assert_null(create_next(&create, now, 6, &wake));
	assert_int_equal(wake, 1010 * MC_SECOND);
	assert_ptr_equal(create_next(&create, 1010 * MC_SECOND, 6, &wake), &a);
	for (int i = 0; i < 10; i++)
		create_failed(&create, &a, now);
	assert_int_equal(a.due, now + 300 * MC_SECOND);
}

/* Where the daemon goes away again and again, no file waits ever longer for it. */
static void test_create_later(void **state)
{
	struct create create = { .pause = 0 };
	struct file a = { .position = 5 };
	mc_time now = 1000 * MC_SECOND, wake = INT64_MAX;

	(void)state;
	for (int i = 0; i < 10; i++) {
		create_later(&create, &a, now);
		assert_null(create_next(&create, now, 6, &wake));
		now += MC_SECOND;
		assert_int_equal(wake, now);
		assert_ptr_equal(create_next(&create, now, 6, &wake), &a);
		wake = INT64_MAX;
	}
	assert_int_equal(a.failures, 0);
}

/* --- Files of several series ------------------------------------------- */

struct puts {               /* Updates that were put, */
	unsigned len, room; /* and that have room. */
};

static bool put(void *argument, struct file *file, int64_t second, const union mc_value *values)
{
	struct puts *puts = argument;

	(void)values;
	if (puts->len == puts->room)
		return false;
	puts->len++;
	file->second = second;
	return true;
}

static bool value(struct joined *joined, struct file *file, int64_t second)
{
	return joined_value(joined, file, second, (union mc_value){ .gauge = 1 });
}

/* The last value is late: there is an update of its second already. */
static bool offer(struct joined *joined, struct file *one, struct file *other)
{
	joined_reset(joined);
	return value(joined, one, 10) && value(joined, one, 20) && value(joined, other, 10) &&
	       joined_end(joined);
}

static void test_what_is_late_counts_once(void **state)
{
	struct mc_pnp_place place = {
		.file = { 2, { MC_GAUGE, MC_GAUGE } },
	};
	struct puts puts = { .room = 1 };
	struct joined joined = { .put = put, .argument = &puts };
	struct mc_rrd_layout *layouts = NULL;
	struct mc_rrd_rules rules = { .rows = 100 };
	struct mc_map files = { 0 };
	struct file *whole = file_open(&files, "whole", 5);
	struct file *one = file_open(&files, "one", 3);
	struct file *other = file_open(&files, "other", 5);

	(void)state;
	whole->layout = mc_pnp_single_layout(&layouts, &rules, &place.file, 10 * MC_SECOND);
	joined_add(one, whole, &place);
	place.source = 1;
	joined_add(other, whole, &place);
	assert_false(offer(&joined, one, other));
	assert_false(offer(&joined, one, other));
	puts.room = 2;
	assert_true(offer(&joined, one, other));
	assert_int_equal(puts.len, 2);
	assert_int_equal(joined.late, 1);
	file_done(&files);
	mc_rrd_layouts_free(layouts);
}

/* --- Statistics ------------------------------------------------------- */

static void test_statistics(void **state)
{
	struct mc_id id = { 0 };
	uint64_t number = 0;

	(void)state;
	assert_true(stats_read("DataSetsWritten: 390", &id, &number));
	assert_string_equal(id.type, "operations");
	assert_string_equal(id.type_instance, "write-data_sets");
	assert_int_equal(number, 390);
	assert_true(stats_read("QueueLength: 1", &id, &number));
	assert_null(id.type_instance);
	assert_false(stats_read("QueueLength: ", &id, &number));
	assert_false(stats_read("QueueLength", &id, &number));
	assert_false(stats_read("Queue: 1", &id, &number));
	assert_false(stats_read("", &id, &number));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_shards),
		cmocka_unit_test(test_create_command),
		cmocka_unit_test(test_create_answers),
		cmocka_unit_test(test_create_order_and_rate),
		cmocka_unit_test(test_create_later),
		cmocka_unit_test(test_what_is_late_counts_once),
		cmocka_unit_test(test_statistics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
