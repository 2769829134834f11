/* SPDX-License-Identifier: MIT */
/* Drives the engine, without a daemon around it, from a batch's first sample to
 * writers that do nothing with it, and prints what that cost: one line of
 * key=value.  Some other program (tests/bench/engine.py) makes figures of it.
 *
 *   bench_dispatch [-s series] [-b batch] [-v values] [-w writers]
 *                  [-r values per second] [-j folder] [-n] [-x] [-g] [-l]
 *
 * The series look like a fleet: hosts of 'batch' series each, half of them gauges.  A batch is a
 * host; hosts report in an order of their own, series of a host in the order in which they were
 * made.  The source holds its series; with -n it has their names only, as what comes over a socket.
 * With -j the writers are durable and the journal is in that folder.  With -x the batches are
 * thrown away instead of committed: what remains is the source.  With -g a judge is asked about
 * each series, and leaves all as it is.  With -l each series has the metric of a foreign sender,
 * with eight labels that twenty series share. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <collector/judge.h>
#include <collector/metric.h>
#include <collector/plugin.h>
#include <collector/private/status.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include "base/alloc.h"
#include "engine/change/engine.h"
#include "engine/change/engine_internal.h"
#include "engine/journal/journal.h"
#include "engine/write/durable/journal_writer.h"
#include "model/types_db.h"

#define WRITERS_MAX 16
#define NAME_SIZE 96
#define SHARED_BY 20 /* Series. */
#define QUEUE_BYTES ((size_t)64 << 20)
#define JOURNAL_BYTES ((uint64_t)256 << 20)
#define PAUSE 65536            /* Values after which a source without a rate waits. */
#define BURST (MC_MILLISECOND) /* A source with one sleeps no less. */

struct load {
	size_t series, batch, values, hosts;
	unsigned writers;
	double rate;         /* Values per second; 0: as fast as they are taken. */
	const char *journal; /* Folder, or NULL. */
	bool named;          /* Looks every series up by its name. */
	bool thrown;         /* Commits nothing. */
	bool judged;         /* There is a judge. */
	bool labelled;       /* Series have a metric with labels. */
};

struct fleet {
	struct load load;
	struct engine *engine;
	struct mc_ctx *source;
	size_t *order; /* In which hosts report. */
	struct mc_series **series;
	char (*names)[NAME_SIZE];
	struct mc_name_parts *parts;
	int64_t round;
};

struct cost { /* Of the whole process. */
	mc_time cpu, wall;
	long switches;
	size_t resident;
};

/* --- Plugins ---------------------------------------------------------- */

struct sink {
	double sum; /* So that the walk is not optimized away. */
	uint64_t samples;
};

static int sink_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct sink *sink = ctx->self;

	MC_FOR_EACH_SAMPLE (sample, batch) {
		sink->sum += mc_rate(sample, 0);
		sink->samples++;
	}
	return 0;
}

static const struct mc_plugin sink_plugin = {
	MC_NAMED(sink),
	.help = "Looks at every sample.",
	.self_size = sizeof(struct sink),
	.writer = &(const struct mc_writer){ .write = sink_write },
};

static const struct mc_plugin durable_plugin = {
	MC_NAMED(durable),
	.help = "The same by way of the journal.",
	.self_size = sizeof(struct sink),
	.writer = &(const struct mc_writer){ .write = sink_write, .durable = true },
	.wants_journal = true,
};

static void judge_admit(struct mc_ctx *ctx, const struct mc_series *series,
			struct mc_admission *admission)
{
	(void)ctx;
	(void)series;
	(void)admission;
}

static void judge_route(struct mc_ctx *ctx, const struct mc_series *series, struct mc_route *route)
{
	(void)ctx;
	(void)series;
	(void)route;
}

static const struct mc_plugin judge_plugin = {
	MC_NAMED(judge),
	.help = "Leaves all as it is.",
	.judge = &(const struct mc_judge){ .admit = judge_admit, .route = judge_route },
};

static const struct mc_plugin source_plugin = {
	MC_NAMED(source),
	.help = "Commits what the program makes up.",
};

static const char types[] = "bench_gauge value:GAUGE:0:U\n"
			    "bench_derive value:DERIVE:0:U\n";

/* --- What it costs ---------------------------------------------------- */

static mc_time time_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * MC_SECOND + t.tv_nsec;
}

static size_t resident_bytes(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (file == NULL)
		return 0;
	if (fscanf(file, "%*u %lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * sysconf(_SC_PAGESIZE);
}

static struct cost cost_now(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (struct cost){
		.cpu = time_of(CLOCK_PROCESS_CPUTIME_ID),
		.wall = time_of(CLOCK_MONOTONIC),
		.switches = usage.ru_nvcsw + usage.ru_nivcsw,
		.resident = resident_bytes(),
	};
}

/* --- The fleet -------------------------------------------------------- */

static bool is_gauge(size_t i)
{
	return i % 2 == 0;
}

static void name_series(struct fleet *fleet, size_t i)
{
	static const char plugin[] = "interface", instance[] = "tap0123";
	const char *type = is_gauge(i) ? "bench_gauge" : "bench_derive";
	char host[32], end[24];

	snprintf(host, sizeof(host), "host%06zu.site", i / fleet->load.batch);
	snprintf(end, sizeof(end), "%04zu", i % fleet->load.batch);
	snprintf(fleet->names[i], NAME_SIZE, "%s/%s-%s/%s-%s", host, plugin, instance, type, end);
	fleet->parts[i] = (struct mc_name_parts){
		.name = fleet->names[i],
		.host_size = strlen(host),
		.plugin_size = sizeof(plugin) - 1,
		.plugin_instance_size = sizeof(instance) - 1,
		.type_size = strlen(type),
		.type_instance_size = strlen(end),
	};
}

/* Those of a service in a container: eight labels, of which two tell it from others. */
static void label_series(struct mc_batch *batch, struct mc_series *series, size_t resource)
{
	char id[24], pod[24];
	const struct mc_metric_label labels[] = {
		{ .name = "service.name", .value = "shop" },
		{ .name = "service.namespace", .value = "production" },
		{ .name = "service.version", .value = "1.2.3" },
		{ .name = "service.instance.id", .value = id },
		{ .name = "k8s.namespace.name", .value = "default" },
		{ .name = "k8s.pod.name", .value = pod },
		{ .name = "telemetry.sdk.language", .value = "go" },
		{ .name = "telemetry.sdk.version", .value = "1.38.0" },
	};

	snprintf(id, sizeof(id), "%016zx", resource);
	snprintf(pod, sizeof(pod), "shop-%zu", resource);
	mc_set_metric(batch, series,
		      &(struct mc_metric){
			      .name = "http.server.requests",
			      .kind = MC_METRIC_COUNTER,
			      .start = 1,
			      .resource = { labels, sizeof(labels) / sizeof(*labels) },
		      });
}

/* Hosts report in a fixed order that is not the one they were made in. */
static void shuffle(struct fleet *fleet)
{
	uint64_t state = 1;

	for (size_t i = 0; i < fleet->load.hosts; i++)
		fleet->order[i] = i;
	for (size_t i = fleet->load.hosts - 1; i > 0; i--) {
		size_t other, kept = fleet->order[i];

		state = state * 6364136223846793005 + 1442695040888963407;
		other = (state >> 33) % (i + 1);
		fleet->order[i] = fleet->order[other];
		fleet->order[other] = kept;
	}
}

/* All memory that is the program's own is in use before the engine makes its
 * first series, so that the growth since then is the engine's. */
static void make_fleet(struct fleet *fleet)
{
	size_t len = fleet->load.series;

	fleet->order = alloc_array(fleet->load.hosts, sizeof(*fleet->order));
	fleet->series = alloc_array(len, sizeof(*fleet->series));
	fleet->names = alloc_array(len, sizeof(*fleet->names));
	fleet->parts = alloc_array(len, sizeof(*fleet->parts));
	memset(fleet->series, 1, len * sizeof(*fleet->series));
	for (size_t i = 0; i < len; i++)
		name_series(fleet, i);
	shuffle(fleet);
}

static void make_engine(struct fleet *fleet, struct type_set *set)
{
	static const char *const names[WRITERS_MAX] = {
		"sink.0",  "sink.1",  "sink.2",  "sink.3",  "sink.4",  "sink.5",
		"sink.6",  "sink.7",  "sink.8",  "sink.9",  "sink.10", "sink.11",
		"sink.12", "sink.13", "sink.14", "sink.15",
	};
	const struct mc_plugin *sink = fleet->load.journal != NULL ? &durable_plugin : &sink_plugin;
	struct journal_settings journal = { .path = fleet->load.journal,
					    .sync = JOURNAL_SYNC_INTERVAL,
					    .bytes = JOURNAL_BYTES };
	struct engine_settings settings = {
		.version = "bench",
		.host = "localhost",
		.types = set,
		.interval = 10 * MC_SECOND,
		.read_interval_max = 3600 * MC_SECOND,
		.timeout = 1000,
		.read_threads = 1,
		.series_limit = SIZE_MAX,
		.queue_bytes = QUEUE_BYTES,
		.journal = &journal,
	};

	fleet->engine = engine_new(&settings);
	for (unsigned i = 0; i < fleet->load.writers; i++)
		engine_add(fleet->engine, sink, names[i]);
	if (fleet->load.judged)
		engine_add(fleet->engine, &judge_plugin, "judge");
	fleet->source = engine_ctx(engine_add(fleet->engine, &source_plugin, "source"));
	engine_start_idle(fleet->engine);
}

static void begin_series(struct fleet *fleet)
{
	struct mc_batch *batch = mc_begin(fleet->source);

	for (size_t i = 0; i < fleet->load.series; i++) {
		fleet->series[i] = mc_hold(mc_series_named(batch, &fleet->parts[i]));
		if (fleet->load.labelled)
			label_series(batch, fleet->series[i], i / SHARED_BY);
	}
	mc_discard(batch);
}

/* --- The load --------------------------------------------------------- */

static void commit_host(struct fleet *fleet, size_t host)
{
	size_t first = host * fleet->load.batch;
	struct mc_batch *batch = mc_begin(fleet->source);

	for (size_t i = first; i < first + fleet->load.batch; i++) {
		struct mc_series *series = fleet->load.named
						   ? mc_series_named(batch, &fleet->parts[i])
						   : fleet->series[i];

		if (is_gauge(i))
			mc_gauge(batch, series, fleet->round * 0.5);
		else
			mc_derive(batch, series, fleet->round * 1000);
	}
	if (fleet->load.thrown)
		mc_discard(batch);
	else
		mc_commit(batch);
}

/* Sleeps when it is well ahead of the rate, as a kernel that gathers packets for a millisecond. */
static void pace(const struct load *load, mc_time begun, size_t done)
{
	mc_time ahead = begun + done / load->rate * MC_SECOND - time_of(CLOCK_MONOTONIC);
	struct timespec t = { ahead / MC_SECOND, ahead % MC_SECOND };

	if (ahead > BURST)
		nanosleep(&t, NULL);
}

static void drain(struct fleet *fleet)
{
	if (engine_drain(fleet->engine, 60 * MC_SECOND))
		return;
	fprintf(stderr, "bench_dispatch: the writers do not keep up\n");
	exit(1);
}

static void run(struct fleet *fleet, size_t values)
{
	const struct load *load = &fleet->load;
	mc_time begun = time_of(CLOCK_MONOTONIC);
	size_t host = 0, pause = 0;

	for (size_t done = 0; done < values; done += load->batch) {
		if (host == 0)
			fleet->round++;
		commit_host(fleet, fleet->order[host]);
		host = host + 1 < load->hosts ? host + 1 : 0;
		pause += load->batch;
		if (load->rate > 0) {
			pace(load, begun, done + load->batch);
		} else if (pause >= PAUSE) {
			drain(fleet);
			pause = 0;
		}
	}
	drain(fleet);
}

/* --- The ledger ------------------------------------------------------- */

struct ledger {
	uint64_t delivered, dropped;
};

static void add_up(void *argument, const struct mc_writer_status *status)
{
	struct ledger *ledger = argument;

	ledger->delivered += status->delivered;
	ledger->dropped += status->dropped_full + status->dropped_refused + status->dropped_stop;
}

static void print(const struct fleet *fleet, size_t values, const struct cost at[3])
{
	struct ledger ledger = { 0 };
	struct journal_writer_status journal = { 0 };
	double samples;

	if (fleet->engine->journal_writer != NULL)
		journal_writer_count(fleet->engine->journal_writer, &journal);
	samples = (double)(journal.journal.end.samples - journal.journal.oldest.samples);
	mc_each_writer(fleet->source, add_up, &ledger);
	printf("values=%zu cpu_ns=%lld wall_ns=%lld switches=%ld "
	       "bytes_per_series=%.1f name_bytes=%zu delivered=%llu "
	       "dropped=%llu journal_bytes_per_value=%.1f\n",
	       values, (long long)(at[2].cpu - at[1].cpu), (long long)(at[2].wall - at[1].wall),
	       at[2].switches - at[1].switches,
	       ((double)at[1].resident - at[0].resident) / fleet->load.series,
	       strlen(fleet->names[0]), (unsigned long long)ledger.delivered,
	       (unsigned long long)ledger.dropped,
	       samples > 0 ? journal.journal.bytes / samples : 0);
}

static void end(struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->load.series; i++)
		mc_release(fleet->series[i]);
	if (engine_stop(fleet->engine, 5 * MC_SECOND))
		engine_free(fleet->engine);
	free(fleet->order);
	free(fleet->series);
	free(fleet->names);
	free(fleet->parts);
}

static bool parse(int argc, char **argv, struct load *load)
{
	int option;

	while ((option = getopt(argc, argv, "s:b:v:w:r:j:nxgl")) != -1) {
		switch (option) {
		case 's':
			load->series = strtoul(optarg, NULL, 10);
			break;
		case 'b':
			load->batch = strtoul(optarg, NULL, 10);
			break;
		case 'v':
			load->values = strtoul(optarg, NULL, 10);
			break;
		case 'w':
			load->writers = strtoul(optarg, NULL, 10);
			break;
		case 'r':
			load->rate = strtod(optarg, NULL);
			break;
		case 'j':
			load->journal = optarg;
			break;
		case 'n':
			load->named = true;
			break;
		case 'x':
			load->thrown = true;
			break;
		case 'l':
			load->labelled = true;
			break;
		case 'g':
			load->judged = true;
			break;
		default:
			return false;
		}
	}
	if (load->batch == 0 || load->series < load->batch)
		return false;
	load->hosts = load->series / load->batch;
	load->series = load->hosts * load->batch;
	return optind == argc && load->writers <= WRITERS_MAX;
}

int main(int argc, char **argv)
{
	struct fleet fleet = {
		.load = { .series = 10000, .batch = 100, .values = 1000000, .writers = 1 },
	};
	struct problems problems;
	struct type_set *set = type_set_new();
	struct cost at[3];

	if (!parse(argc, argv, &fleet.load)) {
		fprintf(stderr, "usage: bench_dispatch [-s series] [-b batch] "
				"[-v values] [-w writers] [-r rate] "
				"[-j folder] [-n] [-x]\n");
		return 64;
	}
	problem_init(&problems);
	types_db_parse(set, types, sizeof(types) - 1, "bench", &problems);
	make_fleet(&fleet);
	make_engine(&fleet, set);
	at[0] = cost_now();
	begin_series(&fleet);
	run(&fleet, fleet.load.series); /* The first value of each. */
	at[1] = cost_now();
	run(&fleet, fleet.load.values);
	at[2] = cost_now();
	print(&fleet, fleet.load.values, at);
	end(&fleet);
	type_set_free(set);
	problem_done(&problems);
	return 0;
}
