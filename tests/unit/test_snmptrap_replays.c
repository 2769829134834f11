/* SPDX-License-Identifier: MIT */
/* Which messages of engines of SNMP 3 are taken, and what outlives a restart. */
#include "unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replays.h"

#include <collector/private/status.h>

static struct replays replays;
static struct mc_ctx ctx = { .name = "snmptrap" };
static mc_time now; /* Monotonic. */
static char said[300];

void mc_log(struct mc_ctx *self, enum mc_level level, const char *fmt, ...)
{
	va_list args;

	(void)self;
	(void)level;
	va_start(args, fmt);
	vsnprintf(said, sizeof(said), fmt, args);
	va_end(args);
}

void mc_count_failure(struct mc_ctx *self)
{
	(void)self;
}

static int start(void **state)
{
	char *folder = strdup("/tmp/test_snmptrap_replays.XXXXXX");

	if (mkdtemp(folder) == NULL || chdir(folder) != 0)
		return -1;
	*state = folder;
	now = 1000 * MC_SECOND;
	said[0] = '\0';
	replays_start(&replays, &ctx);
	return 0;
}

static int stop(void **state)
{
	replays_stop(&replays);
	unlink("snmptrap.engines");
	rmdir(*state);
	free(*state);
	return 0;
}

static void restart(void)
{
	replays_stop(&replays);
	replays_start(&replays, &ctx);
}

static enum replays_result take(const char *engine, uint32_t boots, uint32_t time, uint32_t digest)
{
	return replays_take(
		&replays,
		&(struct replays_message_id){ .engine = { (uint8_t *)engine, strlen(engine) },
					      .boots = boots,
					      .time = time,
					      .digest = { (uint8_t *)&digest, sizeof(digest) } },
		false, now);
}

static void a_message_is_taken_once(void **state)
{
	(void)state;
	assert_int_equal(take("a", 5, 100, 1), REPLAYS_NEW);
	assert_int_equal(take("a", 5, 100, 2), REPLAYS_NEW);
	for (unsigned i = 0; i <= 150; i++, now += MC_SECOND)
		assert_int_equal(take("a", 5, 100, 1), REPLAYS_BEFORE);
	assert_int_equal(take("a", 5, 100, 1), REPLAYS_LATE);
	assert_int_equal(take("a", 5, 100, 3), REPLAYS_LATE);
	assert_int_equal(take("a", 5, 102, 4), REPLAYS_NEW);
}

static void boots_and_time_go_forward(void **state)
{
	(void)state;
	assert_int_equal(take("a", 5, INT32_MAX, 1), REPLAYS_NEW);
	assert_int_equal(take("a", 6, 0, 2), REPLAYS_NEW);
	assert_int_equal(take("a", 5, INT32_MAX, 3), REPLAYS_BOOTS);
	assert_int_equal(take("b", 0, 0, 4), REPLAYS_NEW);
	assert_int_equal(take("b", 0, 0, 4), REPLAYS_BEFORE);
	assert_int_equal(take("c", INT32_MAX, 7, 5), REPLAYS_LATE);
}

static void a_restart_remembers(void **state)
{
	(void)state;
	assert_int_equal(take("a", 5, 100, 1), REPLAYS_NEW);
	assert_int_equal(take("b", 7, 90, 2), REPLAYS_NEW);
	restart();
	assert_int_equal(take("a", 5, 100, 1), REPLAYS_LATE);
	assert_int_equal(take("a", 4, 500, 1), REPLAYS_BOOTS);
	assert_int_equal(take("b", 7, 90, 2), REPLAYS_LATE);
	assert_int_equal(take("a", 5, 101, 3), REPLAYS_NEW);
	assert_int_equal(take("b", 8, 0, 4), REPLAYS_NEW);
	assert_int_equal(take("b", 8, 0, 5), REPLAYS_NEW);
}

static void a_damaged_line_is_left_out(void **state)
{
	FILE *file;

	(void)state;
	assert_int_equal(take("a", 5, 100, 1), REPLAYS_NEW);
	replays_stop(&replays);
	file = fopen("snmptrap.engines", "a");
	assert_non_null(file);
	fputs("62 9999 1 00000000\n62\n 1\nzz 1 1 1\n6", file);
	fclose(file);
	replays_start(&replays, &ctx);
	assert_string_equal(said, "'snmptrap.engines': 5 damaged lines are left out");
	assert_int_equal(take("b", 1, 1, 2), REPLAYS_NEW);
	assert_int_equal(take("a", 5, 100, 1), REPLAYS_LATE);
}

/* What had to be forgotten too early is not taken either. */
static void a_flood_of_messages_is_bounded(void **state)
{
	(void)state;
	assert_int_equal(take("a", 5, 100, 0), REPLAYS_NEW);
	for (uint32_t i = 1; i <= REPLAYS_MESSAGES_MAX; i++)
		assert_int_equal(take("a", 5, 101, i), REPLAYS_NEW);
	assert_int_equal(replays.messages.map.len, REPLAYS_MESSAGES_MAX);
	assert_int_equal(take("a", 5, 100, 0), REPLAYS_LATE);
	assert_int_equal(take("a", 5, 101, 1), REPLAYS_BEFORE);
}

static void engines_are_bounded(void **state)
{
	char name[16];

	(void)state;
	for (uint32_t i = 0; i < REPLAYS_ENGINES_MAX + 10; i++) {
		snprintf(name, sizeof(name), "e%u", i);
		assert_int_equal(take(name, 1, 1, i), REPLAYS_NEW);
	}
	assert_int_equal(replays.engines.map.len, REPLAYS_ENGINES_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_message_is_taken_once),
		TEST(boots_and_time_go_forward),
		TEST(a_restart_remembers),
		TEST(a_damaged_line_is_left_out),
		TEST(a_flood_of_messages_is_bounded),
		TEST(engines_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
