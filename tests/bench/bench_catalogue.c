/* SPDX-License-Identifier: MIT */
/* The catalogue of very many series, beside the store that notes what begins and ends.
 *
 *   bench_catalogue [-s series] [-f file] [-l]
 *
 * All series begin; the collector starts again with the file of that, once without values and once
 * with all of them; then a day passes, in hours of a clock that is stepped, in which a tenth of the
 * series are replaced by new ones.  Prints one line of key=value: CPU time, the size of the file,
 * and the longest time for which a look-up had to wait while the file was read.
 *
 * With -l each series has a metric: its host's eight labels of the resource, and three of its own
 * point, which it shares with that of the other hosts. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <collector/control.h>
#include <collector/private/catalogue.h>
#include <collector/serve.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/catalogue/catalogue.h"
#include "engine/context.h"
#include "engine/store/metric.h"
#include "engine/store/registry.h"
#include "engine/store/store.h"
#include "model/series.h"

#define HOUR (3600 * MC_SECOND)
#define HOURS 24
#define HOST_LEN 100 /* Series of a host. */
#define BATCH_LEN 1000

static const struct mc_type octets = { .name = "if_octets",
				       .sources_len = 1,
				       .sources = { { "value", MC_GAUGE, 0, 0 } } };

struct bench {
	size_t len; /* Series that live, of hosts from 'first' on. */
	size_t first;
	bool labelled;
	const char *path;
	struct store *store;
	struct catalogue *catalogue;
	struct registry registry;
	struct context context; /* Of a plugin that searches. */
};

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static size_t file_size(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 ? (size_t)status.st_size : 0;
}

static void open_store(struct bench *bench, size_t notes_bytes)
{
	const struct store_settings settings = { .limit = SIZE_MAX,
						 .timeout = 2,
						 .notes_bytes = notes_bytes };

	bench->store = store_new(&settings);
}

static void ignore(void *argument, struct mc_series *series, mc_time silent)
{
	(void)argument;
	(void)series;
	(void)silent;
}

static void sweep(struct bench *bench)
{
	struct mc_batch *batch = store_begin(bench->store, &bench->context.ctx);

	store_sweep(bench->store, batch, ignore, NULL);
	store_release(bench->store, batch);
}

static void set_metric(struct mc_series *series, const char *host, const char *instance)
{
	const struct mc_metric_label point[] = {
		{ .name = "device", .value = instance },
		{ .name = "direction", .value = "transmit" },
		{ .name = "state", .value = "up" },
	};
	const struct mc_metric_label resource[] = {
		{ .name = "host.name", .value = host },
		{ .name = "host.id", .value = host },
		{ .name = "service.name", .value = "hostmetrics" },
		{ .name = "service.version", .value = "1.2.3" },
		{ .name = "os.type", .value = "linux" },
		{ .name = "os.version", .value = "6.1.0-31" },
		{ .name = "cloud.region", .value = "eu-central-1" },
		{ .name = "deployment.environment", .value = "production" },
	};

	metric_set(series,
		   &(struct mc_metric){ .name = "system.network.io",
					.scope = "receiver/hostmetrics",
					.kind = MC_METRIC_GAUGE,
					.labels = { point, 3 },
					.resource = { resource, 8 } },
		   NULL);
}

static void put(struct bench *bench, struct mc_batch *batch, size_t number)
{
	char host[48], instance[24], name[SERIES_NAME_SIZE];
	struct mc_id id = { host, "interface", "eth0", "if_octets", instance };
	struct mc_series *series = NULL;
	struct mc_name_parts parts;

	snprintf(host, sizeof(host), "host%05zu.example.org", number / HOST_LEN);
	snprintf(instance, sizeof(instance), "%zu", number % HOST_LEN);
	series_join(&id, name, &parts);
	store_make(bench->store, &parts, &octets, NULL, &series);
	if (bench->labelled)
		set_metric(series, host, instance);
	mc_gauge(batch, series, 1);
}

/* A value for each. */
static void put_all(struct bench *bench)
{
	for (size_t i = 0; i < bench->len; i += BATCH_LEN) {
		struct mc_batch *batch = store_begin(bench->store, &bench->context.ctx);

		for (size_t k = 0; k < BATCH_LEN; k++)
			put(bench, batch, bench->first + i + k);
		store_apply(bench->store, batch);
		store_release(bench->store, batch);
	}
}

/* --- Start ------------------------------------------------------------------ */

struct looker { /* Looks series up, as a page does, while the file is read. */
	struct catalogue *catalogue;
	atomic_bool over;
	mc_time longest;
};

static void *look(void *argument)
{
	struct looker *looker = argument;

	while (!atomic_load(&looker->over)) {
		mc_time begin = thread_time(), took;
		struct mc_ended ended;
		struct mc_metric metric;

		if (catalogue_find(looker->catalogue, "no/such/series", 14, &ended, &metric))
			abort();
		took = thread_time() - begin;
		if (took > looker->longest)
			looker->longest = took;
	}
	return NULL;
}

/* Returns seconds; '*longest' is what a look-up waited. */
static double load(struct bench *bench, mc_time *longest)
{
	struct looker looker = { 0 };
	pthread_t thread;
	mc_time begin;

	bench->catalogue = catalogue_new(bench->path, SIZE_MAX, bench->store, &bench->context.ctx);
	looker.catalogue = bench->catalogue;
	if (thread_start(&thread, "looker", look, &looker) < 0)
		exit(1);
	begin = thread_time();
	catalogue_load(bench->catalogue);
	begin = thread_time() - begin;
	atomic_store(&looker.over, true);
	pthread_join(thread, NULL);
	*longest = looker.longest;
	return (double)begin * 1e-9;
}

static void close_all(struct bench *bench)
{
	catalogue_free(bench->catalogue);
	store_free(bench->store);
}

/* --- All ------------------------------------------------------------------- */

/* CPU time of a value that is the first of its series, without the catalogue. */
static double begin_alone(struct bench *bench)
{
	double begin = cpu_seconds();

	open_store(bench, 0);
	put_all(bench);
	begin = cpu_seconds() - begin;
	store_free(bench->store);
	return begin;
}

static double begin_noted(struct bench *bench)
{
	double begin = cpu_seconds();

	open_store(bench, SIZE_MAX);
	put_all(bench);
	bench->catalogue = catalogue_new(bench->path, SIZE_MAX, bench->store, &bench->context.ctx);
	catalogue_load(bench->catalogue);
	catalogue_flush(bench->catalogue);
	return cpu_seconds() - begin;
}

static bool skip(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	(void)argument;
	(void)series;
	(void)latest;
	return true;
}

/* Returns CPU seconds of a search for the series of a host by its label, the best of five. */
static double search(struct bench *bench)
{
	char label[64];
	const struct mc_series_page page = { .limit = 100, .label = label };
	double best = 1e9;

	bench->registry.store = bench->store;
	snprintf(label, sizeof(label), "host.name=host%05zu.*", bench->len / HOST_LEN / 2);
	for (int i = 0; i < 5; i++) {
		double begin = cpu_seconds();

		if (mc_page_series(&bench->context.ctx, &page, skip, NULL) != HOST_LEN)
			exit(1);
		begin = cpu_seconds() - begin;
		best = begin < best ? begin : best;
	}
	return best;
}

/* Returns CPU seconds of the catalogue. */
static double pass_day(struct bench *bench, size_t *largest)
{
	double sum = 0, begin;

	for (unsigned i = 0; i < HOURS; i++) {
		clock_step(HOUR);
		bench->first += bench->len / 10 / HOURS / BATCH_LEN * BATCH_LEN;
		put_all(bench);
		sweep(bench);
		begin = cpu_seconds();
		catalogue_flush(bench->catalogue);
		sum += cpu_seconds() - begin;
		if (file_size(bench->path) > *largest)
			*largest = file_size(bench->path);
	}
	return sum;
}

int main(int argc, char **argv)
{
	struct bench bench = { .len = 1000000, .path = "bench_catalogue.file" };
	double alone, noted, start, back, day;
	size_t size, largest = 0;
	mc_time longest;
	int option;

	while ((option = getopt(argc, argv, "s:f:l")) != -1) {
		if (option == 'l')
			bench.labelled = true;
		else if (option == 's')
			bench.len = strtoul(optarg, NULL, 10) / BATCH_LEN * BATCH_LEN;
		else if (option == 'f')
			bench.path = optarg;
		else
			return 64;
	}
	log_to_stderr(STDERR_FILENO);
	unlink(bench.path);
	bench.context.ctx = (struct mc_ctx){ .name = "bench", .interval = HOUR };
	bench.context.registry = &bench.registry;
	clock_stop(1000 * MC_SECOND, INT64_C(1700000000) * MC_SECOND);
	alone = begin_alone(&bench);
	noted = begin_noted(&bench);
	size = file_size(bench.path);
	close_all(&bench);
	open_store(&bench, SIZE_MAX);
	start = load(&bench, &longest);
	put_all(&bench);
	back = cpu_seconds();
	catalogue_flush(bench.catalogue);
	back = cpu_seconds() - back;
	if (bench.labelled)
		printf("search_seconds=%.4f ", search(&bench));
	day = pass_day(&bench, &largest);
	printf("series=%zu alone_ns=%.0f noted_ns=%.0f file_bytes=%zu start_seconds=%.3f "
	       "longest_wait_ns=%lld back_ns=%.0f day_cpu_seconds=%.2f largest_bytes=%zu\n",
	       bench.len, alone * 1e9 / (double)bench.len, noted * 1e9 / (double)bench.len, size,
	       start, (long long)longest, back * 1e9 / (double)bench.len, day, largest);
	close_all(&bench);
	unlink(bench.path);
	return 0;
}
