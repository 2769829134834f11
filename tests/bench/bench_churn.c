/* SPDX-License-Identifier: MIT */
/* Hosts come and go as guests of a cluster do, under a clock that is stepped, so that hours of it
 * pass in a minute: does what the engine keeps of them go, too?
 *
 *   bench_churn [-s series] [-c changes] [-t hours] [-j folder] [-p]
 *
 * Every ten seconds all hosts report; of them as many as have 'changes' series are gone and have
 * others in their place, with names of other lengths.  Two threads commit, one writer keeps a text
 * of its own in every series; with -j the batches come by way of the journal in that folder, which
 * must be small to be full before the first hour is over.  The first hour does not count.  Prints
 * one line of key=value; with -p another one each hour. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/control.h>
#include <collector/plugin.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/change/engine.h"
#include "engine/journal/journal.h"
#include "model/types_db.h"

#define INTERVAL (10 * MC_SECOND)
#define ROUNDS 360   /* An hour of intervals. */
#define HOST_LEN 50  /* Series of a host. */
#define SOURCES 2    /* Threads that commit. */
#define MOST_MORE 64 /* Bytes by which names differ in length. */
#define JOURNAL_BYTES ((uint64_t)32 << 20)

struct host {
	unsigned generation; /* How many were in its place before. */
	unsigned more;       /* Bytes that its names are longer. */
};

struct churn {
	size_t hosts_len, changes;
	unsigned hours;
	const char *journal; /* Folder, or NULL. */
	bool each_hour;
	struct host *hosts;
	uint64_t random, round, came;
	struct engine *engine;
	struct mc_ctx *source;
};

struct part { /* The hosts that a thread commits. */
	const struct churn *churn;
	size_t first, end;
	pthread_t thread;
};

struct memory {
	size_t resident, used, free; /* 'used' and 'free' by malloc. */
};

/* --- Plugins ---------------------------------------------------------- */

static int sink_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	MC_FOR_EACH_SAMPLE (sample, batch) {
		void **slot = mc_slot(ctx, sample->series);

		if (*slot == NULL)
			*slot = alloc_copy(mc_name(sample->series));
	}
	return 0;
}

static const struct mc_plugin sink_plugin = {
	MC_NAMED(sink),
	.help = "Keeps the name of each series.",
	.writer = &(const struct mc_writer){ .write = sink_write },
};

static const struct mc_plugin durable_plugin = {
	MC_NAMED(durable),
	.help = "The same by way of the journal.",
	.writer = &(const struct mc_writer){ .write = sink_write, .durable = true },
	.wants_journal = true,
};

static const struct mc_plugin source_plugin = {
	MC_NAMED(source),
	.help = "Commits what the program makes up.",
};

static const char types[] = "bench_gauge value:GAUGE:0:U\n"
			    "bench_derive value:DERIVE:0:U\n";

/* --- The hosts -------------------------------------------------------- */

static size_t pick(struct churn *churn, size_t most)
{
	churn->random = churn->random * 6364136223846793005 + 1442695040888963407;
	return (churn->random >> 33) % most;
}

static void commit_host(const struct churn *churn, size_t number)
{
	static const char letters[MOST_MORE + 1] =
		"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"
		"abcdefghijkl";
	const struct host *host = &churn->hosts[number];
	struct mc_batch *batch = mc_begin(churn->source);
	char name[64], instance[MOST_MORE + 1], number_text[16];

	snprintf(name, sizeof(name), "host%zu-%u", number, host->generation);
	snprintf(instance, sizeof(instance), "%.*s", (int)host->more, letters);
	for (unsigned i = 0; i < HOST_LEN; i++) {
		struct mc_series *series;

		snprintf(number_text, sizeof(number_text), "%u", i);
		series = mc_series(batch, (struct mc_id){ name, "interface", instance,
							  i % 2 ? "bench_gauge" : "bench_derive",
							  number_text });
		if (i % 2)
			mc_gauge(batch, series, churn->round * 0.5);
		else
			mc_derive(batch, series, churn->round * 1000);
	}
	mc_commit(batch);
}

static void *commit_part(void *argument)
{
	struct part *part = argument;

	for (size_t i = part->first; i < part->end; i++)
		commit_host(part->churn, i);
	return NULL;
}

static void replace_some(struct churn *churn)
{
	for (size_t i = 0; i < churn->changes; i += HOST_LEN) {
		struct host *host = &churn->hosts[pick(churn, churn->hosts_len)];

		host->generation++;
		host->more = pick(churn, MOST_MORE);
		churn->came += HOST_LEN;
	}
}

static void commit_all(struct churn *churn)
{
	struct part parts[SOURCES];

	for (unsigned i = 0; i < SOURCES; i++) {
		parts[i] = (struct part){
			.churn = churn,
			.first = churn->hosts_len * i / SOURCES,
			.end = churn->hosts_len * (i + 1) / SOURCES,
		};
		if (thread_start(&parts[i].thread, "source", commit_part, &parts[i]) < 0)
			exit(1);
	}
	for (unsigned i = 0; i < SOURCES; i++)
		pthread_join(parts[i].thread, NULL);
}

static void run_hour(struct churn *churn)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		churn->round++;
		replace_some(churn);
		commit_all(churn);
		engine_read_once(churn->engine); /* Ends what is silent. */
		if (!engine_drain(churn->engine, 60 * MC_SECOND)) {
			fprintf(stderr, "bench_churn: the writer hangs\n");
			exit(1);
		}
		clock_step(INTERVAL);
	}
}

/* --- What it keeps ---------------------------------------------------- */

static struct memory memory_now(void)
{
	struct mallinfo2 info = mallinfo2();
	struct memory memory = { .used = info.uordblks + info.hblkhd, .free = info.fordblks };
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (file != NULL && fscanf(file, "%*u %lu", &pages) == 1)
		memory.resident = pages * sysconf(_SC_PAGESIZE);
	if (file != NULL)
		fclose(file);
	return memory;
}

static void print_hour(const struct churn *churn, unsigned hour)
{
	struct memory now = memory_now();

	printf("hour=%u series=%zu came=%llu resident=%zu used=%zu free=%zu\n", hour,
	       engine_series(churn->engine), (unsigned long long)churn->came, now.resident,
	       now.used, now.free);
	fflush(stdout);
}

static void run(struct churn *churn)
{
	struct memory before, after;
	uint64_t came;

	for (size_t i = 0; i < churn->hosts_len; i++)
		churn->hosts[i].more = pick(churn, MOST_MORE);
	run_hour(churn);
	before = memory_now();
	came = churn->came;
	for (unsigned i = 1; i <= churn->hours; i++) {
		if (churn->each_hour)
			print_hour(churn, i);
		run_hour(churn);
	}
	after = memory_now();
	printf("series=%zu came=%llu resident=%zu resident_per_hour=%.0f "
	       "used_per_hour=%.0f\n",
	       engine_series(churn->engine), (unsigned long long)(churn->came - came),
	       after.resident, ((double)after.resident - before.resident) / churn->hours,
	       ((double)after.used - before.used) / churn->hours);
}

static void make_engine(struct churn *churn, struct type_set *set)
{
	struct journal_settings journal = { .path = churn->journal,
					    .sync = JOURNAL_SYNC_OFF,
					    .bytes = JOURNAL_BYTES };
	struct engine_settings settings = {
		.version = "bench",
		.host = "localhost",
		.types = set,
		.interval = INTERVAL,
		.read_interval_max = 3600 * MC_SECOND,
		.timeout = 2,
		.read_threads = 1,
		.series_limit = SIZE_MAX,
		.queue_bytes = (size_t)64 << 20,
		.journal = &journal,
	};

	churn->engine = engine_new(&settings);
	engine_add(churn->engine, churn->journal != NULL ? &durable_plugin : &sink_plugin, "sink");
	churn->source = engine_ctx(engine_add(churn->engine, &source_plugin, "source"));
	engine_start_idle(churn->engine);
}

static bool parse(int argc, char **argv, struct churn *churn)
{
	int option;

	while ((option = getopt(argc, argv, "s:c:t:j:p")) != -1) {
		switch (option) {
		case 's':
			churn->hosts_len = strtoul(optarg, NULL, 10) / HOST_LEN;
			break;
		case 'c':
			churn->changes = strtoul(optarg, NULL, 10);
			break;
		case 't':
			churn->hours = strtoul(optarg, NULL, 10);
			break;
		case 'j':
			churn->journal = optarg;
			break;
		case 'p':
			churn->each_hour = true;
			break;
		default:
			return false;
		}
	}
	return optind == argc && churn->hosts_len > 0 && churn->hours > 0;
}

int main(int argc, char **argv)
{
	struct churn churn = {
		.hosts_len = 20000 / HOST_LEN, .changes = 2000, .hours = 4, .random = 1
	};
	struct problems problems;
	struct type_set *set = type_set_new();

	if (!parse(argc, argv, &churn)) {
		fprintf(stderr, "usage: bench_churn [-s series] [-c changes] "
				"[-t hours] [-j folder] [-p]\n");
		return 64;
	}
	log_to_stderr(-1);
	problem_init(&problems);
	types_db_parse(set, types, sizeof(types) - 1, "bench", &problems);
	churn.hosts = alloc_array(churn.hosts_len, sizeof(*churn.hosts));
	clock_stop(1000 * MC_SECOND, INT64_C(1700000000) * MC_SECOND);
	make_engine(&churn, set);
	run(&churn);
	if (engine_stop(churn.engine, 5 * MC_SECOND))
		engine_free(churn.engine);
	free(churn.hosts);
	type_set_free(set);
	problem_done(&problems);
	return 0;
}
