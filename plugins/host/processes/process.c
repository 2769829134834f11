/* SPDX-License-Identifier: MIT */
/* The identity of a process, and its figures.
 *
 * Reads stat of those that have run since the last read, and of each once in FULL_READS reads; the
 * rest only of those that a group selects.  Selects again when a process is new or has called
 * execve().  A command line may also change without that, so each is read again once in
 * COMMAND_READS reads.
 *
 * A process that did not run has the state and the figures that it had, but for its resident
 * memory: the kernel may take pages away.  Its control group shows whether anything in it ran;
 * schedstat shows it of a process with a single thread: nanoseconds, and how often it got a CPU. */
#include "process.h"

#include <collector/kit/alloc.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define COMMAND_READS 16
#define FULL_READS 32
#define COMMAND_SIZE 4096 /* The text that expressions are matched with. */

enum { STAT, STATUS, IO, STATM, FILES_LEN }; /* That stay open. */

struct process_member {
	int fds[FILES_LEN];
	bool io_denied;
	unsigned known; /* Of counters[]. */
	uint64_t counters[GROUP_COUNTERS_LEN];
	struct group_sample last; /* With counters of 0. */
	unsigned wants;
	unsigned groups_len;
	unsigned groups[]; /* Indices. */
};

/* FNV-1a. */
static uint64_t mix(uint64_t hash, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t identity_of(const struct mc_process_stat *stat)
{
	return mix(stat->stack ^ UINT64_C(0xcbf29ce484222325), stat->name.text, stat->name.size);
}

static void leave(struct process *process, struct mc_kept_files *source)
{
	if (process->member == NULL)
		return;
	for (unsigned i = 0; i < FILES_LEN; i++)
		mc_kept_close(source, &process->member->fds[i]);
	free(process->member);
	process->member = NULL;
}

void process_done(struct process *process, struct mc_kept_files *source)
{
	leave(process, source);
	mc_kept_close(source, &process->clock);
	process->clock = -1;
}

/* The command line with blanks between its words; the name in brackets if it is empty. */
static struct mc_word read_command(struct process *process, struct mc_kept_files *source,
				   const struct mc_process_stat *stat, char out[COMMAND_SIZE])
{
	ssize_t size = 0;

	if (!stat->kernel && stat->state != 'Z')
		size = source_read(source, process->pid, "cmdline");
	if (size > COMMAND_SIZE)
		size = COMMAND_SIZE;
	while (size > 0 && source->text[size - 1] == '\0')
		size--;
	for (ssize_t i = 0; i < size; i++)
		out[i] = source->text[i] == '\0' ? ' ' : source->text[i];
	if (size <= 0)
		size = snprintf(out, COMMAND_SIZE, "[%.*s]", (int)stat->name.size, stat->name.text);
	return (struct mc_word){ out, (size_t)size };
}

/* Puts it into the groups that select it, and into no other. */
static void join(struct process *process, struct mc_kept_files *source,
		 const struct process_groups *groups, struct mc_word name, struct mc_word command)
{
	struct process_member *old = process->member, *member;

	member = mc_alloc_zero(sizeof(*member) + groups->len * sizeof(*member->groups));
	for (unsigned i = 0; i < FILES_LEN; i++)
		member->fds[i] = -1;
	for (unsigned i = 0; i < groups->len; i++) {
		if (!group_selects(&groups->items[i], name, command))
			continue;
		member->groups[member->groups_len++] = i;
		member->wants |= groups->items[i].wants;
	}
	if (old != NULL && member->groups_len > 0) {
		memcpy(member->fds, old->fds, sizeof(old->fds));
		memcpy(member->counters, old->counters, sizeof(old->counters));
		member->known = old->known;
		for (unsigned i = 0; i < FILES_LEN; i++)
			old->fds[i] = -1;
	}
	leave(process, source);
	if (member->groups_len == 0)
		free(member);
	else
		process->member = member;
}

/* The name in 'stat' lies in the text of 'source'. */
static void find_groups(struct process *process, struct mc_kept_files *source,
			const struct process_groups *groups, const struct mc_process_stat *stat)
{
	bool due = (groups->reads + process->pid) % COMMAND_READS == 0;
	uint64_t identity = identity_of(stat), hash = 0;
	bool changed = !process->known || identity != process->identity;
	char name[64], text[COMMAND_SIZE];
	struct mc_process_stat own = *stat;
	struct mc_word command = { "", 0 };

	/* A process that has ended stays where it was. */
	if (stat->state == 'Z' || !(changed || (due && groups->regexes && !stat->kernel)))
		return;
	if (own.name.size > sizeof(name))
		own.name.size = sizeof(name);
	memcpy(name, own.name.text, own.name.size);
	own.name.text = name;
	if (groups->regexes) {
		command = read_command(process, source, &own, text);
		hash = mix(1, command.text, command.size);
	}
	if (changed || hash != process->command)
		join(process, source, groups, own.name, command);
	process->identity = identity;
	process->command = hash;
}

/* A gauge or a counter of the sample. */
static void set(struct group_sample *sample, enum group_gauge gauge, uint64_t level)
{
	sample->gauges[gauge] = (double)level;
	sample->gauges_of |= 1U << gauge;
}

static void count(struct group_sample *sample, enum group_counter counter, uint64_t total)
{
	sample->counters[counter] = total;
	sample->known |= 1U << counter;
}

static void add_stat(struct group_sample *sample, const struct mc_process_stat *stat)
{
	count(sample, GROUP_USER_TICKS, stat->user_ticks);
	count(sample, GROUP_SYSTEM_TICKS, stat->system_ticks);
	count(sample, GROUP_MINOR_FAULTS, stat->minor_faults);
	count(sample, GROUP_MAJOR_FAULTS, stat->major_faults);
	if (stat->state == 'Z')
		return;
	set(sample, GROUP_PROCESSES, 1);
	set(sample, GROUP_THREADS, stat->threads);
	set(sample, GROUP_VM, stat->vm);
	set(sample, GROUP_RSS, stat->rss * (uint64_t)sysconf(_SC_PAGESIZE));
}

/* From statm, which is exact; since Linux 6.2 stat may be wrong by some pages for each CPU. */
static bool add_resident(struct group_sample *sample, struct process *process,
			 struct mc_kept_files *source)
{
	uint64_t pages;

	if (source_read_kept(source, process->pid, "statm", &process->member->fds[STATM]) <= 0 ||
	    !parse_resident(source->text, &pages))
		return false;
	set(sample, GROUP_RSS, pages * (uint64_t)sysconf(_SC_PAGESIZE));
	return true;
}

/* Nothing is set if the process has ended meanwhile.  -EINVAL if the text is not understood. */
static int add_status(struct group_sample *sample, struct process *process,
		      struct mc_kept_files *source, const struct mc_process_stat *stat)
{
	struct parse_status status;
	ssize_t size =
		source_read_kept(source, process->pid, "status", &process->member->fds[STATUS]);

	if (size <= 0)
		return 0;
	if (!parse_status(source->text, &status))
		return -EINVAL;
	if (!status.memory && stat->vm > 0)
		return 0;
	set(sample, GROUP_DATA, status.data);
	set(sample, GROUP_CODE, status.code + status.libraries);
	set(sample, GROUP_STACK, status.stack);
	return 0;
}

/* Only root may read that of other users' processes; else it is left out. */
static int add_io(struct group_sample *sample, struct process *process,
		  struct mc_kept_files *source)
{
	struct parse_io io;
	ssize_t size;

	if (process->member->io_denied)
		return 0;
	size = source_read_kept(source, process->pid, "io", &process->member->fds[IO]);
	process->member->io_denied = size == -EACCES || size == -EPERM;
	if (size <= 0)
		return 0;
	if (!parse_io(source->text, &io))
		return -EINVAL;
	count(sample, GROUP_BYTES_READ, io.bytes_read);
	count(sample, GROUP_BYTES_WRITTEN, io.bytes_written);
	count(sample, GROUP_READS, io.reads);
	count(sample, GROUP_WRITES, io.writes);
	count(sample, GROUP_DISK_READ, io.disk_read);
	count(sample, GROUP_DISK_WRITTEN, io.disk_written);
	return 0;
}

/* The sum over its threads, which end and take theirs with them. */
static void add_switches(struct group_sample *sample, struct process *process,
			 struct mc_kept_files *source)
{
	DIR *folder = source_open_folder(source, process->pid, "task");
	struct parse_switches sum = { 0 }, one;
	const struct dirent *entry;
	bool found = false;

	if (folder == NULL)
		return;
	while ((entry = readdir(folder)) != NULL) {
		char path[300];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "task/%.255s/status", entry->d_name);
		if (source_read(source, process->pid, path) <= 0 ||
		    !parse_switches(source->text, &one))
			continue;
		sum.voluntary += one.voluntary;
		sum.involuntary += one.involuntary;
		found = true;
	}
	closedir(folder);
	if (!found)
		return;
	count(sample, GROUP_VOLUNTARY, sum.voluntary);
	count(sample, GROUP_INVOLUNTARY, sum.involuntary);
}

/* After a failure nothing more is asked in this read. */
static void add_delays(struct group_sample *sample, const struct process *process,
		       struct delays *delays)
{
	struct taskstats_delays found;

	if (delays == NULL || delays->failure != 0 ||
	    delays_read(delays, process->pid, &found) != 0)
		return;
	count(sample, GROUP_DELAY_CPU, found.cpu);
	count(sample, GROUP_DELAY_DISK, found.disk);
	count(sample, GROUP_DELAY_SWAP, found.swap);
	count(sample, GROUP_DELAY_MEMORY, found.memory);
}

static void add_wanted(struct group_sample *sample, struct process *process,
		       struct mc_kept_files *source, struct delays *delays)
{
	int64_t found;

	if (process->member->wants & GROUP_WANTS_DELAYS)
		add_delays(sample, process, delays);
	if (process->member->wants & GROUP_WANTS_SWITCHES)
		add_switches(sample, process, source);
	if (process->member->wants & GROUP_WANTS_FILES) {
		found = source_count_entries(source, process->pid, "fd");
		if (found >= 0)
			set(sample, GROUP_FILES, (uint64_t)found);
	}
	if (process->member->wants & GROUP_WANTS_MAPS) {
		found = source_count_lines(source, process->pid, "maps");
		if (found >= 0)
			set(sample, GROUP_MAPS, (uint64_t)found);
	}
}

/* From totals to what is new since the last read.  A total that could not be
 * read before is new only if the process is. */
static void keep_changes(struct group_sample *sample, const struct process *process)
{
	struct process_member *member = process->member;

	for (unsigned i = 0; i < GROUP_COUNTERS_LEN; i++) {
		uint64_t now = sample->counters[i], before = now;

		if (!(sample->known >> i & 1))
			continue;
		if (member->known >> i & 1)
			before = member->counters[i];
		else if (process->fresh)
			before = 0;
		sample->counters[i] = now > before ? now - before : 0;
		member->counters[i] = now;
		member->known |= 1U << i;
	}
}

/* Groups get only what their options ask for. */
static void give(struct group *group, const struct group_sample *sample)
{
	struct group_sample part = *sample;

	if (!(group->wants & GROUP_WANTS_DELAYS))
		part.known &= (1U << GROUP_DELAY_CPU) - 1;
	if (!(group->wants & GROUP_WANTS_SWITCHES))
		part.known &= ~(1U << GROUP_VOLUNTARY | 1U << GROUP_INVOLUNTARY);
	if (!(group->wants & GROUP_WANTS_FILES))
		part.gauges_of &= ~(1U << GROUP_FILES);
	if (!(group->wants & GROUP_WANTS_MAPS))
		part.gauges_of &= ~(1U << GROUP_MAPS);
	group_add(group, &part);
}

/* Figures of each living process. */
#define SHOWN_BY_ALL ((1U << GROUP_FILES) - 1)

static void spoil(const struct process *process, const struct process_groups *groups,
		  unsigned gauges)
{
	const struct process_member *member = process->member;

	for (unsigned i = 0; member != NULL && i < member->groups_len; i++)
		group_spoil(&groups->items[member->groups[i]], gauges);
}

/* Whether the sample has what each living process shows, and what groups want beyond that. */
static bool is_complete(const struct process_member *member, const struct group_sample *sample)
{
	return (sample->gauges_of & SHOWN_BY_ALL) == SHOWN_BY_ALL &&
	       (!(member->wants & GROUP_WANTS_DELAYS) || (sample->known >> GROUP_DELAY_CPU & 1)) &&
	       (!(member->wants & GROUP_WANTS_SWITCHES) || (sample->known >> GROUP_VOLUNTARY & 1));
}

static int measure(struct process *process, struct mc_kept_files *source,
		   const struct process_groups *groups, const struct mc_process_stat *stat)
{
	struct process_member *member = process->member;
	struct group_sample sample = { 0 };
	int failed = 0, io_failed = 0;

	add_stat(&sample, stat);
	if (stat->state != 'Z') {
		add_resident(&sample, process, source);
		failed = add_status(&sample, process, source, stat);
		io_failed = add_io(&sample, process, source);
		add_wanted(&sample, process, source, groups->delays);
	}
	keep_changes(&sample, process);
	for (unsigned i = 0; i < member->groups_len; i++)
		give(&groups->items[member->groups[i]], &sample);
	if (stat->state != 'Z')
		spoil(process, groups, SHOWN_BY_ALL & ~sample.gauges_of);
	process->complete = failed == 0 && io_failed == 0 && is_complete(member, &sample);
	memset(sample.counters, 0, sizeof(sample.counters));
	member->last = sample;
	return failed != 0 ? failed : io_failed;
}

static ssize_t read_stat(struct process *process, struct mc_kept_files *source)
{
	if (process->member == NULL)
		return source_read(source, process->pid, "stat");
	return source_read_kept(source, process->pid, "stat", &process->member->fds[STAT]);
}

/* Whether it said the same at the last read.  One that has just ended said something else. */
static bool clock_stands(struct process *process, struct mc_kept_files *source)
{
	uint64_t ran;
	ssize_t size;

	if (process->clock == PROCESS_CLOCKLESS)
		return false;
	/* The other half is for files of members, which are larger. */
	if (process->clock < 0 && source->kept >= source->kept_max / 2)
		size = source_read(source, process->pid, "schedstat");
	else
		size = source_read_kept(source, process->pid, "schedstat", &process->clock);
	if (size <= 0 || strncmp(source->text, "0 0 0", 5) == 0) {
		mc_kept_close(source, &process->clock);
		process->clock = PROCESS_CLOCKLESS;
		return false;
	}
	ran = mix(1, source->text, (size_t)size);
	if (ran == process->ran)
		return true;
	process->ran = ran;
	return false;
}

/* Whether nothing can have happened to it since the last read.  A process that runs or waits for a
 * disk may go on before it uses a CPU; a zombie makes room for another process with its number. */
static bool has_slept(struct process *process, struct mc_kept_files *source,
		      const struct process_groups *groups)
{
	if (!process->known || !process->complete || strchr("SIPTt", process->state) == NULL ||
	    (groups->reads + process->pid) % FULL_READS == 0)
		return false;
	if (process->leaf != NULL && !leaf_ran(process->leaf))
		return true;
	return process->threads == 1 && clock_stands(process, source);
}

/* Gives the groups what they had from it; false if its memory cannot be read. */
static bool repeat(struct process *process, struct mc_kept_files *source,
		   const struct process_groups *groups)
{
	struct process_member *member = process->member;

	if (member == NULL)
		return true;
	if (!add_resident(&member->last, process, source))
		return false;
	for (unsigned i = 0; i < member->groups_len; i++)
		give(&groups->items[member->groups[i]], &member->last);
	return true;
}

/* Each time that it has run, because it may have been moved.  Threads of the kernel are in the
 * root.  A new one may live no longer than this. */
static void find_leaf(struct process *process, struct mc_kept_files *source,
		      struct process_groups *groups)
{
	struct mc_word path;

	process->leaf = NULL;
	if (source_read(source, process->pid, "cgroup") <= 0 || !parse_cgroup(source->text, &path))
		return;
	process->leaf = leaf_find(&groups->leaves, path);
	if (process->leaf != NULL)
		leaf_use(process->leaf, &groups->leaves);
}

/* Reads all of it. */
static int read_fully(struct process *process, struct mc_kept_files *source,
		      struct process_groups *groups, char *state)
{
	struct mc_process_stat stat;
	ssize_t size = read_stat(process, source);
	bool own;
	int rc = 0;

	groups->asked++;
	process->complete = false;
	if (size == 0 || size == -ENOENT)
		return -ENOENT;
	if (size < 0 || !mc_process_stat(source->text, &stat)) {
		spoil(process, groups, SHOWN_BY_ALL);
		return size < 0 ? (int)size : -EINVAL;
	}
	if (process->known && process->start != stat.start) {
		/* Another process has got the number. */
		process_done(process, source);
		process->known = false;
		process->fresh = true;
	}
	process->start = stat.start;
	process->state = *state = stat.state;
	process->threads = stat.threads < UINT32_MAX ? (uint32_t)stat.threads : UINT32_MAX;
	own = !stat.kernel && stat.state != 'Z' && !process->fresh;
	if (groups->len > 0)
		find_groups(process, source, groups, &stat);
	process->known = process->complete = true;
	if (process->member != NULL)
		rc = measure(process, source, groups, &stat);
	if (own && groups->leaves.is_there)
		find_leaf(process, source, groups);
	return rc;
}

int process_update(struct process *process, struct mc_kept_files *source,
		   struct process_groups *groups, char *state)
{
	if (process->leaf != NULL)
		leaf_use(process->leaf, &groups->leaves);
	if (!groups->all && has_slept(process, source, groups) && repeat(process, source, groups)) {
		*state = process->state;
		return 0;
	}
	return read_fully(process, source, groups, state);
}
