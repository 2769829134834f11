/* SPDX-License-Identifier: MIT */
#include "guests.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <collector/kit/alloc.h>

#include "kit/base/process_stat.h"

#include "parse.h"

#define WHOLE_SCANS 6  /* Of that number of scans one looks at all processes again. */
#define STILL 10       /* Reads without a change after which something is read less often. */
#define LOOK_MIN 0.005 /* One that ran and waited less is not looked at. */

/* --- Virtual CPUs --------------------------------------------------------- */

static void close_vcpu(struct guests *guests, struct vcpu *vcpu)
{
	mc_kept_close(&guests->files, &vcpu->schedstat);
	mc_kept_close(&guests->files, &vcpu->stat);
	mc_release(vcpu->held);
	vcpu->held = NULL;
}

static void begin_vcpu(const struct guest *guest, struct vcpu *vcpu,
		       const struct mc_qemu_thread *thread)
{
	*vcpu = (struct vcpu){
		.tid = thread->tid,
		.number = thread->vcpu,
		.seen = { -1, -1 },
		.schedstat = -1,
		.stat = -1,
	};
	snprintf(vcpu->path, sizeof(vcpu->path), "%u/task/%u/schedstat", guest->pid, thread->tid);
}

/* Both lists are in the order of thread numbers. */
static void merge_vcpus(struct guests *guests, struct guest *guest)
{
	const struct mc_qemu_threads *threads = &guests->threads;
	struct vcpu *old = guest->vcpus, *old_end = old + guest->vcpus_len;
	struct vcpu *vcpus = mc_alloc_array(threads->len, sizeof(*vcpus));
	size_t len = 0;

	for (size_t i = 0; i < threads->len; i++) {
		for (; old < old_end && old->tid < threads->items[i].tid; old++)
			close_vcpu(guests, old);
		if (guests->vcpus_len >= GUESTS_THREADS_MAX) {
			guests->skipped++;
			continue;
		}
		guests->vcpus_len++;
		if (old < old_end && old->tid == threads->items[i].tid && !old->has_ended)
			vcpus[len++] = *old++;
		else
			begin_vcpu(guest, &vcpus[len++], &threads->items[i]);
	}
	for (; old < old_end; old++)
		close_vcpu(guests, old);
	free(guest->vcpus);
	guest->vcpus = vcpus;
	guest->vcpus_len = len;
}

/* --- Guests --------------------------------------------------------------- */

static void free_guest(struct guests *guests, struct guest *guest)
{
	for (size_t i = 0; i < guest->vcpus_len; i++)
		close_vcpu(guests, &guest->vcpus[i]);
	free(guest->vcpus);
	mc_kept_close(&guests->files, &guest->counts.schedstat);
	mc_kept_close(&guests->files, &guest->counts.io);
	mc_release(guest->counts.held_time);
	mc_release(guest->counts.held_io);
	mc_kept_close(&guests->files, &guest->process);
}

/* As free_guest(), of one that is not there any more. */
static void end_guest(struct guests *guests, struct guest *guest)
{
	char path[MC_KEPT_PATH_SIZE];
	struct mc_process_stat stat;
	bool waits = false; /* For its parent. */
	int status;

	if (guests->watches_ends) {
		waits = mc_kept_read_once(&guests->files,
					  mc_kept_pid_path(path, guest->pid, "stat")) > 0 &&
			mc_process_stat(guests->files.text, &stat) && stat.start == guest->start;
		if (ends_status(guest->process, waits ? guests->files.text : NULL, &status))
			ends_add(&guests->ends, guest->name, guest->pid, status);
	}
	free_guest(guests, guest);
}

/* Ticks since boot; 0 if it has ended. */
static uint64_t start_of(struct guests *guests, uint32_t pid)
{
	char path[MC_KEPT_PATH_SIZE];
	struct mc_process_stat stat;

	if (mc_kept_read_once(&guests->files, mc_kept_pid_path(path, pid, "stat")) <= 0 ||
	    !mc_process_stat(guests->files.text, &stat) || stat.state == 'Z')
		return 0;
	return stat.start;
}

static bool find_guest(struct guests *guests, uint32_t pid, unsigned version, struct guest *guest)
{
	char path[MC_KEPT_PATH_SIZE];

	*guest = (struct guest){ .pid = pid,
				 .process = -1,
				 .counts = { .schedstat = -1, .io = -1 } };
	if (!mc_qemu_find(&guests->files, pid, guest->name))
		return false;
	guest->start = start_of(guests, pid);
	if (mc_kept_read_once(&guests->files, mc_kept_pid_path(path, pid, "cgroup")) <= 0 ||
	    !parse_group(guests->files.text, version, guest->group, sizeof(guest->group)))
		guest->group[0] = '\0';
	if (guest->start == 0)
		return false;
	if (guests->watches_ends && guests->is_real && guests->files.kept < guests->files.kept_max)
		guest->process = ends_watch(pid);
	guests->files.kept += guest->process >= 0;
	return true;
}

static bool was_known(const struct guests *guests, size_t *at, uint32_t pid)
{
	while (*at < guests->known.len && guests->known.items[*at] < pid)
		++*at;
	return *at < guests->known.len && guests->known.items[*at] == pid;
}

/* The guest that had a process of that number, or NULL; those before are freed. */
static struct guest *find_old(struct guests *guests, struct guest **old, const struct guest *end,
			      uint32_t pid)
{
	while (*old < end && (*old)->pid < pid)
		end_guest(guests, (*old)++);
	return *old < end && (*old)->pid == pid ? (*old)++ : NULL;
}

/* A file of a thread that is open is never that of another one. */
static bool is_alive(const struct guest *guest)
{
	for (size_t i = 0; i < guest->vcpus_len; i++)
		if (guest->vcpus[i].has_ended || guest->vcpus[i].schedstat < 0)
			return false;
	return guest->vcpus_len > 0;
}

/* Whether it still has it; else it is freed. */
static bool keep_old(struct guests *guests, struct guest *old, struct guest *out)
{
	if (!is_alive(old) && start_of(guests, old->pid) != old->start) {
		end_guest(guests, old);
		return false;
	}
	*out = *old;
	return true;
}

static void mark_seconds(struct guests *guests)
{
	for (size_t i = 0; i < guests->len; i++) {
		guests->items[i].is_second = false;
		for (size_t j = 0; j < i && !guests->items[i].is_second; j++)
			guests->items[i].is_second =
				strcmp(guests->items[i].name, guests->items[j].name) == 0;
	}
}

/* A process that was no guest at two scans is looked at again now and then only.  It becomes one by
 * execve(), shortly after it has begun; later, another one may have its number. */
static void merge_guests(struct guests *guests, unsigned version, bool is_whole)
{
	struct guest *old = guests->items, *end = old + guests->len, *before = old;
	struct guest *items = NULL;
	size_t len = 0, room = 0, known = 0;

	for (size_t i = 0; i < guests->pids.len && len < GUESTS_MAX; i++) {
		uint32_t pid = guests->pids.items[i];
		bool is_new = is_whole || !was_known(guests, &known, pid);
		struct guest *had = find_old(guests, &old, end, pid);

		MC_ARRAY_GROW(items, len, room);
		if ((had != NULL && keep_old(guests, had, &items[len])) ||
		    ((is_new || had != NULL) && find_guest(guests, pid, version, &items[len])))
			len++;
	}
	for (; old < end; old++)
		end_guest(guests, old);
	free(before);
	guests->items = items;
	guests->len = len;
	mark_seconds(guests);
}

/* Lists the virtual CPUs of a guest, unless they are those of before.  One that ends just now
 * keeps those that it had until the next scan. */
static void scan_guest(struct guests *guests, struct guest *guest, bool is_whole)
{
	char path[MC_KEPT_PATH_SIZE];
	struct stat status = { 0 };

	mc_kept_pid_path(path, guest->pid, "task");
	if ((fstatat(guests->files.folder, path, &status, 0) == 0 && !is_whole &&
	     status.st_nlink == guest->links && is_alive(guest)) ||
	    mc_qemu_list_vcpus(&guests->files, guest->pid, &guests->threads) < 0) {
		guests->vcpus_len += guest->vcpus_len;
		return;
	}
	guest->links = status.st_nlink;
	merge_vcpus(guests, guest);
}

int guests_scan(struct guests *guests, unsigned version)
{
	DIR *folder = mc_kept_open_folder(&guests->files, ".");
	bool is_whole = guests->scans++ % WHOLE_SCANS == 0;
	struct mc_pids pids;

	if (folder == NULL)
		return -errno;
	pids = guests->known;
	guests->known = guests->last;
	guests->last = guests->pids;
	guests->pids = pids;
	mc_list_pids(folder, &guests->pids);
	closedir(folder);
	merge_guests(guests, version, is_whole);
	guests->vcpus_len = 0;
	guests->skipped = 0;
	guests->has_ended = false;
	for (size_t i = 0; i < guests->len; i++)
		scan_guest(guests, &guests->items[i], is_whole);
	return 0;
}

/* --- Counters ------------------------------------------------------------- */

static double part_of(uint64_t now, uint64_t before, double time)
{
	return time > 0 && now >= before ? (double)(now - before) / time : 0;
}

/* Whether this read leaves out what has not changed for a while; not all of that in the same one.
 */
static bool leaves_out(const struct guests *guests, unsigned still, uint32_t number)
{
	return guests->still_turns > 1 && still >= STILL &&
	       (guests->reads + number) % guests->still_turns != 0;
}

/* False if it has ended, or the kernel does not count. */
static bool read_vcpu(struct guests *guests, struct vcpu *vcpu, double time)
{
	bool was_there = vcpu->schedstat >= 0 || vcpu->has_before;
	struct parse_schedstat now;

	vcpu->run_part = vcpu->wait_part = 0;
	/* An open file is not opened again: another process may have its numbers. */
	if (mc_kept_read(&guests->files, vcpu->schedstat < 0 ? vcpu->path : "", &vcpu->schedstat) <=
	    0) {
		vcpu->has_ended = true;
		guests->has_ended = guests->has_ended || was_there;
		close_vcpu(guests, vcpu);
		return false;
	}
	if (!parse_schedstat(guests->files.text, &now) || now.slices == 0) {
		vcpu->has_before = false;
		return false;
	}
	if (vcpu->has_before) {
		vcpu->run_part = part_of(now.run, vcpu->run, time);
		vcpu->wait_part = part_of(now.wait, vcpu->wait, time);
	}
	vcpu->still = now.run == vcpu->run && now.wait == vcpu->wait ? vcpu->still + 1 : 0;
	vcpu->was_read = true;
	vcpu->run = now.run;
	vcpu->wait = now.wait;
	vcpu->has_before = true;
	return true;
}

size_t guests_read(struct guests *guests, double time)
{
	size_t read = 0;

	guests->reads++;
	for (size_t i = 0; i < guests->len; i++)
		for (size_t j = 0; j < guests->items[i].vcpus_len; j++) {
			struct vcpu *vcpu = &guests->items[i].vcpus[j];

			vcpu->was_read = false;
			if (vcpu->has_ended)
				continue;
			if (leaves_out(guests, vcpu->still, vcpu->tid))
				read++;
			else
				read += read_vcpu(guests, vcpu, time);
		}
	return read;
}

/* Whether its main thread is among those that are counted: QEMU does not name them. */
static bool counts_main(const struct guest *guest)
{
	for (size_t i = 0; i < guest->vcpus_len; i++)
		if (guest->vcpus[i].tid == guest->pid)
			return true;
	return false;
}

static bool count_time(struct guests *guests, const struct guest *guest,
		       struct guest_counts *counts)
{
	char path[MC_KEPT_PATH_SIZE] = "";
	struct parse_schedstat time;

	if (counts->schedstat < 0)
		snprintf(path, sizeof(path), "%u/task/%u/schedstat", guest->pid, guest->pid);
	if (counts_main(guest) || mc_kept_read(&guests->files, path, &counts->schedstat) <= 0 ||
	    !parse_schedstat(guests->files.text, &time) || time.slices == 0)
		return false;
	if (time.run != counts->run || time.wait != counts->wait)
		counts->still = 0;
	counts->run = time.run;
	counts->wait = time.wait;
	return true;
}

static bool count_io(struct guests *guests, const struct guest *guest, struct guest_counts *counts)
{
	char path[MC_KEPT_PATH_SIZE];
	uint64_t read, written;

	if (mc_kept_read(&guests->files, mc_kept_pid_path(path, guest->pid, "io"), &counts->io) <=
		    0 ||
	    !parse_io(guests->files.text, &read, &written))
		return false;
	if (read != counts->read || written != counts->written)
		counts->still = 0;
	counts->read = read;
	counts->written = written;
	return true;
}

static void count(struct guests *guests, const struct guest *guest, struct guest_counts *counts)
{
	counts->still++;
	counts->has_time = count_time(guests, guest, counts);
	counts->has_io = count_io(guests, guest, counts);
}

void guests_count(struct guests *guests, unsigned turn, unsigned parts)
{
	for (size_t i = 0; i < guests->len; i++) {
		struct guest_counts *counts = &guests->items[i].counts;

		counts->has_time = counts->has_io = false;
		if (i % parts == turn % parts &&
		    (guests->still_turns <= 1 || counts->still < STILL ||
		     turn / parts % guests->still_turns == 0))
			count(guests, &guests->items[i], counts);
	}
}

static void look_at(struct guests *guests, struct vcpu *vcpu, bool anew)
{
	char path[GUESTS_PATH_SIZE + 8];
	int folder = (int)strlen(vcpu->path) - (int)strlen("schedstat");
	unsigned cpu;

	vcpu->seen[0] = vcpu->seen[1];
	snprintf(path, sizeof(path), "%.*sstat", folder, vcpu->path);
	if (mc_kept_read(&guests->files, path, &vcpu->stat) > 0 &&
	    parse_last_cpu(guests->files.text, &cpu))
		vcpu->seen[1] = (int)cpu;
	if (vcpu->has_allowed && !anew)
		return;
	snprintf(path, sizeof(path), "%.*sstatus", folder, vcpu->path);
	if (mc_kept_read_once(&guests->files, path) > 0 &&
	    parse_allowed(guests->files.text, vcpu->allowed, BLAME_WORDS))
		vcpu->has_allowed = true;
}

void guests_look(struct guests *guests, bool anew)
{
	for (size_t i = 0; i < guests->len; i++)
		for (size_t j = 0; j < guests->items[i].vcpus_len; j++) {
			struct vcpu *vcpu = &guests->items[i].vcpus[j];

			if (!vcpu->has_ended && vcpu->run_part + vcpu->wait_part >= LOOK_MIN)
				look_at(guests, vcpu, anew);
		}
}

const struct vcpu *guests_worst(const struct guest *guest)
{
	const struct vcpu *worst = NULL;

	for (size_t i = 0; i < guest->vcpus_len; i++)
		if (!guest->vcpus[i].has_ended &&
		    (worst == NULL || guest->vcpus[i].wait_part > worst->wait_part))
			worst = &guest->vcpus[i];
	return worst;
}

void guests_done(struct guests *guests)
{
	for (size_t i = 0; i < guests->len; i++)
		free_guest(guests, &guests->items[i]);
	free(guests->items);
	mc_pids_done(&guests->pids);
	mc_pids_done(&guests->last);
	mc_pids_done(&guests->known);
	mc_qemu_threads_done(&guests->threads);
	ends_done(&guests->ends);
}
