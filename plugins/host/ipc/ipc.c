/* SPDX-License-Identifier: MIT */
/* ipc: semaphores, shared memory and message queues of System V, from /proc/sysvipc/ (proc(5)): a
 * line of names of columns, and one for each object.  Names and types are collectd's. */
#include <collector/plugin.h>

#include <string.h>
#include <unistd.h>

#include <collector/scan.h>

#define COLUMNS_MAX 3
#define FIELDS_MAX 32

struct kind {
	const char *path, *name;
	const char *objects_type, *objects; /* Of their number. */
	const char *columns[COLUMNS_MAX];   /* Whose sums are reported, ... */
	const char *type;
	const char *instances[COLUMNS_MAX]; /* ... and as what. */
};

static const struct kind semaphores = {
	"/proc/sysvipc/sem", "sem", "count", "arrays", { "nsems" }, "count", { "total" },
};
static const struct kind memory = {
	"/proc/sysvipc/shm",           "shm", "segments", NULL, { "size", "rss", "swap" }, "bytes",
	{ "total", "rss", "swapped" },
};
static const struct kind queues = {
	"/proc/sysvipc/msg",    "msg", "count", "queues", { "qnum", "cbytes" }, "count",
	{ "headers", "space" },
};

struct sums {
	double objects;
	double columns[COLUMNS_MAX];
};

/* Where the columns are in each line; false if one is not there. */
static bool find_columns(const struct kind *kind, const char *head, unsigned places[COLUMNS_MAX])
{
	struct mc_word word;
	unsigned found = 0, wanted = 0;

	for (unsigned i = 0; i < COLUMNS_MAX && kind->columns[i] != NULL; i++)
		wanted |= 1U << i;
	for (unsigned place = 0; place < FIELDS_MAX && mc_scan_word(&head, &word); place++)
		for (unsigned i = 0; i < COLUMNS_MAX && kind->columns[i] != NULL; i++)
			if (strncmp(word.text, kind->columns[i], word.size) == 0 &&
			    kind->columns[i][word.size] == '\0') {
				places[i] = place;
				found |= 1U << i;
			}
	return found == wanted;
}

/* The kernel has shared memory in whole pages, and says the size that was asked for. */
static double pages(uint64_t size)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (double)(size / page + (size % page != 0)) * (double)page;
}

static bool take_line(const struct kind *kind, const char *line, const unsigned places[COLUMNS_MAX],
		      struct sums *sums)
{
	uint64_t fields[FIELDS_MAX];
	unsigned len = 0;
	struct mc_word word;

	while (len < FIELDS_MAX && mc_scan_word(&line, &word)) {
		const char *at = word.text + (*word.text == '-'); /* A key may be negative. */

		if (!mc_scan_u64(&at, &fields[len]) || fields[len++] == UINT64_MAX ||
		    !mc_scan_at_end(at))
			return false;
	}
	if (*line != '\n')
		return false; /* Cut. */
	for (unsigned i = 0; i < COLUMNS_MAX && kind->columns[i] != NULL; i++)
		if (places[i] >= len)
			return false;
	for (unsigned i = 0; i < COLUMNS_MAX && kind->columns[i] != NULL; i++)
		sums->columns[i] += kind == &memory && i == 0 ? pages(fields[places[i]])
							      : (double)fields[places[i]];
	sums->objects++;
	return true;
}

/* 0, or what mc_fail() returned. */
static int add_up(struct mc_ctx *ctx, const struct kind *kind, struct sums *sums)
{
	unsigned places[COLUMNS_MAX] = { 0 };
	const char *at;
	char *text;
	ssize_t size = mc_read_file(ctx, kind->path, &text);

	*sums = (struct sums){ 0 };
	if (size < 0)
		return (int)size;
	at = text;
	if (!find_columns(kind, at, places))
		return mc_fail(ctx, 0, "cannot understand '%s'", kind->path);
	while (mc_scan_line(&at))
		if (!take_line(kind, at, places, sums))
			return mc_fail(ctx, 0, "cannot understand '%s'", kind->path);
	return 0;
}

static int report(struct mc_ctx *ctx, struct mc_batch *out, const struct kind *kind)
{
	struct sums sums;
	int rc = add_up(ctx, kind, &sums);

	if (rc != 0)
		return rc;
	mc_put_gauge(out, sums.objects, .plugin_instance = kind->name, .type = kind->objects_type,
		     .type_instance = kind->objects);
	for (unsigned i = 0; i < COLUMNS_MAX && kind->columns[i] != NULL; i++)
		mc_put_gauge(out, sums.columns[i], .plugin_instance = kind->name,
			     .type = kind->type, .type_instance = kind->instances[i]);
	return 0;
}

static int ipc_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	int memory_failed = report(ctx, out, &memory),
	    semaphores_failed = report(ctx, out, &semaphores),
	    queues_failed = report(ctx, out, &queues);

	if (memory_failed != 0)
		return memory_failed;
	return semaphores_failed != 0 ? semaphores_failed : queues_failed;
}

MC_PLUGIN(ipc) = {
	MC_NAMED(ipc),
	.help = "Counts semaphores, shared memory and message queues of System V.",
	.types = (const char *const[]){ "segments", "bytes", "count", NULL },
	.read = ipc_read,
	.lenient = true,
};
