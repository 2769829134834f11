/* SPDX-License-Identifier: MIT */
/* Metrics in the catalogue: a series keeps its sender's name and labels over its end and over
 * restarts, in a file that has each family and each set of labels once. */
#include "catalogue_lab.h"

#include <endian.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/thread.h"
#include "engine/store/quota/quota.h"
#include "formats/catalogue/catalogue_record.h"
#include "formats/crc32c.h"

static const struct mc_metric_label state = { .name = "state", .value = "idle" };
static const struct mc_metric_label resource[] = {
	{ .name = "pid", .value = "7", .encoded = "\x18\x07", .encoded_size = 2 },
	{ .name = "service.name", .value = "shop" },
};
static const struct mc_metric_label scope = { .name = "short", .value = "yes" };
static const struct mc_metric cpu_time = {
	.name = "cpu.time",
	.scope = "hostmetrics",
	.scope_version = "1.2",
	.help = "Seconds of work.",
	.kind = MC_METRIC_HISTOGRAM,
	.part = MC_METRIC_BUCKET,
	.delta = true,
	.integer = true,
	.bound = 0.5,
	.start = WALL - 5,
	.labels = { &state, 1 },
	.scope_labels = { &scope, 1 },
	.resource = { resource, 2 },
};
static const struct mc_metric other = { .name = "other", .kind = MC_METRIC_GAUGE };

static void print_labels(char *text, size_t size, const struct mc_metric_labels *labels)
{
	for (size_t i = 0; i < labels->len; i++)
		snprintf(text + strlen(text), size - strlen(text), " %s=%s%s",
			 labels->items[i].name, labels->items[i].value,
			 labels->items[i].encoded_size > 0 ? "!" : "");
}

static const char *print_metric(const struct mc_metric *metric)
{
	static char text[512];

	snprintf(text, sizeof(text), "%s %s/%s '%s' %d.%d %d%d %g %d", metric->name, metric->scope,
		 metric->scope_version, metric->help, metric->kind, metric->part, metric->delta,
		 metric->integer, metric->bound,
		 metric->start != 0 ? (int)(metric->start - WALL) : 0);
	print_labels(text, sizeof(text), &metric->labels);
	print_labels(text, sizeof(text), &metric->scope_labels);
	print_labels(text, sizeof(text), &metric->resource);
	return text;
}

#define CPU_TIME                                                                                   \
	"cpu.time hostmetrics/1.2 'Seconds of work.' 3.5 11 0.5 -5 state=idle short=yes pid=7! "   \
	"service.name=shop"
#define OTHER "other / '' 0.0 00 0 0"

/* That of the host's series, which does not live. */
static const char *past(const char *host)
{
	struct mc_metric metric;
	const char *text;
	char name[256];

	snprintf(name, sizeof(name), "%s/p/gauge", host);
	if (!catalogue_find_metric(lab.catalogue, name, strlen(name), &metric))
		return "none";
	text = print_metric(&metric);
	mc_release_metric(&metric);
	return text;
}

static void restart(void)
{
	end();
	begin();
}

static off_t size_of_file(void)
{
	struct stat st;

	assert_int_equal(stat(lab.path, &st), 0);
	return st.st_size;
}

static size_t used(void)
{
	return metric_bytes(store_metrics(lab.store));
}

static bool show_metric(void *argument, const struct mc_ended *ended)
{
	snprintf(argument, 512, "%s", ended->metric != NULL ? print_metric(ended->metric) : "none");
	return true;
}

static void what_has_ended_keeps_its_metric(void **data)
{
	char text[512];

	(void)data;
	put_with("a", &cpu_time);
	put("b");
	pass(30);
	assert_string_equal(ended(), "a 0-0 b 0-0 ");
	assert_string_equal(past("a"), CPU_TIME);
	assert_string_equal(past("b"), "none");
	catalogue_each(lab.catalogue, "a/*", show_metric, text);
	assert_string_equal(text, CPU_TIME);
	restart();
	assert_string_equal(past("a"), CPU_TIME);
	assert_string_equal(past("b"), "none");
}

/* One that lived when the collector was killed has it as soon as the file is read. */
static void it_outlives_a_kill(void **data)
{
	(void)data;
	put_with("a", &cpu_time);
	catalogue_flush(lab.catalogue);
	restart();
	assert_string_equal(past("a"), CPU_TIME);
	/* It comes back as it was, and then with another one. */
	put_with("a", &cpu_time);
	catalogue_flush(lab.catalogue);
	restart();
	assert_string_equal(past("a"), CPU_TIME);
	put_with("a", &other);
	catalogue_flush(lab.catalogue);
	restart();
	assert_string_equal(past("a"), OTHER);
	/* A sender that has none ends it. */
	put("a");
	catalogue_flush(lab.catalogue);
	restart();
	assert_string_equal(past("a"), "none");
}

static void a_change_is_written_within_a_minute(void **data)
{
	off_t size;

	(void)data;
	put_with("a", &cpu_time);
	put("b");
	catalogue_flush(lab.catalogue);
	size = size_of_file();
	for (int i = 0; i < 5; i++) {
		clock_step(10 * MC_SECOND);
		put_with("a", i % 2 == 0 ? &other : &cpu_time);
		put_with("b", &cpu_time);
		catalogue_flush(lab.catalogue);
	}
	assert_int_equal(size_of_file(), size); /* Not each time. */
	clock_step(10 * MC_SECOND);
	put_with("a", &other);
	put_with("b", &cpu_time);
	catalogue_flush(lab.catalogue);
	restart();
	assert_string_equal(past("a"), OTHER);
	assert_string_equal(past("b"), CPU_TIME);
}

/* It ends before the minute is over. */
static void a_change_just_before_the_end_is_kept(void **data)
{
	(void)data;
	put_with("a", &cpu_time);
	catalogue_flush(lab.catalogue);
	clock_step(MC_SECOND);
	put_with("a", &other);
	clock_step(21 * MC_SECOND);
	sweep();
	put_with("b", &cpu_time); /* It begins and ends between two looks. */
	clock_step(21 * MC_SECOND);
	sweep();
	catalogue_flush(lab.catalogue);
	assert_string_equal(past("a"), OTHER);
	restart();
	assert_string_equal(past("a"), OTHER);
	assert_string_equal(past("b"), CPU_TIME);
}

static void parts_are_written_once(void **data)
{
	char name[32];
	off_t first;

	(void)data;
	put_with("h-0", &cpu_time);
	catalogue_flush(lab.catalogue);
	first = size_of_file() - CATALOGUE_RECORD_HEAD;
	for (int i = 1; i < 10; i++) {
		snprintf(name, sizeof(name), "h-%d", i);
		put_with(name, &cpu_time);
		catalogue_flush(lab.catalogue);
	}
	assert_int_equal(size_of_file() - CATALOGUE_RECORD_HEAD - first,
			 9 * (CATALOGUE_RECORD_FIXED + strlen("h-1/p/gauge") + 13 + 8 + 8));
	restart();
	assert_string_equal(past("h-0"), CPU_TIME);
	assert_string_equal(past("h-9"), CPU_TIME);
	/* And once in memory; what is not used any more is let go. */
	first = (off_t)used();
	put_with("h-9", &cpu_time);
	catalogue_flush(lab.catalogue);
	assert_int_equal(used(), first);
	catalogue_forget(lab.catalogue, "h-[0-8]/*");
	pass(30);
	catalogue_forget(lab.catalogue, "*");
	assert_int_equal(used(), 0);
}

/* The file is written anew, with other numbers, and appended to. */
static void metrics_stay_when_the_file_is_written_anew(void **data)
{
	char name[200];

	(void)data;
	lab.limit = 100;
	restart();
	put_with("kept", &cpu_time);
	for (int round = 0; round < 60; round++) {
		for (int i = 0; i < 200; i++) {
			snprintf(name, sizeof(name), "host-%d-%d-%0*d", round, i, 90, 0);
			put_with(name, i % 2 == 0 ? &other : &cpu_time);
		}
		put_with("kept", &cpu_time);
		pass(10);
	}
	assert_true(size_of_file() < 2000000); /* Of 2,700,000. */
	restart();
	assert_string_equal(past("kept"), CPU_TIME);
	snprintf(name, sizeof(name), "host-59-198-%0*d", 90, 0);
	assert_string_equal(past(name), OTHER);
	snprintf(name, sizeof(name), "host-59-199-%0*d", 90, 0);
	assert_string_equal(past(name), CPU_TIME);
}

/* A record of labels that is lost takes the metrics that refer to it, and nothing else. */
static void lost_labels_are_no_others(void **data)
{
	int fd;

	(void)data;
	put_with("a", &other);
	catalogue_flush(lab.catalogue);
	put_with("b", &cpu_time);
	put_with("c", &other);
	catalogue_flush(lab.catalogue);
	end();
	fd = open(lab.path, O_RDWR);
	/* After a's: empty labels 11, a family 11 + 6 + 9, a series 19 + 9 + 13. */
	assert_int_equal(pwrite(fd, "\377", 1, 16 + 11 + 26 + 41 + 14), 1);
	close(fd);
	begin();
	assert_non_null(strstr(lab.log, "damaged bytes"));
	assert_string_equal(past("a"), OTHER);
	assert_string_equal(past("b"), "none");
	assert_string_equal(past("c"), OTHER);
	clock_step(30 * MC_SECOND);
	assert_string_equal(ended(), "a 0-0 b 0-0 c 0-0 ");
	/* What comes later does not get its number. */
	put_with("d", &cpu_time);
	catalogue_flush(lab.catalogue);
	restart();
	assert_string_equal(past("a"), OTHER);
	assert_string_equal(past("d"), CPU_TIME);
}

/* A version before had no metrics. */
static void an_earlier_file_is_read(void **data)
{
	static const char name[] = "old/p/gauge";
	const struct catalogue_record record = {
		.kind = CATALOGUE_ENDED,
		.first = WALL,
		.last = WALL + 9 * MC_SECOND,
		.interval = MC_SECOND,
		.name = name,
		.name_size = sizeof(name) - 1,
	};
	/* As that version wrote it. */
	uint8_t bytes[CATALOGUE_RECORD_HEAD + CATALOGUE_RECORD_MAX] =
		"MCCATAL\1\0\0\0\0\x48\xbb\x1f\xf3";
	size_t size = CATALOGUE_RECORD_HEAD;
	int fd;

	(void)data;
	end();
	size += catalogue_record_write(bytes + size, &record);
	fd = open(lab.path, O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	begin();
	assert_string_equal(lab.log, "");
	assert_string_equal(ended(), "old 0-9 ");
	put_with("a", &cpu_time);
	catalogue_flush(lab.catalogue);
	restart();
	assert_string_equal(past("a"), CPU_TIME);
	assert_string_equal(ended(), "old 0-9 ");
	assert_string_equal(lab.log, "");
}

/* The version before had no help.  What it has written stays, and gets help when that comes. */
static void a_file_without_help_is_read(void **data)
{
	/* Empty labels, which are those of the scope, point and resource. */
	const struct catalogue_record records[] = {
		{ .kind = CATALOGUE_LABELS, .number = 1 },
		{ .kind = CATALOGUE_FAMILY,
		  .number = 2,
		  .body = (const uint8_t *)"\1\0\0\0\0\0other\0\0",
		  .body_size = 6 + 8 },
		{ .kind = CATALOGUE_ENDED,
		  .first = WALL,
		  .last = WALL + 9 * MC_SECOND,
		  .interval = MC_SECOND,
		  .name = "old/p/gauge",
		  .name_size = 11,
		  .has_metric = true,
		  .metric = { .family = 2, .labels = 1, .resource = 1 } },
	};
	uint8_t bytes[1024] = "MCCATAL\2\0\0\0\0";
	uint32_t sum = htole32(crc32c(0, bytes, CATALOGUE_RECORD_HEAD - 4));
	size_t size = CATALOGUE_RECORD_HEAD;
	struct mc_metric helped = other;
	int fd;

	(void)data;
	memcpy(bytes + CATALOGUE_RECORD_HEAD - 4, &sum, 4);
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++)
		size += catalogue_record_write(bytes + size, &records[i]);
	end();
	fd = open(lab.path, O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	begin();
	assert_string_equal(lab.log, "");
	assert_string_equal(past("old"), OTHER);
	helped.help = "It helps.";
	put_with("new", &helped);
	catalogue_flush(lab.catalogue);
	restart();
	assert_string_equal(past("old"), OTHER);
	assert_string_equal(past("new"), "other / 'It helps.' 0.0 00 0 0");
	assert_string_equal(lab.log, "");
}

/* It is another metric then, which is written within a minute. */
static void help_may_change(void **data)
{
	struct mc_metric helped = cpu_time;

	(void)data;
	put_with("a", &cpu_time);
	catalogue_flush(lab.catalogue);
	helped.help = "Seconds.";
	put_with("a", &helped);
	clock_step(60 * MC_SECOND);
	catalogue_flush(lab.catalogue);
	restart();
	assert_non_null(strstr(past("a"), "'Seconds.'"));
}

/* One set of labels may be too large for a record: its series have no metric after a restart. */
static void what_is_too_large_is_left_out(void **data)
{
	static char value[MC_METRIC_VALUE_SIZE - 1];
	struct mc_metric_label many[MC_METRIC_LABELS_MAX];
	char names[MC_METRIC_LABELS_MAX][8];
	struct mc_metric large = cpu_time;

	(void)data;
	memset(value, 'x', sizeof(value) - 1);
	for (unsigned i = 0; i < MC_METRIC_LABELS_MAX; i++) {
		snprintf(names[i], sizeof(names[i]), "%u", i);
		many[i] = (struct mc_metric_label){ .name = names[i], .value = value };
	}
	large.labels = (struct mc_metric_labels){ many, MC_METRIC_LABELS_MAX };
	put_with("a", &large);
	put_with("b", &cpu_time);
	catalogue_flush(lab.catalogue);
	assert_true(size_of_file() < 1000);
	large.labels.len = 15;
	put_with("c", &large);
	catalogue_flush(lab.catalogue);
	assert_true(size_of_file() > 15 * (off_t)sizeof(value));
	restart();
	assert_string_equal(past("a"), "none");
	assert_string_equal(past("b"), CPU_TIME);
	assert_string_not_equal(past("c"), "none");
}

/* What a client's ended series have is not in its share any more, so it does not lack it for what
 * lives; and it is bounded. */
static void what_has_ended_is_charged_to_the_past(void **data)
{
	const struct mc_quota_limits limits = { .new_series = 1 };
	struct mc_quota *client = store_quota_new(
		lab.store, &(struct quota_name){ "test", "client" }, MC_QUOTA_CLIENT, &limits);
	struct mc_batch *batch = store_begin(lab.store, &lab.ctx);
	struct mc_series *series;

	(void)data;
	put("a");
	put("b");
	series = store_find(lab.store, "a/p/gauge", 9);
	metric_set(series, &cpu_time, client);
	metric_set(store_find(lab.store, "b/p/gauge", 9), &cpu_time, client);
	assert_int_equal(client->metadata[METADATA_METRICS].sources, 2);
	store_release(lab.store, batch);
	clock_step(10 * MC_SECOND);
	put("b");
	pass(15);
	put("b");
	pass(5);
	assert_string_equal(past("a"), CPU_TIME);
	assert_int_equal(client->metadata[METADATA_METRICS].sources, 1);
	assert_true(client->metadata[METADATA_METRICS].bytes > 300); /* 'b' has the labels. */
	pass(30);
	pass(30); /* The last batch that knew it is gone. */
	assert_string_equal(ended(), "a 0-0 b 0-25 ");
	assert_int_equal(client->metadata[METADATA_METRICS].sources, 0);
	assert_int_equal(client->metadata[METADATA_METRICS].bytes, 0);
	/* It lives again. */
	batch = store_begin(lab.store, &lab.ctx);
	put("a");
	metric_set(store_find(lab.store, "a/p/gauge", 9), &cpu_time, client);
	store_release(lab.store, batch);
	assert_int_equal(client->metadata[METADATA_METRICS].sources, 1);
	assert_true(client->metadata[METADATA_METRICS].bytes > 300);
	mc_quota_free(client);
}

static bool file_has(const char *text)
{
	static char bytes[65536];
	int fd = open(lab.path, O_RDONLY);
	ssize_t size = read(fd, bytes, sizeof(bytes));

	close(fd);
	return size > 0 && memmem(bytes, (size_t)size, text, strlen(text)) != NULL;
}

/* The journal waits for the names of series that have begun, and for nothing else. */
static void new_names_are_waited_for(void **data)
{
	(void)data;
	catalogue_free(lab.catalogue);
	lab.catalogue = catalogue_new(lab.path, lab.limit, lab.store, &lab.ctx);
	catalogue_start(lab.catalogue);
	clock_settle(1);
	put("plain");
	catalogue_commit_metrics(lab.catalogue);
	assert_false(file_has("plain/p/gauge"));
	put_with("a", &cpu_time);
	assert_false(file_has("a/p/gauge"));
	do /* Again if it takes more than a second, under load. */
		catalogue_commit_metrics(lab.catalogue);
	while (store_awaits_metrics(lab.store));
	assert_true(file_has("a/p/gauge"));
	assert_true(file_has("hostmetrics"));
	assert_true(file_has("plain/p/gauge"));
	put_with("a", &cpu_time);
	assert_false(store_awaits_metrics(lab.store));
	assert_true(catalogue_stop(lab.catalogue, thread_time() + 60 * MC_SECOND));
}

/* Nobody flushes, as on a disk that hangs. */
static void a_disk_that_hangs_is_waited_for_once(void **data)
{
	mc_time begin = thread_time();

	(void)data;
	put_with("a", &cpu_time);
	catalogue_commit_metrics(lab.catalogue);
	assert_true(thread_time() - begin >= CATALOGUE_WAIT);
	begin = thread_time();
	for (int i = 0; i < 1000; i++)
		catalogue_commit_metrics(lab.catalogue);
	assert_true(thread_time() - begin < 500 * CATALOGUE_WAIT);
	assert_true(store_awaits_metrics(lab.store));
	catalogue_flush(lab.catalogue);
	assert_false(store_awaits_metrics(lab.store));
	assert_true(file_has("a/p/gauge"));
	/* And again the next time. */
	put_with("b", &cpu_time);
	begin = thread_time();
	catalogue_commit_metrics(lab.catalogue);
	assert_true(thread_time() - begin >= CATALOGUE_WAIT);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)
		TEST(what_has_ended_keeps_its_metric),
		TEST(it_outlives_a_kill),
		TEST(a_change_is_written_within_a_minute),
		TEST(a_change_just_before_the_end_is_kept),
		TEST(parts_are_written_once),
		TEST(metrics_stay_when_the_file_is_written_anew),
		TEST(lost_labels_are_no_others),
		TEST(an_earlier_file_is_read),
		TEST(a_file_without_help_is_read),
		TEST(help_may_change),
		TEST(what_is_too_large_is_left_out),
		TEST(what_has_ended_is_charged_to_the_past),
		TEST(new_names_are_waited_for),
		TEST(a_disk_that_hangs_is_waited_for_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
