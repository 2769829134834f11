/* SPDX-License-Identifier: MIT */
/* activity: proc(5), and Documentation/scheduler/sched-stats.rst of the kernel.  Names of threads
 * are those that QEMU gives them with debug-threads=on, as libvirt has it. */
#include "activity.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>
#include <collector/scan.h>

#include "kit/base/kept_file.h"
#include "kit/base/process_stat.h"

#define WAKE_UP 8 /* Bytes of an eventfd, see eventfd(2). */

/* --- Pure parts ------------------------------------------------------------ */

bool activity_parse_io(const char *text, uint64_t io[ACTIVITY_IO_FIELDS])
{
	static const char *const names[ACTIVITY_IO_FIELDS] = {
		"rchar:",
		"wchar:",
		"syscr:",
		"syscw:",
		"read_bytes:",
		"write_bytes:",
		"cancelled_write_bytes:",
	};
	uint64_t values[ACTIVITY_IO_FIELDS];
	const char *at = text;

	for (unsigned i = 0; i < ACTIVITY_IO_FIELDS; i++) {
		if (!mc_scan_text(&at, names[i]) || !mc_scan_u64(&at, &values[i]))
			return false;
		mc_scan_line(&at);
	}
	memcpy(io, values, sizeof(values));
	return true;
}

bool activity_parse_schedstat(const char *text, uint64_t *ran)
{
	uint64_t n[3]; /* Run time, waiting time, time slices. */

	if (mc_scan_row(&text, n, 3) != 3 || n[2] == 0)
		return false;
	*ran += n[0] + n[2];
	return true;
}

bool activity_serves(const char *name)
{
	/* Virtual processors; threads of the kernel's on behalf of the process; those that hand
	 * requests to the host, which another thread ends; the monitor; displays. */
	static const char *const others[] = {
		"CPU ",       "vhost-",       "kvm-",     "worker", "IO mon_iothread",
		"vnc_worker", "SPICE Worker", "call_rcu",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strncmp(name, others[i], strlen(others[i])) == 0)
			return false;
	return true;
}

static bool is_comparable(const struct activity_sample *before, const struct activity_sample *after)
{
	return before->known && after->known && before->started == after->started &&
	       before->has_io == after->has_io;
}

bool activity_is_idle(const struct activity_sample *before, const struct activity_sample *after)
{
	if (!is_comparable(before, after))
		return false;
	return after->has_io ? memcmp(before->io, after->io, sizeof(after->io)) == 0
			     : before->ran == after->ran;
}

bool activity_has_transferred(const struct activity_sample *before,
			      const struct activity_sample *after)
{
	return is_comparable(before, after) &&
	       (before->io[ACTIVITY_READ_BYTES] != after->io[ACTIVITY_READ_BYTES] ||
		before->io[ACTIVITY_WRITE_BYTES] != after->io[ACTIVITY_WRITE_BYTES]);
}

bool activity_has_only_woken(const struct activity_sample *before,
			     const struct activity_sample *after)
{
	uint64_t grown[ACTIVITY_IO_FIELDS];

	if (!is_comparable(before, after) || !after->has_io)
		return false;
	for (unsigned i = 0; i < ACTIVITY_IO_FIELDS; i++)
		grown[i] = after->io[i] - before->io[i];
	return grown[ACTIVITY_READ_CHARS] == grown[ACTIVITY_READ_CALLS] * WAKE_UP &&
	       grown[ACTIVITY_WRITE_CHARS] == grown[ACTIVITY_WRITE_CALLS] * WAKE_UP &&
	       grown[ACTIVITY_READ_BYTES] == 0 && grown[ACTIVITY_WRITE_BYTES] == 0;
}

/* --- Threads --------------------------------------------------------------- */

static const char *thread_path(char out[MC_KEPT_PATH_SIZE], unsigned pid, unsigned tid,
			       const char *file)
{
	snprintf(out, MC_KEPT_PATH_SIZE, "%u/task/%u/%s", pid, tid, file);
	return out;
}

static void close_threads(struct mc_kept_files *files, struct activity *activity)
{
	for (size_t i = 0; i < activity->threads_len; i++)
		mc_kept_close(files, &activity->threads[i].fd);
	free(activity->threads);
	activity->threads = NULL;
	activity->threads_len = 0;
}

static bool is_known(const struct activity *activity, unsigned tid)
{
	for (size_t i = 0; i < activity->threads_len; i++)
		if (activity->threads[i].tid == tid)
			return true;
	return false;
}

static void take_thread(struct mc_kept_files *files, struct activity *activity, unsigned tid)
{
	char path[MC_KEPT_PATH_SIZE];

	if (activity->threads_len > ACTIVITY_THREADS_MAX || is_known(activity, tid) ||
	    mc_kept_read_once(files, thread_path(path, activity->pid, tid, "comm")) <= 0 ||
	    !activity_serves(files->text))
		return;
	activity->threads = mc_alloc_resize(activity->threads, activity->threads_len + 1,
					    sizeof(*activity->threads));
	activity->threads[activity->threads_len++] = (struct activity_thread){ tid, -1 };
}

void activity_list(struct mc_kept_files *files, struct activity *activity)
{
	char path[MC_KEPT_PATH_SIZE];
	const struct dirent *entry;
	DIR *folder;

	if (activity->pid == 0 || !activity->io_denied)
		return;
	folder = mc_kept_open_folder(files, mc_kept_pid_path(path, activity->pid, "task"));
	if (folder == NULL)
		return;
	while ((entry = readdir(folder)) != NULL) {
		uint64_t tid;

		if (mc_number_unsigned(entry->d_name, 10, INT_MAX, &tid))
			take_thread(files, activity, (unsigned)tid);
	}
	closedir(folder);
}

/* Threads that have ended are left out from the next list on; until then nothing is known. */
static bool look_at_threads(struct mc_kept_files *files, struct activity *activity, uint64_t *ran)
{
	char path[MC_KEPT_PATH_SIZE];

	*ran = 0;
	if (activity->threads_len == 0 || activity->threads_len > ACTIVITY_THREADS_MAX)
		return false;
	for (size_t i = 0; i < activity->threads_len; i++) {
		struct activity_thread *thread = &activity->threads[i];

		if (mc_kept_read(files, thread_path(path, activity->pid, thread->tid, "schedstat"),
				 &thread->fd) > 0 &&
		    activity_parse_schedstat(files->text, ran))
			continue;
		close_threads(files, activity);
		return false;
	}
	return true;
}

/* --- The process ------------------------------------------------------------ */

void activity_begin(struct mc_kept_files *files, struct activity *activity, unsigned pid,
		    uint64_t started)
{
	if (activity->pid == pid && activity->started == started)
		return;
	activity_end(files, activity);
	if (pid != 0)
		*activity = (struct activity){
			.pid = pid, .started = started, .stat = -1, .io = -1, .main = -1
		};
}

void activity_end(struct mc_kept_files *files, struct activity *activity)
{
	if (activity->pid == 0)
		return;
	mc_kept_close(files, &activity->stat);
	mc_kept_close(files, &activity->io);
	mc_kept_close(files, &activity->main);
	close_threads(files, activity);
	*activity = (struct activity){ 0 };
}

static bool look_at_io(struct mc_kept_files *files, struct activity *activity,
		       struct activity_sample *sample)
{
	char path[MC_KEPT_PATH_SIZE];
	ssize_t size;

	if (activity->io_denied)
		return false;
	size = mc_kept_read(files, mc_kept_pid_path(path, activity->pid, "io"), &activity->io);
	/* Another user's, or the kernel has no such file. */
	activity->io_denied = size < 0;
	return size > 0 && activity_parse_io(files->text, sample->io);
}

/* After the rest, which may be of a later process of that number. */
static bool look_at_state(struct mc_kept_files *files, struct activity *activity,
			  struct activity_sample *sample)
{
	char path[MC_KEPT_PATH_SIZE];
	struct mc_process_stat stat;

	if (mc_kept_read(files, mc_kept_pid_path(path, activity->pid, "stat"), &activity->stat) <=
		    0 ||
	    !mc_process_stat(files->text, &stat) || stat.start != activity->started)
		return false;
	sample->started = stat.start;
	sample->halted = strchr("ZXTtD", stat.state) != NULL;
	return true;
}

void activity_look(struct mc_kept_files *files, struct activity *activity,
		   struct activity_sample *sample)
{
	struct activity_sample seen = { 0 };

	*sample = seen;
	if (activity->pid == 0 || activity->started == 0)
		return;
	seen.has_io = look_at_io(files, activity, &seen);
	if (activity->io_denied && activity->threads_len == 0)
		activity_list(files, activity);
	if (!seen.has_io && !look_at_threads(files, activity, &seen.ran))
		return;
	if (!look_at_state(files, activity, &seen))
		return;
	seen.known = true;
	*sample = seen;
}

bool activity_main(struct mc_kept_files *files, struct activity *activity, uint64_t *ran)
{
	char path[MC_KEPT_PATH_SIZE];
	const char *text = files->text;

	return activity->pid != 0 &&
	       mc_kept_read(files, mc_kept_pid_path(path, activity->pid, "schedstat"),
			    &activity->main) > 0 &&
	       mc_scan_u64(&text, ran);
}
