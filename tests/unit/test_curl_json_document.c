/* SPDX-License-Identifier: MIT */
/* Which values of a document keys find, and under which names. */
#include "unit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document.h"

#define KEYS_MAX 4
#define SHOWN_SIZE 2048

static char shown[SHOWN_SIZE];
static uint64_t lost;

/* "path name=text " of each value. */
static void show(void *unused, const struct document_value *value)
{
	size_t at = strlen(shown);

	(void)unused;
	snprintf(shown + at, sizeof(shown) - at, "%s%s %s=%.*s", at > 0 ? "; " : "",
		 value->key->path, value->name, (int)value->size, value->text);
}

static int read_document(const char *text, const char *const *paths)
{
	struct key keys[KEYS_MAX] = { { 0 } };
	struct keys_node root = { 0 };
	struct document_taker taker = { .take = show };
	int rc;

	for (unsigned i = 0; paths[i] != NULL; i++) {
		keys[i].path = paths[i];
		assert_true(keys_add(&root, &keys[i]));
	}
	shown[0] = '\0';
	rc = document_read(text, strlen(text), &root, &taker);
	lost = taker.lost;
	keys_done(&root);
	return rc;
}

#define PATHS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void maps(void **state)
{
	static const char text[] = "{\"a\": {\"b\": 1, \"c\": 2.50, \"d\": {\"b\": 3}}, "
				   "\"b\": 4, \"x\": {\"b\": null}}";

	(void)state;
	assert_int_equal(read_document(text, PATHS("a/b")), 0);
	assert_string_equal(shown, "a/b a-b=1");
	assert_int_equal(read_document(text, PATHS("/a/c", "b")), 0);
	assert_string_equal(shown, "/a/c a-c=2.50; b b=4");
	assert_int_equal(read_document(text, PATHS("*/b")), 0);
	assert_string_equal(shown, "*/b a-b=1");
	assert_int_equal(read_document(text, PATHS("a/*")), 0);
	assert_string_equal(shown, "a/* a-b=1; a/* a-c=2.50");
	assert_int_equal(read_document(text, PATHS("a", "nothing/b")), 0);
	assert_string_equal(shown, "");
}

static void lists(void **state)
{
	static const char text[] = "[[1, 2], {\"a\": [3, {\"b\": 4}, [5]]}, null, 6, true, false]";

	(void)state;
	assert_int_equal(read_document(text, PATHS("0/1")), 0);
	assert_string_equal(shown, "0/1 0-1=2");
	assert_int_equal(read_document(text, PATHS("0/*", "3", "4")), 0);
	assert_string_equal(shown, "0/* 0-0=1; 0/* 0-1=2; 3 3=6; 4 4=1");
	assert_int_equal(read_document(text, PATHS("1/a/1/b", "1/a/*/0", "*")), 0);
	assert_string_equal(shown, "1/a/1/b 1-a-1-b=4; 1/a/*/0 1-a-2-0=5; "
				   "* 3=6; * 4=1; * 5=0");
}

/* As in collectd: below "a", which is named, nothing of "*" is looked for. */
static void names_before_any(void **state)
{
	static const char text[] = "{\"a\": {\"x\": 1, \"y\": 2}, "
				   "\"b\": {\"x\": 3, \"y\": 4}}";

	(void)state;
	assert_int_equal(read_document(text, PATHS("*/x", "a/y")), 0);
	assert_string_equal(shown, "a/y a-y=2; */x b-x=3");
}

static void strings(void **state)
{
	(void)state;
	assert_int_equal(read_document("{\"a\": \"17 MB\", \"b/c\": \"1\"}", PATHS("*")), 0);
	assert_string_equal(shown, "* a=17 MB; * b/c=1");
}

static void garbage(void **state)
{
	static char deep[3 * DOCUMENT_DEPTH_MAX];

	(void)state;
	assert_int_equal(read_document("", PATHS("a")), -EINVAL);
	assert_int_equal(read_document("{\"a\": 12", PATHS("a")), -EINVAL);
	assert_string_equal(shown, ""); /* It may have been 1234. */
	assert_int_equal(read_document("{\"a\": 1, \"b\": 2} oops", PATHS("*")), -EINVAL);
	assert_string_equal(shown, "");
	assert_int_equal(read_document("<html>", PATHS("a")), -EINVAL);
	assert_int_equal(read_document("5", PATHS("*")), 0);
	assert_string_equal(shown, "");
	memset(deep, '[', sizeof(deep) - 1);
	assert_int_equal(read_document(deep, PATHS("*")), -ELOOP);
	deep[DOCUMENT_DEPTH_MAX] = '\0';
	assert_int_equal(read_document(deep, PATHS("*")), -EINVAL);
	/* As deep as it may be, with all names. */
	memset(deep + DOCUMENT_DEPTH_MAX, ']', DOCUMENT_DEPTH_MAX);
	deep[2 * DOCUMENT_DEPTH_MAX] = '\0';
	assert_int_equal(read_document(deep, PATHS("*")), 0);
}

/* A part without room in a name is left out, and the parts after it are not. */
static void long_names(void **state)
{
	char text[2 * DOCUMENT_NAME_SIZE];

	(void)state;
	snprintf(text, sizeof(text), "{\"%0*d\": {\"x\": 1}, \"b\": {\"x\": 2}}",
		 DOCUMENT_NAME_SIZE - 3, 7);
	assert_int_equal(read_document(text, PATHS("*/x")), 0);
	assert_int_equal(lost, 0);
	snprintf(text, sizeof(text), "{\"%0*d\": {\"x\": 1}, \"b\": {\"x\": 2}}",
		 DOCUMENT_NAME_SIZE - 2, 7);
	assert_int_equal(read_document(text, PATHS("*/x")), 0);
	assert_int_equal(lost, 1);
	assert_string_equal(shown, "*/x b-x=2");
}

static void bad_keys(void **state)
{
	static const struct key keys[] = {
		{ .path = "" },     { .path = "/" },   { .path = "a/" },
		{ .path = "a//b" }, { .path = "a/b" }, { .path = "/a/b" },
	};
	static const bool good[] = { false, false, false, false, true, false };
	struct keys_node root = { 0 };

	(void)state;
	for (unsigned i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		assert_int_equal(keys_add(&root, &keys[i]), good[i]);
	keys_done(&root);
	keys_done(&root);
}

/* --- Numbers -------------------------------------------------------------- */

static bool number(const char *text, enum mc_kind kind, union mc_value *out)
{
	const struct document_value value = { NULL, "", text, strlen(text) };

	return document_number(&value, kind, out);
}

static void numbers(void **state)
{
	union mc_value value;

	(void)state;
	assert_true(number("12.5", MC_GAUGE, &value));
	assert_true(value.gauge == 12.5);
	assert_true(number(" -3e2 apples", MC_GAUGE, &value));
	assert_true(value.gauge == -300);
	assert_true(number("12345678901234567", MC_DERIVE, &value));
	assert_int_equal(value.derive, 12345678901234567);
	assert_true(number("-12.9", MC_DERIVE, &value));
	assert_int_equal(value.derive, -12);
	assert_true(number("1e3", MC_DERIVE, &value));
	assert_int_equal(value.derive, 1000);
	assert_true(number("18446744073709551615", MC_COUNTER, &value));
	assert_int_equal(value.counter, UINT64_MAX);
	assert_true(number("7 MB", MC_ABSOLUTE, &value));
	assert_int_equal(value.absolute, 7);
}

static void no_numbers(void **state)
{
	union mc_value value = { .gauge = 5 };
	char digits[200];

	(void)state;
	assert_false(number("", MC_GAUGE, &value));
	assert_false(number("up", MC_GAUGE, &value));
	assert_false(number("nan", MC_GAUGE, &value));
	assert_false(number("1e999", MC_GAUGE, &value));
	assert_false(number("-1", MC_COUNTER, &value));
	assert_false(number("-1.5", MC_ABSOLUTE, &value));
	assert_false(number("9223372036854775808", MC_DERIVE, &value));
	assert_false(number("18446744073709551616", MC_COUNTER, &value));
	snprintf(digits, sizeof(digits), "%0199d", 1);
	assert_false(number(digits, MC_GAUGE, &value));
	assert_true(value.gauge == 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps),
		cmocka_unit_test(lists),
		cmocka_unit_test(names_before_any),
		cmocka_unit_test(strings),
		cmocka_unit_test(garbage),
		cmocka_unit_test(long_names),
		cmocka_unit_test(bad_keys),
		cmocka_unit_test(numbers),
		cmocka_unit_test(no_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
