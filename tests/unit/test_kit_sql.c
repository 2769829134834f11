/* SPDX-License-Identifier: MIT */
/* Rows of a database become series and values, whatever they have; their texts are bounded. */
#include "kit/series/sql_put.h"

#include "unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/serve.h>

/* --- In place of the core ------------------------------------------------- */

static char put[1024], trouble[256]; /* One after the other; the last. */
static const struct mc_type gauge = { .name = "gauge",
				      .sources_len = 1,
				      .sources = { { "value", MC_GAUGE, 0, 0 } } };
static const struct mc_type octets = {
	.name = "if_octets",
	.sources_len = 2,
	.sources = { { "rx", MC_DERIVE, 0, 0 }, { "tx", MC_DERIVE, 0, 0 } },
};

const struct mc_type *mc_type_find(struct mc_ctx *ctx, const char *name)
{
	(void)ctx;
	if (strcmp(name, "gauge") == 0)
		return &gauge;
	return strcmp(name, "if_octets") == 0 ? &octets : NULL;
}

const struct mc_type *mc_check_type(struct mc_ctx *ctx, const char *name)
{
	return mc_type_find(ctx, name);
}

void mc_check_error(struct mc_ctx *ctx, const void *field, const char *fmt, ...)
{
	va_list args;

	(void)ctx, (void)field;
	va_start(args, fmt);
	vsnprintf(trouble, sizeof(trouble), fmt, args);
	va_end(args);
}

struct mc_series *mc_series(struct mc_batch *batch, struct mc_id id)
{
	size_t used = strlen(put);

	snprintf(put + used, sizeof(put) - used, "%s/%s-%s/%s-%s", id.host != NULL ? id.host : "",
		 id.plugin != NULL ? id.plugin : "",
		 id.plugin_instance != NULL ? id.plugin_instance : "", id.type,
		 id.type_instance != NULL ? id.type_instance : "");
	return (struct mc_series *)batch;
}

void mc_put(struct mc_batch *batch, struct mc_series *series, const union mc_value *values,
	    unsigned len)
{
	size_t used = strlen(put);

	(void)batch, (void)series;
	if (len == 1)
		snprintf(put + used, sizeof(put) - used, " %g\n", values[0].gauge);
	else
		snprintf(put + used, sizeof(put) - used, " %lld:%lld\n",
			 (long long)values[0].derive, (long long)values[1].derive);
}

void mc_complain(struct mc_ctx *ctx, struct mc_once *once, int errnum, const char *fmt, ...)
{
	va_list args;

	(void)ctx, (void)errnum;
	once->failures++;
	va_start(args, fmt);
	vsnprintf(trouble, sizeof(trouble), fmt, args);
	va_end(args);
}

void mc_works(struct mc_ctx *ctx, struct mc_once *once, const char *fmt, ...)
{
	(void)ctx, (void)fmt;
	once->failures = 0;
	trouble[0] = '\0';
}

/* --- A query and its answer ----------------------------------------------- */

static const char *const state[] = { "state", "KIND" }, *const count[] = { "count" },
			 *const two[] = { "count", "more" };

static struct sql_query_result results[] = {
	{ .type = "gauge", .instances = { state, 2 }, .values = { count, 1 } },
	{ .type = "if_octets", .prefix = "both", .values = { two, 2 } },
};

static struct sql_query queries[] = {
	{ .name = "one", .results = { results, 1 }, .min_version = 5, .max_version = 9 },
	{ .name = "One", .results = { &results[1], 1 } },
	{ .name = "other", .results = { results, 2 }, .plugin_instance = "state" },
};

/* Puts these cells, "-" for one without a value: the first four are names. */
static void answer(const char *name, const char *const *cells)
{
	struct sql_query_list list = { 0 };
	struct sql_answers answers;
	static const struct sql_put_names names = { "shop", "db1", "sql", "shop" };

	put[0] = trouble[0] = '\0';
	sql_query_list_add(&list, queries, 3, name);
	sql_answers_init(&answers, list.len);
	for (size_t i = 0; i < list.len; i++) {
		struct sql_answer *one = &answers.items[i];

		*one = (struct sql_answer){
			.asked = true, .answered = true, .columns = 4, .first = answers.cells_len
		};
		for (size_t k = 0; cells[k] != NULL; k++) {
			assert_true(sql_answers_add(&answers,
						    strcmp(cells[k], "-") == 0 ? NULL : cells[k]));
			one->rows = k / 4;
		}
	}
	sql_put(NULL, &names, &list, &answers, (struct mc_batch *)&answers);
	sql_answers_done(&answers);
	sql_query_list_done(&list);
}

#define ANSWER(name, ...)                                                                          \
	answer(name, (const char *const[]){ "state", "kind", "count", "MORE", __VA_ARGS__, NULL })

static void test_rows(void **fixture)
{
	(void)fixture;
	ANSWER("one", "open", "bug", "7", "8", "done", "bug", "1.5", "9007199254740993");
	assert_string_equal(put, "db1/sql-shop/gauge-open-bug 7\n"
				 "db1/sql-shop/gauge-done-bug 1.5\n"
				 "db1/sql-shop/if_octets-both 7:8\n"
				 "db1/sql-shop/if_octets-both 1:9007199254740993\n");
	assert_string_equal(trouble, "");
}

static void test_no_value(void **fixture)
{
	(void)fixture;
	ANSWER("other", "open", "-", "7", "-");
	assert_string_equal(put, "db1/sql-open/gauge-open- 7\n");
	assert_string_equal(trouble, "");
	ANSWER("other", "-", "bug", "-", "8");
	assert_string_equal(put, "");
}

static void test_faults(void **fixture)
{
	(void)fixture;
	ANSWER("other", "open", "bug", "seven", "8", "done", "bug", "9", "10");
	assert_string_equal(put,
			    "db1/sql-done/gauge-done-bug 9\ndb1/sql-done/if_octets-both 9:10\n");
	assert_string_equal(trouble, "'shop': query 'other' returns no number in 'count'");
	answer("other", (const char *const[]){ "state", "kind", "amount", "more", "a", "b", "1",
					       "2", NULL });
	assert_string_equal(put, "");
	assert_string_equal(trouble, "'shop': query 'other' has no column 'count'");
}

static void test_names_of_queries(void **fixture)
{
	struct sql_query_list list = { 0 };

	(void)fixture;
	assert_int_equal(sql_query_list_add(&list, queries, 3, "ONE"), 2);
	assert_int_equal(sql_query_list_add(&list, queries, 3, "none"), 0);
	assert_true(sql_query_is_there(queries, 3, "Other"));
	assert_false(sql_query_is_there(queries, 2, "other"));
	assert_int_equal(list.len, 2);
	sql_query_list_done(&list);
}

static void test_types(void **fixture)
{
	struct sql_query_result wrong = { .type = "if_octets", .values = { count, 1 } };
	const struct sql_query query = { .results = { &wrong, 1 } };

	(void)fixture;
	trouble[0] = '\0';
	sql_query_check(NULL, &queries[2]);
	assert_string_equal(trouble, "");
	sql_query_check(NULL, &query);
	assert_string_equal(trouble, "has 2 values, not 1");
	wrong.type = "nothing";
	sql_query_check(NULL, &query);
	assert_string_equal(trouble, "is not in types.db");
}

static void test_bounds(void **fixture)
{
	struct sql_answers answers;
	char text[1024];
	size_t added = 0;

	(void)fixture;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	sql_answers_init(&answers, 1);
	while (sql_answers_add(&answers, text))
		added++;
	assert_in_range(added * sizeof(text), SQL_ANSWERS_SIZE_MAX * 9 / 10, SQL_ANSWERS_SIZE_MAX);
	while (sql_answers_add(&answers, NULL)) /* These take room, too. */
		added++;
	assert_true(added < 2 * SQL_ANSWERS_SIZE_MAX / sizeof(size_t));
	sql_answers_clear(&answers);
	assert_true(sql_answers_add(&answers, text));
	sql_answers_done(&answers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),   cmocka_unit_test(test_no_value),
		cmocka_unit_test(test_faults), cmocka_unit_test(test_names_of_queries),
		cmocka_unit_test(test_types),  cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
