/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_rrd_files FOLDER [FILES] - CPU time and written bytes of a new RRD file, by librrd and by
 * ours, for layouts of collectd and compact, at intervals of 10 and 300 s.  The files stay. */
#include <fcntl.h>
#include <math.h>
#include <rrd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kit/series/rrd_maker.h"

static const struct mc_type gauge = {
	.name = "gauge",
	.sources_len = 1,
	.sources = { { "value", MC_GAUGE, NAN, NAN } },
};

struct bench {
	const char *path;
	int folder, files, turn;
	struct mc_rrd_maker maker;
};

struct cost {
	double seconds, bytes;
};

static struct cost cost_now(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (struct cost){ (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
				      (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) /
					      1e6,
			      (double)usage.ru_oublock * 512 };
}

static void by_librrd(struct bench *bench, const struct mc_rrd_layout *layout, int number)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/librrd-%d-%d.rrd", bench->path, bench->turn, number);
	if (rrd_create_r2(path, layout->step, 1700000000, 1, NULL, NULL, layout->argc,
			  (const char **)layout->argv) != 0)
		fprintf(stderr, "%s\n", rrd_get_error());
}

static void by_us(struct bench *bench, const struct mc_rrd_layout *layout, int number)
{
	char name[64];

	snprintf(name, sizeof(name), "ours-%d-%d.rrd", bench->turn, number);
	if (mc_rrd_make(&bench->maker, layout, 1700000000, bench->folder, name) != 0)
		fprintf(stderr, "%s cannot be made\n", name);
}

static void measure(struct bench *bench, const struct mc_rrd_layout *layout,
		    void (*make)(struct bench *, const struct mc_rrd_layout *, int))
{
	struct cost before = cost_now(), after;

	for (int i = 0; i < bench->files; i++)
		make(bench, layout, i);
	after = cost_now();
	printf(" %.0f us, %.1f kB |", (after.seconds - before.seconds) / bench->files * 1e6,
	       (after.bytes - before.bytes) / bench->files / 1000);
}

int main(int argc, char **argv)
{
	static const enum mc_rrd_program programs[] = { MC_RRD_COLLECTD, MC_RRD_COMPACT };
	struct bench bench = { .path = argc > 1 ? argv[1] : ".",
			       .files = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1000 };
	struct mc_rrd_layout *list = NULL;

	bench.folder = open(bench.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (bench.folder < 0 || bench.files < 1)
		return EXIT_FAILURE;
	printf("| layout, interval | librrd | ours |\n|---|--:|--:|\n");
	for (size_t i = 0; i < 2; i++)
		for (int interval = 10; interval <= 300; interval *= 30, bench.turn++) {
			const struct mc_rrd_rules rules = { .program = programs[i],
							    .number = (unsigned)i,
							    .rows = 1200,
							    .xff = 0.1 };
			const struct mc_rrd_layout *layout =
				mc_rrd_layout(&list, &rules, &gauge, interval * MC_SECOND);

			printf("| %s, %d s |", i == 0 ? "collectd" : "compact", interval);
			measure(&bench, layout, by_librrd);
			measure(&bench, layout, by_us);
			printf("%s\n", bench.maker.writes_whole ? "" : " blocks are shared");
			fflush(stdout);
		}
	mc_rrd_maker_done(&bench.maker);
	mc_rrd_layouts_free(list);
	close(bench.folder);
	return 0;
}
