/* SPDX-License-Identifier: MIT */
/* Notifications as others want them: a mail, a line for Nagios, the result of a
 * check for Icinga, alerts. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <collector/writer.h>

#include "absent.h"
#include "alerts.h"
#include "check_json.h"
#include "command_line.h"
#include "mail.h"
#include "services.h"

#define NOW (INT64_C(1700000000) * MC_SECOND)

/* The core is played by the test. */
const char *mc_severity_name(enum mc_severity severity)
{
	return severity == MC_FAILURE ? "FAILURE" : severity == MC_OKAY ? "OKAY" : "WARNING";
}

static struct mc_notification disk(enum mc_severity severity, const char *message)
{
	return (struct mc_notification){
		.severity = severity,
		.time = NOW,
		.id = { .host = "web1",
			.plugin = "df",
			.plugin_instance = "root",
			.type = "percent_bytes",
			.type_instance = "used" },
		.message = message,
	};
}

/* --- Mails ---------------------------------------------------------------- */

static char *mail_of(const char *subject, const struct mc_notification *all, size_t len)
{
	static const char *const to[] = { "a@example.org", "b@example.org" };
	const struct mc_notification *list[8];
	struct mc_buffer out = { 0 };
	struct mail mail = { .from = "me@example.org",
			     .subject = subject,
			     .recipients = { to, 2 },
			     .host = "here",
			     .number = 0xabc,
			     .time = NOW,
			     .notifications = list,
			     .len = len };

	for (size_t i = 0; i < len; i++)
		list[i] = &all[i];
	mail_write(&mail, &out);
	return out.at;
}

static void a_mail_of_one(void **unused)
{
	struct mc_notification one = disk(MC_FAILURE, "full");
	char *mail = mail_of("Collectd notify: %s@%s", &one, 1);

	(void)unused;
	assert_string_equal(mail, "Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n"
				  "From: me@example.org\r\n"
				  "To: a@example.org,\r\n b@example.org\r\n"
				  "Subject: Collectd notify: FAILURE@web1\r\n"
				  "Message-ID: <1700000000.abc@here>\r\n"
				  "Auto-Submitted: auto-generated\r\n"
				  "MIME-Version: 1.0\r\n"
				  "Content-Type: text/plain; charset=\"UTF-8\"\r\n"
				  "Content-Transfer-Encoding: 8bit\r\n\r\n"
				  "2023-11-14 22:13:20 +0000 - FAILURE@web1\r\n\r\n"
				  "Message: full\r\n");
	free(mail);
}

static void a_mail_of_several(void **unused)
{
	struct mc_notification all[] = { disk(MC_OKAY, "a"), disk(MC_WARNING, "b"),
					 disk(MC_OKAY, NULL) };
	char *mail;

	(void)unused;
	all[2].id.host = "web2";
	mail = mail_of("%s of %s!", all, 3);
	assert_non_null(strstr(mail, "Subject: WARNING of several hosts! "
				     "(3 notifications)\r\n"));
	assert_non_null(strstr(mail, " - OKAY@web2\r\n\r\nMessage: \r\n"));
	free(mail);
}

/* No line has more than 998 bytes, and no character is broken. */
static void long_and_foreign_texts(void **unused)
{
	char message[6001] = "x";
	struct mc_notification one = disk(MC_FAILURE, message);
	size_t characters = 0;
	char *mail;

	(void)unused;
	for (size_t i = 1; i + 2 < sizeof(message); i += 2)
		memcpy(message + i, "\xc3\xb6", 2);
	one.id.host = "\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6";
	mail = mail_of("St\xc3\xb6rung: %s@%s", &one, 1);
	assert_non_null(strstr(mail, "Subject: =?UTF-8?Q?=53=74=C3=B6=72"));
	for (const char *line = mail; *line != '\0'; line = strstr(line, "\r\n") + 2) {
		assert_true(strcspn(line, "\r") <= 998);
		assert_false(((unsigned char)*line & 0xc0) == 0x80);
	}
	for (const char *c = strstr(mail, "Message: x"); (c = strstr(c, "\xc3\xb6")) != NULL; c++)
		characters++;
	assert_int_equal(characters, strlen(message) / 2);
	for (const char *word = mail; (word = strstr(word, "=?UTF-8?Q?")) != NULL; word++)
		assert_true(strcspn(word, "\r") <= 75);
	free(mail);
}

static void subjects(void **unused)
{
	(void)unused;
	assert_true(mail_subject_is_right("%s%s"));
	assert_false(mail_subject_is_right("%s"));
	assert_false(mail_subject_is_right("%s %s %s"));
	assert_false(mail_subject_is_right("%s %n %s"));
	assert_false(mail_subject_is_right("100 % %s %s"));
	assert_false(mail_subject_is_right("%s %s %"));
	assert_false(mail_subject_is_right(""));
}

/* --- Nagios --------------------------------------------------------------- */

static void services_that_nagios_has(void **state)
{
	char path[] = "/tmp/services.XXXXXX";
	struct services services = { .known = false };
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");

	(void)state;
	assert_true(services_has(&services, "any", "thing"));
	assert_int_equal(services_renew(&services, "/does/not/exist", 1), -ENOENT);
	assert_true(services_has(&services, "any", "thing"));
	fputs("define service {\n\thost_name\tweb 1 \n\tservice_description  a b\n\t}\n"
	      "define service{\nhost_name web 1\nservice_description c\n"
	      "passive_checks_enabled 0\n}\n"
	      "define host {\n\thost_name\tweb 1\n\tservice_description\td\n\t}\n"
	      "define service {\n\thost_name\tcut",
	      file);
	fclose(file);
	assert_int_equal(services_renew(&services, path, 2), -ENOENT); /* Not looked at yet. */
	assert_int_equal(services_renew(&services, path, 6 * MC_SECOND), 0);
	assert_true(services_has(&services, "web 1", "a b"));
	assert_false(services_has(&services, "web 1", "c"));
	assert_false(services_has(&services, "web 1", "d"));
	assert_false(services_has(&services, "web", "1;a b"));
	unlink(path);
	assert_int_equal(services_renew(&services, path, 12 * MC_SECOND), -ENOENT);
	assert_true(services_has(&services, "web 1", "a b"));
	services_done(&services);
}

static void services_that_icinga_lacks(void **state)
{
	struct mc_lru all = { .oldest = NULL };
	char name[32];

	(void)state;
	for (unsigned i = 0; i <= ABSENT_MAX; i++) {
		snprintf(name, sizeof(name), "host!%u", i);
		absent_add(&all, name, i);
	}
	absent_add(&all, name, 5 * MC_SECOND);
	assert_int_equal(all.map.len, ABSENT_MAX);
	assert_false(absent_has(&all, "host!0", 0));
	assert_true(absent_has(&all, "host!1", 0));
	assert_false(absent_has(&all, "host!1", ABSENT_FOR + 1));
	assert_int_equal(all.map.len, ABSENT_MAX - 1);
	assert_true(absent_has(&all, name, ABSENT_FOR + MC_SECOND));
	absent_done(&all);
}

static void a_line_for_nagios(void **unused)
{
	struct mc_notification one = disk(MC_FAILURE, "full; very\nfull");
	char line[COMMAND_LINE_SIZE + 1];
	size_t size;

	(void)unused;
	one.id.host = "a;b";
	one.id.plugin_instance = "c;d!";
	size = command_line_write(&one, line);
	line[size] = '\0';
	assert_string_equal(line, "[1700000000] PROCESS_SERVICE_CHECK_RESULT;"
				  "a_b;df-c_d_/percent_bytes-used;2;"
				  "full; very full\n");
	one = (struct mc_notification){ .severity = MC_OKAY };
	size = command_line_write(&one, line);
	line[size] = '\0';
	assert_string_equal(line, "[0] PROCESS_SERVICE_CHECK_RESULT;;;0;\n");
}

static void a_long_line_is_cut(void **unused)
{
	static char message[2 * COMMAND_LINE_SIZE];
	struct mc_notification one = disk(MC_WARNING, message);
	char line[COMMAND_LINE_SIZE];

	(void)unused;
	memset(message, 'x', sizeof(message) - 1);
	assert_int_equal(command_line_write(&one, line), COMMAND_LINE_SIZE - 1);
	assert_int_equal(line[COMMAND_LINE_SIZE - 2], '\n');
	assert_int_equal(line[COMMAND_LINE_SIZE - 3], 'x');
}

/* --- JSON ----------------------------------------------------------------- */

static void is_json(struct mc_json *json, const char *wanted)
{
	size_t size;
	const char *bytes = mc_json_bytes(json, &size);
	char *text = mc_alloc_printf("%.*s", (int)size, bytes);

	assert_string_equal(text, wanted);
	free(text);
	mc_json_free(json);
}

static void a_result_for_icinga(void **unused)
{
	struct mc_notification one = disk(MC_WARNING, "nearly \"full\"");
	struct mc_field fields[] = { { "DataSource", "value" }, { "CurrentValue", "93.5" } };

	(void)unused;
	is_json(check_json_new(&one, "here"),
		"{\"type\":\"Service\","
		"\"service\":\"web1!df-root/percent_bytes-used\","
		"\"exit_status\":1,\"plugin_output\":\"nearly \\\"full\\\"\","
		"\"check_source\":\"here\",\"execution_end\":1700000000}");
	one.fields = fields;
	one.fields_len = 2;
	one.id = (struct mc_id){ .plugin = "p" };
	is_json(check_json_new(&one, "here"),
		"{\"type\":\"Service\",\"service\":\"here!p\","
		"\"exit_status\":1,\"plugin_output\":\"nearly \\\"full\\\"\","
		"\"performance_data\":[\"'value'=93.5\"],"
		"\"check_source\":\"here\",\"execution_end\":1700000000}");
	fields[1].value = "nan; rm";
	one.message = NULL;
	is_json(check_json_new(&one, "here"),
		"{\"type\":\"Service\",\"service\":\"here!p\","
		"\"exit_status\":1,\"plugin_output\":\"\","
		"\"check_source\":\"here\",\"execution_end\":1700000000}");
}

#define LABELS(severity)                                                                           \
	"{\"labels\":{\"alertname\":\"df-root/percent_bytes-used\","                               \
	"\"job\":\"collector\",\"severity\":\"" severity                                           \
	"\",\"instance\":\"web1\",\"plugin\":\"df\","                                              \
	"\"plugin_instance\":\"root\",\"type\":\"percent_bytes\","                                 \
	"\"type_instance\":\"used\"},"
#define BEGUN "\"startsAt\":\"2023-11-14T22:13:20.000Z\","

static struct alerts alerts;

static int start_alerts(void **unused)
{
	(void)unused;
	alerts = (struct alerts){ .limit = 3, .resend = 60 * MC_SECOND };
	return 0;
}

static int stop_alerts(void **unused)
{
	(void)unused;
	alerts_done(&alerts);
	return 0;
}

static void takes(enum mc_severity severity, mc_time now, const char *wanted)
{
	struct mc_notification one = disk(severity, "full");
	struct mc_json *json = mc_json_new(false);

	one.time = now;
	mc_json_list(json, NULL);
	alerts_take(&alerts, &one, now, json);
	mc_json_list_end(json);
	is_json(json, wanted);
}

static void alerts_fire_and_end(void **unused)
{
	(void)unused;
	takes(MC_WARNING, NOW,
	      "[" LABELS("warning") "\"annotations\":{\"summary\":\"full\"}," BEGUN
				    "\"endsAt\":\"2023-11-14T22:17:20.000Z\"}]");
	/* It began when it did; the warning ends. */
	takes(MC_FAILURE, NOW + 1500 * MC_MILLISECOND,
	      "[" LABELS("warning") "\"annotations\":{\"summary\":\"full\"}," BEGUN
				    "\"endsAt\":\"2023-11-14T22:13:21.500Z\"}"
				    "," LABELS("critical") "\"annotations\":{"
							   "\"summary\":"
							   "\"full\"},"
							   "\"startsAt\":\"2023-"
							   "11-14T22:13:21."
							   "500Z\","
							   "\"endsAt\":\"2023-11-"
							   "14T22:17:21.500Z\"}]");
	assert_int_equal(alerts.map.len, 1);
	takes(MC_OKAY, NOW + 2 * MC_SECOND,
	      "[" LABELS("critical") "\"annotations\":{\"summary\":\"full\"},"
				     "\"startsAt\":\"2023-11-14T22:13:21."
				     "500Z\","
				     "\"endsAt\":\"2023-11-14T22:13:22."
				     "000Z\"}]");
	assert_int_equal(alerts.map.len, 0);
	/* Nothing is known of it: it may be of the run before. */
	takes(MC_OKAY, NOW,
	      "[" LABELS("critical") "\"annotations\":{\"summary\":\"full\"}"
				     "," BEGUN "\"endsAt\":\"2023-11-14T22:13:20.000Z\"}"
				     "," LABELS("warning") "\"annotations\":{"
							   "\"summary\":"
							   "\"full\"}," BEGUN
							   "\"endsAt\":\"2023-11-"
							   "14T22:13:20.000Z\"}]");
}

static void fire(const char *instance, bool summary)
{
	struct mc_notification one = disk(MC_FAILURE, "full");
	const struct mc_field field = { MC_SUMMARY_FIELD, "true" };
	struct mc_json *json = mc_json_new(false);

	one.id.plugin_instance = instance;
	one.fields = &field;
	one.fields_len = summary;
	mc_json_list(json, NULL);
	alerts_take(&alerts, &one, NOW, json);
	mc_json_free(json);
}

static size_t written(size_t len, uint64_t *after)
{
	struct mc_json *json = mc_json_new(false);
	size_t size, found = 0;
	const char *bytes;
	char *text;

	mc_json_list(json, NULL);
	alerts_write(&alerts, NOW, len, after, json);
	bytes = mc_json_bytes(json, &size);
	text = mc_alloc_printf("%.*s", (int)size, bytes);
	for (const char *at = text; (at = strstr(at, "\"labels\"")) != NULL; at++)
		found++;
	free(text);
	mc_json_free(json);
	return found;
}

static void what_fires_is_sent_again_in_parts(void **unused)
{
	uint64_t after = 0;

	(void)unused;
	fire("summary", true); /* Not again. */
	assert_int_equal(written(10, &after), 0);
	fire("a", false);
	fire("b", false);
	fire("b", false);
	fire("c", false);
	assert_int_equal(alerts.refused, 0);
	fire("d", false);
	assert_int_equal(alerts.refused, 1);
	assert_int_equal(written(2, &after), 2);
	assert_int_not_equal(after, 0);
	assert_int_equal(written(2, &after), 1);
	assert_int_equal(after, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mail_of_one),
		cmocka_unit_test(a_mail_of_several),
		cmocka_unit_test(long_and_foreign_texts),
		cmocka_unit_test(subjects),
		cmocka_unit_test(a_line_for_nagios),
		cmocka_unit_test(services_that_nagios_has),
		cmocka_unit_test(services_that_icinga_lacks),
		cmocka_unit_test(a_long_line_is_cut),
		cmocka_unit_test(a_result_for_icinga),
		cmocka_unit_test_setup_teardown(alerts_fire_and_end, start_alerts, stop_alerts),
		cmocka_unit_test_setup_teardown(what_fires_is_sent_again_in_parts, start_alerts,
						stop_alerts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
