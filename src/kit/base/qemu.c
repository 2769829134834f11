/* SPDX-License-Identifier: MIT */
#include "kit/base/qemu.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/scan.h>

/* --- Command lines -------------------------------------------------------- */

/* The word after the option, ended by '\0'; NULL if it is missing or cut. */
static const char *find_value(const char *command, size_t command_size, const char *option)
{
	const char *at = command, *end = command + command_size;

	while (at < end) {
		size_t word = strnlen(at, (size_t)(end - at));
		const char *next = at + word + 1;

		if (next >= end)
			return NULL;
		if (word == strlen(option) && memcmp(at, option, word) == 0)
			return memchr(next, '\0', (size_t)(end - next)) != NULL ? next : NULL;
		at = next;
	}
	return NULL;
}

bool mc_qemu_runs(const char *command, size_t command_size)
{
	const char *end = command_size > 0 ? memchr(command, '\0', command_size) : NULL, *slash;

	if (end == NULL)
		return false;
	slash = strrchr(command, '/');
	command = slash != NULL ? slash + 1 : command;
	return strncmp(command, "qemu-system-", 12) == 0 || strcmp(command, "qemu-kvm") == 0 ||
	       strcmp(command, "kvm") == 0;
}

/* The value of "guest=", up to a comma; two commas are one of the name. */
static bool take_name(const char *word, char *out, size_t size)
{
	const char *at = word;
	size_t len = 0;

	if (strncmp(at, "guest=", 6) == 0)
		at += 6;
	else if (memchr(at, '=', strcspn(at, ",")) != NULL) /* Of another option. */
		return false;
	for (; *at != '\0' && len + 1 < size; at++) {
		if (*at == ',' && *++at != ',')
			break;
		out[len++] = *at;
	}
	out[len] = '\0';
	return len > 0;
}

bool mc_qemu_name(const char *command, size_t command_size, char *out, size_t size)
{
	const char *value = find_value(command, command_size, "-name");

	return value != NULL && take_name(value, out, size);
}

bool mc_qemu_has_uuid(const char *command, size_t command_size, const char *uuid)
{
	const char *value = find_value(command, command_size, "-uuid");

	return value != NULL && strcmp(value, uuid) == 0;
}

bool mc_qemu_is_incoming(const char *command, size_t command_size)
{
	return find_value(command, command_size, "-incoming") != NULL;
}

bool mc_qemu_vcpu(const char *name, unsigned *number)
{
	uint64_t vcpu;

	if (strncmp(name, "ALL CPUs/", 9) == 0) {
		*number = 0;
		return true;
	}
	if (strncmp(name, "CPU ", 4) != 0)
		return false;
	name += 4;
	if (!mc_scan_u64(&name, &vcpu) || *name != '/' || vcpu > UINT16_MAX)
		return false;
	*number = (unsigned)vcpu;
	return true;
}

/* --- Processes ------------------------------------------------------------ */

bool mc_qemu_find(struct mc_kept_files *proc, uint32_t pid, char name[MC_QEMU_NAME_SIZE])
{
	char path[MC_KEPT_PATH_SIZE];
	ssize_t size = mc_kept_read_once(proc, mc_kept_pid_path(path, pid, "cmdline"));

	if (size <= 0 || !mc_qemu_runs(proc->text, (size_t)size) ||
	    !mc_qemu_name(proc->text, (size_t)size, name, MC_QEMU_NAME_SIZE))
		return false;
	for (char *at = name; *at != '\0'; at++)
		if ((unsigned char)*at < ' ' || *at == '\177' || *at == '/')
			*at = '_';
	return true;
}

static void add(struct mc_qemu_threads *threads, uint32_t tid, unsigned vcpu)
{
	if (threads->len == threads->size) {
		threads->size = threads->size * 2 + 16;
		threads->items =
			mc_alloc_resize(threads->items, threads->size, sizeof(*threads->items));
	}
	threads->items[threads->len++] = (struct mc_qemu_thread){ tid, vcpu };
}

/* The first thread with a name of a virtual CPU makes all without one go. */
static void look_at(struct mc_kept_files *proc, uint32_t pid, uint32_t tid,
		    struct mc_qemu_threads *threads)
{
	char path[MC_KEPT_PATH_SIZE];
	unsigned vcpu = (unsigned)threads->len;
	bool is_vcpu;

	snprintf(path, sizeof(path), "%u/task/%u/comm", pid, tid);
	if (mc_kept_read_once(proc, path) <= 0)
		return; /* It has ended meanwhile. */
	is_vcpu = mc_qemu_vcpu(proc->text, &vcpu);
	if (is_vcpu && !threads->is_named) {
		threads->is_named = true;
		threads->len = 0;
	}
	if ((is_vcpu || !threads->is_named) && threads->len < MC_QEMU_THREADS_MAX)
		add(threads, tid, vcpu);
}

static int compare(const void *a, const void *b)
{
	const struct mc_qemu_thread *left = a, *right = b;

	return left->tid < right->tid ? -1 : left->tid > right->tid;
}

int mc_qemu_list_vcpus(struct mc_kept_files *proc, uint32_t pid, struct mc_qemu_threads *threads)
{
	char path[MC_KEPT_PATH_SIZE];
	DIR *folder = mc_kept_open_folder(proc, mc_kept_pid_path(path, pid, "task"));
	const struct dirent *entry;

	if (folder == NULL)
		return -errno;
	threads->len = 0;
	threads->is_named = false;
	for (unsigned i = 0; i < MC_QEMU_THREADS_MAX && (entry = readdir(folder)) != NULL; i++) {
		const char *at = entry->d_name;
		uint64_t tid;

		if (mc_scan_u64(&at, &tid) && *at == '\0' && tid > 0 && tid <= INT32_MAX)
			look_at(proc, pid, (uint32_t)tid, threads);
	}
	closedir(folder);
	if (threads->len > 1)
		qsort(threads->items, threads->len, sizeof(*threads->items), compare);
	return 0;
}

void mc_qemu_threads_done(struct mc_qemu_threads *threads)
{
	free(threads->items);
	*threads = (struct mc_qemu_threads){ 0 };
}
