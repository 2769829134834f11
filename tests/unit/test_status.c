/* SPDX-License-Identifier: MIT */
/* A canned STATUS reply, as a table, as JSON, and as a frame of top. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "ctl/command/frame.h"
#include "ctl/command/status.h"
#include "ctl/ctl.h"

static const struct ctl plain = { .bold = "", .dim = "", .red = "", .plain = "" };

static const char *const reply[] = {
	"collector version=0.1.0 host=web1 started=1000.000 cpu_ns=1250000000 "
	"memory=3981312 series=123 series_limit=100000 series_refused=2 "
	"samples=12345678 samples_refused=0 notices=1 threads=7 "
	"threads_stuck=1",
	"reader name=cpu interval=10.000 due=3.000 duration_ns=38200 "
	"cpu_ns=1380000 reads=10 failures=0 skipped=0 values=160 refused=0 "
	"stuck=false failure=\"\"",
	"reader name=disk interval=10.000 due=-5.000 duration_ns=0 cpu_ns=0 "
	"reads=3 failures=3 skipped=4 values=0 refused=0 stuck=true "
	"failure=\"cannot read '/proc/diskstats': \\\"gone\\\"\"",
	"writer name=csv accepted=18446744073709551615 delivered=150 queued=5 "
	"dropped_full=12 dropped_refused=3 dropped_stop=0 queued_bytes=512 "
	"limit_bytes=1024 cpu_ns=11200000 failures=0 failure=\"\"",
	NULL,
};

/* The lines, NULL at their end, as an answer. */
static struct overview made_of(const char *const *lines, double time)
{
	struct answer answer = { .text = alloc_zero(8192),
				 .lines = alloc_array(8, sizeof(char *)) };
	struct overview overview;
	char *end = answer.text;

	for (; lines[answer.len] != NULL; answer.len++) {
		answer.lines[answer.len] = end;
		end = stpcpy(end, lines[answer.len]) + 1;
	}
	overview_init(&overview, &answer, time);
	return overview;
}

static struct overview canned(double time)
{
	return made_of(reply, time);
}

struct output {
	char *text;
	size_t size;
	FILE *file;
};

static struct output *begin(void)
{
	struct output *output = alloc_zero(sizeof(*output));

	output->file = open_memstream(&output->text, &output->size);
	return output;
}

static void end(struct output *output, const char *expected)
{
	fclose(output->file);
	assert_string_equal(output->text, expected);
	free(output->text);
	free(output);
}

static void for_a_person(void **state)
{
	struct overview overview = canned(1302);
	struct output *output = begin();

	(void)state;
	status_print(&plain, output->file, &overview);
	end(output, "collectord 0.1.0 on web1, up 5 min 02 s\n"
		    "  cpu      1.25 s (0.41 % of one core)\n"
		    "  memory   3.80 MiB\n"
		    "  threads  7, 1 stuck\n"
		    "  series   123 of at most 100 k, 2 refused\n"
		    "  samples  12.3 M, 0 refused\n"
		    "  notices  1\n"
		    "\n"
		    "PLUGIN  INTERVAL  LAST READ  CPU/READ      CPU  READS  VALUES  "
		    "FAILED  MISSED  REFUSED\n"
		    "cpu         10 s    38.2 us    138 us  1.38 ms     10     160  "
		    "     0       0        0\n"
		    "disk        10 s          0         0        0      3       0  "
		    "     3       4        0\n"
		    "\n"
		    "WRITER  ACCEPTED  DELIVERED  QUEUED   QUEUE      CPU  DROPPED\n"
		    "csv      18447 P        150       5  50.0 %  11.2 ms  12 queue "
		    "full, 3 refused\n"
		    "\n"
		    "disk is stuck: its last read has not returned\n"
		    "disk fails: cannot read '/proc/diskstats': \"gone\"\n");
	overview_done(&overview);
}

static void a_journal_that_fails(void **state)
{
	static const char *const lines[] = {
		"journal failing=true failing_since=1000.000 queued=412 "
		"bytes=1048576 limit_bytes=2097152 records=3 bypassed=0 "
		"damaged_bytes=0 failures=1",
		NULL,
	};
	struct overview overview = made_of(lines, 1302);
	struct output *output = begin();

	(void)state;
	setenv("TZ", "UTC", 1);
	status_print(&plain, output->file, &overview);
	fclose(output->file);
	assert_non_null(strstr(output->text, "  journal  1.00 MiB of at most 2.00 MiB, 0 samples "
					     "went without\n"
					     "           it cannot be written since 00:16:40, 412 "
					     "samples wait\n"));
	free(output->text);
	free(output);
	overview_done(&overview);
}

/* Values on disk are in no queue, and refusals by quotas are refusals. */
static void journal_and_quotas(void **state)
{
	static const char *const lines[] = {
		"collector version=0.1.0 host=web1 started=1000.000 cpu_ns=0 memory=0 series=123 "
		"series_limit=100000 series_refused=2 samples=0 samples_refused=0 notices=0 "
		"threads=7 threads_stuck=0",
		"writer name=csv accepted=9 delivered=2 queued=7 dropped_full=0 dropped_refused=0 "
		"dropped_stop=0 queued_journal=7 queued_bytes=0 limit_bytes=1024 cpu_ns=0 "
		"failures=0 failure=\"\"",
		"quota plugin=otlp name=192.0.2.1 kind=client series=50 series_limit=40 "
		"series_refused=30 metadata=0 metadata_limit=10 metadata_bytes=0 "
		"metadata_bytes_limit=100 metadata_refused=0",
		NULL,
	};
	struct overview overview = made_of(lines, 1302);
	struct output *output = begin();

	(void)state;
	status_print(&plain, output->file, &overview);
	fclose(output->file);
	assert_non_null(strstr(output->text, "  series   123 of at most 100 k, 32 refused\n"));
	assert_non_null(
		strstr(output->text, "csv            9          2       7  journal    0  0\n"));
	assert_non_null(
		strstr(output->text,
		       "otlp 192.0.2.1      50     40       30         0     10        0\n"));
	free(output->text);
	free(output);
	overview_done(&overview);
}

/* What does not fit is left out, or stands below. */
static void for_a_narrow_terminal(void **state)
{
	static const struct ctl narrow = {
		.bold = "", .dim = "", .red = "", .plain = "", .width = 72
	};
	struct overview overview = canned(1302);
	struct output *output = begin();
	char *line, *rest;

	(void)state;
	status_print(&narrow, output->file, &overview);
	fclose(output->file);
	assert_non_null(strstr(output->text, "\ncsv dropped 12 queue full, 3 "
					     "refused\n"));
	assert_null(strstr(output->text, "CPU/READ"));
	for (rest = output->text; (line = strsep(&rest, "\n")) != NULL;)
		assert_true(strlen(line) <= 72);
	free(output->text);
	free(output);
	overview_done(&overview);
}

static void for_scripts(void **state)
{
	struct overview overview = canned(1302);
	struct output *output = begin();
	struct mc_json *json = mc_json_new(false);

	(void)state;
	mc_json_list(json, NULL);
	for (size_t i = 0; i < overview.len; i++) {
		mc_json_map(json, NULL);
		json_record(json, &overview.records[i]);
		mc_json_map_end(json);
	}
	mc_json_list_end(json);
	json_write(json, output->file);
	end(output, "[{\"version\":\"0.1.0\",\"host\":\"web1\",\"started\":1000,"
		    "\"cpu_ns\":1250000000,\"memory\":3981312,\"series\":123,"
		    "\"series_limit\":100000,\"series_refused\":2,"
		    "\"samples\":12345678,\"samples_refused\":0,\"notices\":1,"
		    "\"threads\":7,\"threads_stuck\":1},"
		    "{\"name\":\"cpu\",\"interval\":10,\"due\":3,"
		    "\"duration_ns\":38200,\"cpu_ns\":1380000,\"reads\":10,"
		    "\"failures\":0,\"skipped\":0,\"values\":160,\"refused\":0,"
		    "\"stuck\":false,\"failure\":\"\"},"
		    "{\"name\":\"disk\",\"interval\":10,\"due\":-5,"
		    "\"duration_ns\":0,\"cpu_ns\":0,\"reads\":3,\"failures\":3,"
		    "\"skipped\":4,\"values\":0,\"refused\":0,\"stuck\":true,"
		    "\"failure\":\"cannot read '/proc/diskstats': \\\"gone\\\"\"},"
		    "{\"name\":\"csv\",\"accepted\":18446744073709551615,"
		    "\"delivered\":150,\"queued\":5,\"dropped_full\":12,"
		    "\"dropped_refused\":3,\"dropped_stop\":0,\"queued_bytes\":512,"
		    "\"limit_bytes\":1024,\"cpu_ns\":11200000,\"failures\":0,"
		    "\"failure\":\"\"}]\n");
	overview_done(&overview);
}

/* Counts lines, and checks that none is wider than the screen. */
static unsigned count_lines(const char *text, size_t width)
{
	unsigned lines = 1;

	for (const char *line = text; *line != '\0';) {
		size_t size = strcspn(line, "\n");

		assert_true(size <= width);
		line += size;
		if (*line == '\n') {
			lines++;
			line++;
		}
	}
	return lines;
}

static void a_frame_fits_its_screen(void **state)
{
	static const unsigned sizes[][2] = { { 80, 24 }, { 120, 40 }, { 80, 16 },
					     { 40, 10 }, { 200, 60 }, { 20, 5 } };
	struct overview before = canned(1300), now = canned(1302);
	struct busy busy;

	(void)state;
	busy_init(&busy);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct frame frame = { .ctl = &plain,
				       .before = &before,
				       .now = &now,
				       .busy = &busy,
				       .width = sizes[i][0],
				       .height = sizes[i][1],
				       .induced = 0.123,
				       .induced_time = 10,
				       .keys = true };
		struct output *output = begin();

		frame_print(&frame, output->file);
		fclose(output->file);
		assert_int_equal(count_lines(output->text, sizes[i][0]), sizes[i][1]);
		if (sizes[i][0] >= 120)
			assert_non_null(strstr(output->text, ", libvirtd CPU 1.23 %"));
		free(output->text);
		free(output);
	}
	busy_done(&busy);
	overview_done(&before);
	overview_done(&now);
}

/* Nothing is known yet of what happens in a second. */
static void the_first_frame_has_no_rates(void **state)
{
	struct overview before = { .time = 1302 }, now = canned(1302);
	struct output *output = begin();
	struct busy busy;
	const struct frame frame = {
		.ctl = &plain,
		.before = &before,
		.now = &now,
		.busy = &busy,
		.width = 120,
		.height = 40,
	};

	(void)state;
	busy_init(&busy);
	frame_print(&frame, output->file);
	fclose(output->file);
	assert_non_null(strstr(output->text, ", CPU -, memory "));
	assert_non_null(strstr(output->text, ", samples -/s, "));
	free(output->text);
	free(output);
	busy_done(&busy);
	overview_done(&now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(for_a_person),
		cmocka_unit_test(journal_and_quotas),
		cmocka_unit_test(for_a_narrow_terminal),
		cmocka_unit_test(a_journal_that_fails),
		cmocka_unit_test(for_scripts),
		cmocka_unit_test(a_frame_fits_its_screen),
		cmocka_unit_test(the_first_frame_has_no_rates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
