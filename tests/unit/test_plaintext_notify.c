/* SPDX-License-Identifier: MIT */
/* PUTNOTIF: keys, mistakes, and messages with and without quotes. */
#include "formats/plaintext/plaintext_part.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "plain_fixture.h"

static void test_errors(void **state)
{
	static const char no_message[] = "No message or message of length 0 given.";
	static const struct {
		const char *arguments, *error;
	} cases[] = {
		{ "", "Option `severity' missing." },
		{ "message=foo", "Option `severity' missing." },
		{ "time=1 message=foo", "Option `severity' missing." },
		{ "severity=warning message=foo", "Option `time' missing." },
		{ "severity=okay time=0 message=foo", "Option `time' missing." },
		{ "severity=warning time=1", no_message },
		{ "severity=warning time=1 message=", "Malformed option." },
		{ "foo", "Malformed option." },
		{ "severity=okay foo", "Malformed option." },
		{ "severity=bad time=1 message=foo", "Error parsing option `severity'" },
		{ "severity=okay time=N message=foo", "Error parsing option `time'" },
		{ "severity=okay time=1abc message=foo", "Error parsing option `time'" },
		{ "severity=okay time=-5 message=foo", "Error parsing option `time'" },
		{ "severity=okay time=1 foo=bar message=foo", "Error parsing option `foo'" },
		{ "severity=okay time=1 s:=bar message=foo", "Error parsing option `s:'" },
		{ "severity=okay time=1 x:foo=bar message=foo", "Error parsing option `x:foo'" },
		{ "time=1 message=\"a", "Unterminated quoted string." },
		{ "time=1 message=\"a\\", "Backslash at end of string." },
	};
	struct mc_plain request;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[128];
		char *line;

		snprintf(text, sizeof(text), "PUTNOTIF %s", cases[i].arguments);
		line = plain_parse(&request, text, false);
		assert_string_equal(request.error, cases[i].error);
		free(line);
	}
}

static void test_keys(void **state)
{
	struct mc_plain request;
	const struct mc_notification *notification = &request.notification;
	char *line = plain_parse(&request,
				 "putnotif Severity=FAILURE TIME=1.5 host=a plugin=b "
				 "plugin_instance=c type=d type_instance=\"e f\" "
				 "s:key=text s:other=\"two words\" message=\"the \\\"roof\\\" "
				 "is on fire\"",
				 true);

	(void)state;
	assert_int_equal(request.verb, MC_PLAIN_PUTNOTIF);
	assert_int_equal(notification->severity, MC_FAILURE);
	assert_int_equal(notification->time, 1500 * MC_MILLISECOND);
	assert_string_equal(notification->id.host, "a");
	assert_string_equal(notification->id.plugin, "b");
	assert_string_equal(notification->id.plugin_instance, "c");
	assert_string_equal(notification->id.type, "d");
	assert_string_equal(notification->id.type_instance, "e f");
	assert_string_equal(notification->message, "the \"roof\" is on fire");
	assert_int_equal(notification->fields_len, 2);
	assert_string_equal(notification->fields[0].name, "key");
	assert_string_equal(notification->fields[0].value, "text");
	assert_string_equal(notification->fields[1].name, "other");
	assert_string_equal(notification->fields[1].value, "two words");
	free(line);
}

static void test_messages(void **state)
{
	static const struct {
		const char *arguments, *message;
	} cases[] = {
		{ "message=foo severity=okay time=1", "foo" },
		{ "severity=okay time=1 message=The roof is on fire!", "The roof is on fire!" },
		{ "severity=okay time=1 message=a b=c", NULL },
		{ "severity=okay time=1 message=x is a=b", "x is a=b" },
		{ "severity=okay time=1 message=a\\b", "a\\b" },
	};
	struct mc_plain request;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[128];
		char *line;

		snprintf(text, sizeof(text), "PUTNOTIF %s", cases[i].arguments);
		line = plain_parse(&request, text, cases[i].message != NULL);
		if (cases[i].message != NULL) {
			assert_string_equal(request.notification.message, cases[i].message);
			assert_int_equal(request.notification.severity, MC_OKAY);
			assert_int_equal(request.notification.time, MC_SECOND);
			assert_null(request.notification.id.host);
		}
		free(line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
