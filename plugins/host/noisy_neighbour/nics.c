/* SPDX-License-Identifier: MIT */
#include "nics.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#include "parse.h"

#define OF_GUEST_MAX 64 /* Interfaces of one guest. */

/* --- Interfaces ----------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct nic *)a)->name, ((const struct nic *)b)->name);
}

static struct nic *find(const struct nics *nics, const char *name)
{
	struct nic key;

	if (nics->len == 0)
		return NULL;
	snprintf(key.name, sizeof(key.name), "%s", name);
	return bsearch(&key, nics->items, nics->len, sizeof(key), compare);
}

/* The target of a symbolic link; false if it is not one, or too long. */
static bool read_link(int folder, const char *path, char out[PATH_MAX])
{
	ssize_t size = readlinkat(folder, path, out, PATH_MAX - 1);

	if (size < 0)
		return false;
	out[size] = '\0';
	return true;
}

/* The device that the descriptor of a QEMU is of. */
static bool find_device(struct mc_kept_files *proc, int system, const char *path, struct nic *nic)
{
	char target[PATH_MAX], other[PATH_MAX];
	const char *tap, *number = strrchr(path, '/') + 1;

	if (!read_link(proc->folder, path, target))
		return false;
	nic->is_tap = strcmp(target, "/dev/net/tun") == 0;
	if (nic->is_tap) {
		snprintf(other, sizeof(other), "%.*sfdinfo/%s", (int)(strchr(path, '/') + 1 - path),
			 path, number);
		return mc_kept_read_once(proc, other) > 0 &&
		       parse_iff(proc->text, nic->name, sizeof(nic->name));
	}
	tap = target + strlen("/dev/");
	if (strncmp(target, "/dev/tap", strlen("/dev/tap")) != 0 || strchr(tap, '/') != NULL)
		return false;
	snprintf(other, sizeof(other), "sys/class/macvtap/%.32s", tap);
	return read_link(system, other, target) &&
	       parse_net_path(target, nic->name, sizeof(nic->name));
}

/* Names of devices are those of its network namespace: of a container there may be another "tap0".
 */
static bool is_elsewhere(struct mc_kept_files *proc, uint32_t pid)
{
	char path[MC_KEPT_PATH_SIZE], its[PATH_MAX], own[PATH_MAX];

	return read_link(proc->folder, mc_kept_pid_path(path, pid, "ns/net"), its) &&
	       read_link(proc->folder, "self/ns/net", own) && strcmp(its, own) != 0;
}

static void list_guest(struct nics *nics, struct mc_kept_files *proc, int system, uint32_t pid,
		       size_t guest)
{
	char path[MC_KEPT_PATH_SIZE];
	DIR *folder = mc_kept_open_folder(proc, mc_kept_pid_path(path, pid, "fd"));
	size_t first = nics->len;
	const struct dirent *entry;

	if (folder == NULL)
		return;
	while ((entry = readdir(folder)) != NULL && nics->len < NICS_MAX &&
	       nics->len - first < OF_GUEST_MAX) {
		struct nic nic = { .guest = guest, .link = NICS_NO_LINK };

		if (entry->d_name[0] == '.' ||
		    snprintf(path, sizeof(path), "%u/fd/%s", pid, entry->d_name) >=
			    (int)sizeof(path) ||
		    !find_device(proc, system, path, &nic))
			continue;
		traffic_init(&nic.traffic);
		MC_ARRAY_GROW(nics->items, nics->len, nics->room);
		nics->items[nics->len++] = nic;
	}
	closedir(folder);
}

/* A device with several queues has as many descriptors. */
static void remove_doubles(struct nics *nics)
{
	size_t len = 0;

	if (nics->len > 1)
		qsort(nics->items, nics->len, sizeof(*nics->items), compare);
	for (size_t i = 0; i < nics->len; i++)
		if (len == 0 || compare(&nics->items[len - 1], &nics->items[i]) != 0)
			nics->items[len++] = nics->items[i];
	nics->len = len;
}

void nics_list(struct nics *nics, struct guests *guests, struct mc_kept_files *net, int system)
{
	struct nics old = *nics;

	*nics = (struct nics){ 0 };
	for (size_t i = 0; i < guests->len; i++)
		if (!guests->items[i].is_second &&
		    !is_elsewhere(&guests->files, guests->items[i].pid))
			list_guest(nics, &guests->files, system, guests->items[i].pid, i);
	remove_doubles(nics);
	for (size_t i = 0; i < nics->len; i++) {
		struct nic *before = find(&old, nics->items[i].name);

		if (before == NULL)
			continue;
		nics->items[i].traffic = before->traffic;
		traffic_init(&before->traffic);
	}
	nics_forget(&old, net);
}

void nics_read(struct nics *nics, struct mc_kept_files *net)
{
	for (size_t i = 0; i < nics->len; i++) {
		struct traffic *traffic = &nics->items[i].traffic;
		double sent;

		if (nics->items[i].link == NICS_NO_LINK)
			continue;
		traffic_read(traffic, net, nics->items[i].name);
		if (!nics->items[i].is_tap)
			continue;
		sent = traffic->moved[RECEIVED];
		traffic->moved[RECEIVED] = traffic->moved[SENT];
		traffic->moved[SENT] = sent;
	}
}

void nics_forget(struct nics *nics, struct mc_kept_files *net)
{
	for (size_t i = 0; i < nics->len; i++)
		traffic_close(&nics->items[i].traffic, net);
	free(nics->items);
	*nics = (struct nics){ 0 };
}
