/* SPDX-License-Identifier: MIT */
/* Latency histograms of QEMU. */
#include "histogram.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* As QEMU 7.2 answers, shortened: a disk with histograms, one without, a node without a device. */
static const char answer[] =
	"{\"return\":[{\"device\":\"\",\"parent\":{\"stats\":{\"rd_latency_histogram\":"
	"{\"bins\":[9,9],\"boundaries\":[1]}},\"node-name\":\"libvirt-1-storage\"},"
	"\"stats\":{\"wr_bytes\":512,\"timed_stats\":[],\"account_invalid\":true,"
	"\"wr_latency_histogram\":{\"bins\":[0,0,0,1],\"boundaries\":[10000,20000,50000]},"
	"\"rd_latency_histogram\":{\"bins\":[0,2,3,0],\"boundaries\":[10000,20000,50000]},"
	"\"flush_latency_histogram\":{\"bins\":[7,7],\"boundaries\":[1]}},"
	"\"qdev\":\"/machine/peripheral/virtio-disk0/virtio-backend\"},"
	"{\"stats\":{},\"qdev\":\"scsi0-0-0-0\"},{\"stats\":{}}],\"id\":\"libvirt-419\"}";

static int parse(const char *text, struct histogram_disks *disks)
{
	return histogram_parse(text, strlen(text), disks);
}

static void an_answer_of_qemu(void **state)
{
	struct histogram_disks disks;
	char alias[32];

	(void)state;
	assert_int_equal(parse(answer, &disks), 0);
	assert_int_equal(disks.len, 2);
	assert_true(disks.items[0].counted);
	assert_int_equal(disks.items[0].reads.len, 3);
	assert_int_equal(disks.items[0].reads.boundaries[2], 50000);
	assert_int_equal(disks.items[0].reads.bins[2], 3);
	assert_int_equal(disks.items[0].writes.bins[3], 1);
	histogram_alias(&disks.items[0], alias, sizeof(alias));
	assert_string_equal(alias, "virtio-disk0");
	assert_false(disks.items[1].counted);
	histogram_alias(&disks.items[1], alias, sizeof(alias));
	assert_string_equal(alias, "scsi0-0-0-0");
	assert_ptr_equal(histogram_find(&disks, "scsi0-0-0-0"), &disks.items[1]);
	assert_null(histogram_find(&disks, "vdb"));
	histogram_free(&disks);
}

static void what_qemu_does_not_know(void **state)
{
	static const char old[] = "{\"id\":\"l\",\"error\":{\"class\":\"CommandNotFound\","
				  "\"desc\":\"The command has not been found\"}}";
	static const char other[] = "{\"error\":{\"class\":\"GenericError\"}}";
	static const char done[] = "{\"return\":{},\"id\":\"libvirt-418\"}";
	struct histogram_disks disks;

	(void)state;
	assert_int_equal(histogram_parse_done(old, strlen(old)), -ENOSYS);
	assert_int_equal(histogram_parse_done(other, strlen(other)), -EIO);
	assert_int_equal(histogram_parse_done(done, strlen(done)), 0);
	assert_int_equal(parse(old, &disks), -ENOSYS);
}

/* Histograms that make no sense are none, and not to be begun by us; names that would end a
 * string are no disks. */
static void hostile_answers(void **state)
{
	static const struct {
		const char *text;
		int rc;
		size_t len;
	} cases[] = {
		{ "", -EINVAL, 0 },
		{ "{\"return\":[{\"qdev\":\"a\"}", -EINVAL, 0 },
		{ "{\"id\":1}", -EINVAL, 0 },
		{ "{\"return\":7}", -EINVAL, 0 },
		{ "{\"return\":[{\"qdev\":\"a\\\",\\\"b\"}]}", 0, 0 },
		{ "{\"return\":[[{\"qdev\":\"a\"}]]}", 0, 0 },
		{ "{\"return\":[{\"qdev\":\"a\",\"stats\":{\"rd_latency_histogram\":"
		  "{\"bins\":[1,2,3],\"boundaries\":[2,1]}}}]}",
		  0, 1 },
		{ "{\"return\":[{\"qdev\":\"a\",\"stats\":{\"wr_latency_histogram\":"
		  "{\"bins\":[1,2],\"boundaries\":[2,4]}}}]}",
		  0, 1 },
		{ "{\"return\":[{\"qdev\":\"a\",\"stats\":{\"wr_latency_histogram\":"
		  "{\"bins\":[-1,2.5,\"3\"],\"boundaries\":[1,2]}}}]}",
		  0, 1 },
		{ "{\"return\":[{\"qdev\":\"a\",\"stats\":{\"wr_latency_histogram\":[[1],[2,3]]}}]"
		  "}",
		  0, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct histogram_disks disks = { 0 };

		assert_int_equal(parse(cases[i].text, &disks), cases[i].rc);
		assert_int_equal(disks.len, cases[i].len);
		for (size_t d = 0; d < disks.len; d++) {
			assert_true(disks.items[d].counted);
			assert_int_equal(disks.items[d].reads.len + disks.items[d].writes.len, 0);
		}
		histogram_free(&disks);
	}
}

static void no_more_than_fits(void **state)
{
	struct histogram_disks disks;
	char text[16384];
	int used = snprintf(text, sizeof(text),
			    "{\"return\":[{\"qdev\":\"big\",\"stats\":{\"rd_latency_histogram\":"
			    "{\"boundaries\":[0");

	(void)state;
	for (int i = 1; i <= HISTOGRAM_BOUNDARIES_MAX; i++)
		used += snprintf(text + used, sizeof(text) - used, ",%d", i);
	used += snprintf(text + used, sizeof(text) - used, "],\"bins\":[0,0");
	for (int i = 1; i <= HISTOGRAM_BOUNDARIES_MAX; i++)
		used += snprintf(text + used, sizeof(text) - used, ",%d", i);
	used += snprintf(text + used, sizeof(text) - used, "]}}}");
	for (int i = 0; i < HISTOGRAM_DISKS_MAX; i++)
		used += snprintf(text + used, sizeof(text) - used, ",{\"qdev\":\"d%d\"}", i);
	snprintf(text + used, sizeof(text) - used, "]}");
	assert_int_equal(parse(text, &disks), 0);
	assert_int_equal(disks.len, HISTOGRAM_DISKS_MAX);
	assert_int_equal(disks.items[0].reads.len, 0);
	histogram_free(&disks);
}

static bool about(double is, double wanted)
{
	return fabs(is - wanted) < 1e-9 * wanted;
}

static void quantiles_since_the_answer_before(void **state)
{
	struct histogram before = { .len = 2, .boundaries = { 100, 200 }, .bins = { 5, 5, 5 } };
	struct histogram now = before;

	(void)state;
	assert_true(isnan(histogram_quantile(&before, &now, 0.5))); /* No request. */
	now.bins[0] += 1;
	assert_true(about(histogram_quantile(&before, &now, 0.5), 50));
	assert_true(about(histogram_quantile(&before, &now, 0.99), 99));
	now.bins[1] += 9;
	assert_true(about(histogram_quantile(&before, &now, 0.1), 100));
	assert_true(about(histogram_quantile(&before, &now, 0.55), 150));
	now.bins[2] += 90;
	assert_true(about(histogram_quantile(&before, &now, 0.99), 200)); /* Or more. */
}

/* A guest that was reset has empty bins; somebody else may set other boundaries. */
static void histograms_begun_anew(void **state)
{
	struct histogram before = { .len = 2, .boundaries = { 100, 200 }, .bins = { 5, 5, 5 } };
	struct histogram back = before, other = before, none = { 0 };

	(void)state;
	back.bins[0] = 4;
	back.bins[1] = 9;
	assert_true(isnan(histogram_quantile(&before, &back, 0.5)));
	other.boundaries[1] = 201;
	other.bins[0] = 9;
	assert_true(isnan(histogram_quantile(&before, &other, 0.5)));
	assert_true(isnan(histogram_quantile(&none, &none, 0.5)));
	assert_true(isnan(histogram_quantile(&none, &other, 0.5)));
}

static void what_we_have_qemu_count(void **state)
{
	struct histogram_disk disk = { .device = "scsi0-0-0-0" };
	char command[1024];

	(void)state;
	assert_true(histogram_command(&disk, command, sizeof(command)));
	assert_non_null(
		strstr(command, "\"id\":\"scsi0-0-0-0\",\"boundaries\":[10000,20000,50000,"));
	assert_non_null(strstr(command, ",10000000000]}}"));
	assert_false(histogram_command(&disk, command, 60));
	histogram_begin(&disk);
	assert_true(disk.counted);
	assert_int_equal(disk.reads.len, 19);
	assert_int_equal(disk.writes.boundaries[18], 10000000000);
	for (unsigned i = 1; i < disk.reads.len; i++)
		assert_true(disk.reads.boundaries[i] > disk.reads.boundaries[i - 1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_of_qemu),
		cmocka_unit_test(what_qemu_does_not_know),
		cmocka_unit_test(hostile_answers),
		cmocka_unit_test(no_more_than_fits),
		cmocka_unit_test(quantiles_since_the_answer_before),
		cmocka_unit_test(histograms_begun_anew),
		cmocka_unit_test(what_we_have_qemu_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
