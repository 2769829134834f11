/* SPDX-License-Identifier: MIT */
/* kernel: proc(5), and cpu.stat of the kernel's Documentation/admin-guide/ cgroup-v2.rst.  CPU time
 * comes from the guest's cgroup, or without one from its process, which counts in clock ticks. */
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/scan.h>

#include "kit/base/process_stat.h"
#include "kit/base/qemu.h"

#define PIDS "/run/libvirt/qemu" /* Of qemu:///system. */
#define COMMAND_SIZE 65536
#define STAT_SIZE 4096

/* --- Pure parts ----------------------------------------------------------- */

static void cut_end(char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);

	if (size >= end_size && strcmp(text + size - end_size, end) == 0)
		text[size - end_size] = '\0';
}

bool kernel_parse_cgroup(const char *text, char *out, size_t size)
{
	const char *at = text;

	do {
		struct mc_word path;

		if (strncmp(at, "0::", 3) != 0)
			continue;
		at += 3;
		if (!mc_scan_word(&at, &path) || path.size >= size)
			return false;
		memcpy(out, path.text, path.size);
		out[path.size] = '\0';
		/* libvirt splits a guest into "emulator" and "vcpuN". */
		cut_end(out, "/emulator");
		cut_end(out, "/libvirt");
		return strstr(out, "qemu") != NULL && strstr(out, "..") == NULL;
	} while (mc_scan_line(&at));
	return false;
}

bool kernel_parse_cpu_stat(const char *text, struct kernel_cpu *cpu)
{
	static const char *const names[] = { "usage_usec", "user_usec", "system_usec" };
	uint64_t values[3];
	unsigned seen = 0;
	const char *at = text;

	do {
		for (unsigned i = 0; i < 3; i++) {
			const char *place = at;

			if (mc_scan_text(&place, names[i]) && mc_scan_u64(&place, &values[i]))
				seen |= 1U << i;
		}
	} while (mc_scan_line(&at));
	if (seen != 7)
		return false;
	*cpu = (struct kernel_cpu){ values[0] * 1000, values[1] * 1000, values[2] * 1000 };
	return true;
}

/* To the field of that number, the third or a later one; NULL without it. */
static const char *find_field(const char *text, unsigned number)
{
	/* "PID (command) S ...": a command may have blanks and brackets. */
	const char *at = strrchr(text, ')');
	struct mc_word word;

	if (at == NULL)
		return NULL;
	at++;
	for (unsigned field = 3; field < number; field++)
		if (!mc_scan_word(&at, &word))
			return NULL;
	return at;
}

bool kernel_parse_stat(const char *text, long ticks_per_second, struct kernel_cpu *cpu)
{
	const char *at = find_field(text, 14);
	uint64_t tick = 1000000000 / (uint64_t)ticks_per_second;
	uint64_t user, system;

	if (at == NULL)
		return false;
	if (!mc_scan_u64(&at, &user) || !mc_scan_u64(&at, &system))
		return false;
	*cpu = (struct kernel_cpu){ (user + system) * tick, user * tick, system * tick };
	return true;
}

uint64_t kernel_parse_start(const char *text)
{
	const char *at = find_field(text, 22);
	uint64_t started = 0;

	if (at != NULL)
		mc_scan_u64(&at, &started);
	return started;
}

static bool parse_nic(const char *at, struct kernel_nic *nic)
{
	const char *colon;
	uint64_t n[16];
	size_t size;

	at = mc_scan_blanks(at);
	colon = at + strcspn(at, ":\n");
	size = (size_t)(colon - at);
	if (*colon != ':' || size == 0 || size >= sizeof(nic->name))
		return false;
	memcpy(nic->name, at, size);
	nic->name[size] = '\0';
	at = colon + 1;
	if (mc_scan_row(&at, n, 16) != 16)
		return false;
	nic->rx_bytes = n[0], nic->rx_packets = n[1];
	nic->rx_errors = n[2], nic->rx_dropped = n[3];
	nic->tx_bytes = n[8], nic->tx_packets = n[9];
	nic->tx_errors = n[10], nic->tx_dropped = n[11];
	return true;
}

static int compare_nics(const void *a, const void *b)
{
	return strcmp(((const struct kernel_nic *)a)->name, ((const struct kernel_nic *)b)->name);
}

void kernel_parse_nics(const char *text, struct kernel_nics *nics)
{
	const char *at = text;

	nics->len = 0;
	do {
		struct kernel_nic nic;

		if (!parse_nic(at, &nic))
			continue;
		MC_ARRAY_GROW(nics->items, nics->len, nics->size);
		nics->items[nics->len++] = nic;
	} while (mc_scan_line(&at));
	if (nics->len > 0)
		qsort(nics->items, nics->len, sizeof(*nics->items), compare_nics);
}

const struct kernel_nic *kernel_nic(const struct kernel_nics *nics, const char *name)
{
	struct kernel_nic key;

	if (nics->len == 0 || strlen(name) >= sizeof(key.name))
		return NULL;
	snprintf(key.name, sizeof(key.name), "%s", name);
	return bsearch(&key, nics->items, nics->len, sizeof(*nics->items), compare_nics);
}

void kernel_done(struct kernel_nics *nics)
{
	free(nics->items);
	*nics = (struct kernel_nics){ 0 };
}

/* --- Files ---------------------------------------------------------------- */

/* Reads a file whose absence says nothing but that the guest is gone, so
 * without mc_fail().  Returns its size, less than 'size', or -1. */
static ssize_t read_text(struct mc_ctx *ctx, const char *path, char *out, size_t size)
{
	char full[KERNEL_PATH_SIZE + 256];
	ssize_t got;
	int fd = open(mc_path(ctx, path, full, sizeof(full)), O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return -1;
	got = read(fd, out, size - 1);
	close(fd);
	if (got >= 0)
		out[got] = '\0';
	return got;
}

static ssize_t read_proc(struct mc_ctx *ctx, unsigned pid, const char *file, char *out, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, file);
	return read_text(ctx, path, out, size);
}

static unsigned find_pid(struct mc_ctx *ctx, const char *name)
{
	char path[KERNEL_PATH_SIZE], text[32];
	const char *at = text;
	uint64_t pid;

	if (strchr(name, '/') != NULL ||
	    snprintf(path, sizeof(path), PIDS "/%s.pid", name) >= (int)sizeof(path) ||
	    read_text(ctx, path, text, sizeof(text)) <= 0 || !mc_scan_u64(&at, &pid) ||
	    pid > INT32_MAX)
		return 0;
	return (unsigned)pid;
}

static void find_cgroup(struct mc_ctx *ctx, struct kernel_map *map)
{
	static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	char text[4096], path[KERNEL_PATH_SIZE];
	char group[KERNEL_PATH_SIZE - 64];
	struct kernel_cpu cpu;

	if (read_proc(ctx, map->pid, "cgroup", text, sizeof(text)) <= 0 ||
	    !kernel_parse_cgroup(text, group, sizeof(group)))
		return;
	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		snprintf(path, sizeof(path), "%s%s/cpu.stat", mounts[i], group);
		if (read_text(ctx, path, text, sizeof(text)) > 0 &&
		    kernel_parse_cpu_stat(text, &cpu)) {
			map->cgroup = mc_alloc_copy(path);
			return;
		}
	}
}

bool kernel_find(struct mc_ctx *ctx, struct kernel_map *map, const char *name, const char *uuid)
{
	char *command = mc_alloc(COMMAND_SIZE), stat[STAT_SIZE];
	ssize_t size = -1;

	*map = (struct kernel_map){ .pid = find_pid(ctx, name) };
	if (map->pid != 0)
		size = read_proc(ctx, map->pid, "cmdline", command, COMMAND_SIZE);
	if (size <= 0 || !mc_qemu_has_uuid(command, (size_t)size, uuid))
		map->pid = 0;
	map->incoming = map->pid != 0 && mc_qemu_is_incoming(command, (size_t)size);
	free(command);
	if (map->pid == 0)
		return false;
	if (read_proc(ctx, map->pid, "stat", stat, sizeof(stat)) > 0)
		map->started = kernel_parse_start(stat);
	find_cgroup(ctx, map);
	return true;
}

void kernel_generation(struct mc_ctx *ctx, const struct kernel_map *map,
		       char out[KERNEL_GENERATION_SIZE])
{
	char boot[64];

	out[0] = '\0';
	if (map->pid == 0 || map->started == 0 ||
	    read_text(ctx, "/proc/sys/kernel/random/boot_id", boot, sizeof(boot)) < 8)
		return;
	snprintf(out, KERNEL_GENERATION_SIZE, "%.8s-%u-%llu", boot, map->pid,
		 (unsigned long long)map->started);
}

bool kernel_read_cpu(struct mc_ctx *ctx, const struct kernel_map *map, struct kernel_cpu *cpu)
{
	char text[STAT_SIZE];

	if (map->pid == 0)
		return false;
	/* It ends with the guest, whose number the kernel gives away again. */
	if (map->cgroup != NULL)
		return read_text(ctx, map->cgroup, text, sizeof(text)) > 0 &&
		       kernel_parse_cpu_stat(text, cpu);
	return read_proc(ctx, map->pid, "stat", text, sizeof(text)) > 0 &&
	       (map->started == 0 || map->started == kernel_parse_start(text)) &&
	       kernel_parse_stat(text, sysconf(_SC_CLK_TCK), cpu);
}

bool kernel_seems_dead(struct mc_ctx *ctx, const struct kernel_map *map)
{
	char text[STAT_SIZE];
	struct mc_process_stat stat;

	if (map->pid == 0)
		return false;
	return read_proc(ctx, map->pid, "stat", text, sizeof(text)) <= 0 ||
	       !mc_process_stat(text, &stat) || (map->started != 0 && map->started != stat.start) ||
	       strchr("ZXTtD", stat.state) != NULL;
}

bool kernel_read_name(struct mc_ctx *ctx, unsigned pid, char *out, size_t size)
{
	if (read_proc(ctx, pid, "comm", out, size) <= 0)
		return false;
	out[strcspn(out, "\n")] = '\0';
	return true;
}

int kernel_read_nics(struct mc_ctx *ctx, struct kernel_nics *nics)
{
	char *text;
	ssize_t size = mc_read_file(ctx, "/proc/net/dev", &text);

	nics->len = 0;
	if (size < 0)
		return (int)size;
	kernel_parse_nics(text, nics);
	return 0;
}
