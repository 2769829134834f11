/* SPDX-License-Identifier: MIT */
#include "leaf.h"

#include <collector/kit/alloc.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct leaf {
	struct mc_map_node node; /* By the path of its processes. */
	int fd;                  /* Of cpu.stat; -1. */
	bool ran;
	unsigned used; /* The last read that used it. */
	uint64_t seen; /* Microseconds at the last read; 0: not known. */
	char file[MC_KEPT_PATH_SIZE + sizeof("/cpu.stat")];
	char path[];
};

/* The first line is "usage_usec NUMBER", of all that is below, too. */
static void look(struct leaves *leaves, struct leaf *leaf)
{
	const char *at = leaves->files.text;
	uint64_t usage;

	leaf->ran = true;
	if (mc_kept_read(&leaves->files, leaf->file, &leaf->fd) <= 0 ||
	    !mc_scan_text(&at, "usage_usec ") || !mc_scan_u64(&at, &usage)) {
		leaf->seen = 0;
		return;
	}
	leaf->ran = leaf->seen == 0 || leaf->seen != usage;
	leaf->seen = usage;
}

void leaf_begin(struct leaves *leaves, const char *mount)
{
	struct mc_map_node *node = NULL;

	leaves->reads++;
	leaves->files.folder = open(mount, O_PATH | O_DIRECTORY | O_CLOEXEC);
	/* Version 1 has no such file. */
	leaves->is_there = leaves->files.folder >= 0 &&
			   faccessat(leaves->files.folder, "cgroup.controllers", F_OK, 0) == 0;
	while ((node = mc_map_next(&leaves->map, node)) != NULL)
		look(leaves, (struct leaf *)node);
}

static void forget(struct leaves *leaves, struct leaf *leaf)
{
	mc_map_remove(&leaves->map, &leaf->node);
	mc_kept_close(&leaves->files, &leaf->fd);
	free(leaf);
}

void leaf_end(struct leaves *leaves)
{
	struct mc_map_node *node = mc_map_next(&leaves->map, NULL);

	while (node != NULL) {
		struct leaf *leaf = (struct leaf *)node;

		node = mc_map_next(&leaves->map, node);
		if (leaf->used != leaves->reads)
			forget(leaves, leaf);
	}
	if (leaves->files.folder >= 0)
		close(leaves->files.folder);
	leaves->files.folder = -1;
}

/* The threads of a process may be in several groups, all below the nearest that is not of type
 * "threaded": QEMU's CPUs under libvirt are.  Cuts 'path', which is relative, to that one. */
static bool cut_to_domain(struct leaves *leaves, char path[MC_KEPT_PATH_SIZE])
{
	while (*path != '\0') {
		char file[MC_KEPT_PATH_SIZE + sizeof("/cgroup.type")], *slash;
		const char *text = leaves->files.text;

		snprintf(file, sizeof(file), "%s/cgroup.type", path);
		if (mc_kept_read_once(&leaves->files, file) <= 0)
			return false;
		if (!mc_scan_text(&text, "threaded\n"))
			return true;
		slash = strrchr(path, '/');
		*(slash != NULL ? slash : path) = '\0';
	}
	return false;
}

static struct leaf *add(struct leaves *leaves, struct mc_word path, const char *domain)
{
	struct leaf *leaf = mc_alloc_zero(sizeof(*leaf) + path.size);

	memcpy(leaf->path, path.text, path.size);
	leaf->node.key = leaf->path;
	leaf->node.key_size = path.size;
	leaf->fd = -1;
	leaf->ran = true;
	snprintf(leaf->file, sizeof(leaf->file), "%s/cpu.stat", domain);
	mc_map_add(&leaves->map, &leaf->node);
	return leaf;
}

struct leaf *leaf_find(struct leaves *leaves, struct mc_word path)
{
	struct leaf *leaf = (struct leaf *)mc_map_find(&leaves->map, path.text, path.size);
	char domain[MC_KEPT_PATH_SIZE];

	if (leaf != NULL || !leaves->is_there || path.size < 2 || *path.text != '/' ||
	    path.size > sizeof(domain) - sizeof("/cpu.stat"))
		return leaf;
	memcpy(domain, path.text + 1, path.size - 1);
	domain[path.size - 1] = '\0';
	if (strncmp(domain, "..", 2) == 0 || !cut_to_domain(leaves, domain))
		return NULL;
	return add(leaves, path, domain);
}

bool leaf_ran(const struct leaf *leaf)
{
	return leaf->ran;
}

void leaf_use(struct leaf *leaf, const struct leaves *leaves)
{
	leaf->used = leaves->reads;
}

void leaf_done(struct leaves *leaves)
{
	struct mc_map_node *node;

	while ((node = mc_map_next(&leaves->map, NULL)) != NULL)
		forget(leaves, (struct leaf *)node);
	mc_map_done(&leaves->map);
}
