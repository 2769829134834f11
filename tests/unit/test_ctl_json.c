/* SPDX-License-Identifier: MIT */
/* What collectorctl makes of the collector's lines for scripts. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/print/json.h"

/* The JSON of a line of STATUS or EXPLAIN, in one line. */
static const char *json_of(const char *line)
{
	static char out[512];
	char copy[256];
	struct mc_json *json = mc_json_new(false);
	struct record record;
	FILE *file = fmemopen(out, sizeof(out), "w");

	snprintf(copy, sizeof(copy), "%s", line);
	record = record_read(copy);
	mc_json_map(json, NULL);
	json_record(json, &record);
	mc_json_map_end(json);
	json_write(json, file);
	fclose(file);
	return out;
}

static void numbers_are_numbers(void **state)
{
	(void)state;
	assert_string_equal(json_of("writer queued=0 failures=-12 interval=0.5 "
				    "accepted=18446744073709551615 max=nan"),
			    "{\"queued\":0,\"failures\":-12,\"interval\":0.5,"
			    "\"accepted\":18446744073709551615,"
			    "\"max\":null}\n");
}

/* JSON has no number with zeros in front. */
static void what_only_looks_like_one_is_valid(void **state)
{
	(void)state;
	assert_string_equal(json_of("source a=007 b=-07 c=- d=1-2 e=1e3"),
			    "{\"a\":7,\"b\":-7,\"c\":\"-\",\"d\":\"1-2\","
			    "\"e\":1000}\n");
}

static void labels_are_text(void **state)
{
	(void)state;
	assert_string_equal(json_of("label name=owner value=0042"),
			    "{\"name\":\"owner\",\"value\":\"0042\"}\n");
	assert_string_equal(json_of("label name=on value=true"),
			    "{\"name\":\"on\",\"value\":\"true\"}\n");
}

static void keys_are_unicode(void **state)
{
	(void)state;
	assert_string_equal(json_of("source \xff\xfe=1"), "{\"??\":1}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_numbers),
		cmocka_unit_test(what_only_looks_like_one_is_valid),
		cmocka_unit_test(labels_are_text),
		cmocka_unit_test(keys_are_unicode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
