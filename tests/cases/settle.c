/* SPDX-License-Identifier: MIT */
/* Facts: proc(5), /proc/[pid]/task/[tid]/status, wchan and children; get_wchan() of the kernel.
 *
 * A thread that was asleep at two looks, and has not been switched out between
 * them, has slept all the time.  If that is true of all, there was a moment at
 * which all slept, and only this thread can wake them.
 *
 * A thread that lost its processor just before it sleeps has the state of a
 * sleeper, for as long as others keep it from the processor.  But it has no
 * function in which it sleeps: its 'wchan' is 0. */
#include "settle.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/thread.h"
#include "in_flight.h"

#define LIMIT (600 * MC_SECOND) /* Beside others, on a busy machine. */
#define SAME 2                  /* Looks alike, where 'wchan' cannot be read. */

struct look {
	bool busy, sees_functions; /* Of sleepers. */
	unsigned threads;
	uint64_t switches, names; /* Sums. */
};

static void look_at_process(struct look *, const char *process);

/* The threads of each process that a thread has started. */
static void look_at_children(struct look *look, const char *task)
{
	char path[128], process[64];
	unsigned long pid;
	FILE *in;

	snprintf(path, sizeof(path), "%s/children", task);
	in = fopen(path, "re");
	if (in == NULL)
		return;
	while (fscanf(in, "%lu", &pid) == 1) {
		snprintf(process, sizeof(process), "/proc/%lu", pid);
		look_at_process(look, process);
	}
	fclose(in);
}

/* Of a sleeper, that may be read. */
static bool has_function(const char *task)
{
	char path[128], first = '0';
	FILE *in;

	snprintf(path, sizeof(path), "%s/wchan", task);
	in = fopen(path, "re");
	if (in == NULL)
		return false;
	first = (char)fgetc(in);
	fclose(in);
	return first != '0';
}

static void look_at_thread(struct look *look, const char *task)
{
	char path[128], line[256], state = 'Z';
	uint64_t switches;
	FILE *in;

	snprintf(path, sizeof(path), "%s/status", task);
	in = fopen(path, "re");
	if (in == NULL) /* It has ended: the next look will differ. */
		return;
	while (fgets(line, sizeof(line), in) != NULL) {
		if (sscanf(line, "State: %c", &state) == 1)
			look->busy |= strchr("SZXITt", state) == NULL;
		else if (sscanf(line, "voluntary_ctxt_switches: %" SCNu64, &switches) == 1 ||
			 sscanf(line, "nonvoluntary_ctxt_switches: %" SCNu64, &switches) == 1)
			look->switches += switches;
	}
	fclose(in);
	if (look->sees_functions && strchr("ZX", state) == NULL && !has_function(task))
		look->busy = true;
}

static void look_at_process(struct look *look, const char *process)
{
	const bool own = strcmp(process, "/proc/self") == 0;
	char folder[80], task[sizeof(folder) + 32];
	struct dirent *entry;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%s/task", process);
	dir = opendir(folder);
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		unsigned long id = strtoul(entry->d_name, NULL, 10);

		if (id == 0)
			continue;
		snprintf(task, sizeof(task), "%s/%lu", folder, id);
		look->names += id;
		look->threads++;
		if (!own || id != (unsigned long)gettid())
			look_at_thread(look, task);
		look_at_children(look, task);
	}
	if (dir != NULL)
		closedir(dir);
}

/* The parent of this program does nothing but wait for its end. */
static struct look look_around(void)
{
	struct look look = { 0 };
	char parent[32];

	snprintf(parent, sizeof(parent), "/proc/%ld", (long)getppid());
	look.sees_functions = has_function(parent);
	look_at_process(&look, "/proc/self");
	look.busy |= in_flight();
	return look;
}

static bool all_slept(const struct look *a, const struct look *b)
{
	return !a->busy && !b->busy && a->threads == b->threads && a->names == b->names &&
	       a->switches == b->switches;
}

bool settle(void)
{
	const struct timespec pause = { .tv_nsec = 50000 };
	mc_time until = thread_time() + LIMIT;
	struct look before = look_around();
	unsigned same = 0;

	while (same < SAME && thread_time() < until) {
		struct look now;

		nanosleep(&pause, NULL);
		now = look_around();
		same = all_slept(&before, &now) ? same + 1 : 0;
		before = now;
	}
	return same == SAME;
}
