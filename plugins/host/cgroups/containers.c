/* SPDX-License-Identifier: MIT */
#include "containers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/kit/list_folder.h>

#define PATH_SIZE 512

/* As Podman's, CRI-O keeps its containers there; the name of the folder is that of a driver. */
static const char *const podman[] = { "/var/lib/containers/storage/overlay-containers",
				      "/var/lib/containers/storage/vfs-containers",
				      "/var/lib/containers/storage/btrfs-containers",
				      "/var/lib/containers/storage/zfs-containers" };
static const char logs[] = "/var/log/containers";
static const char docker[] = "/var/lib/docker/containers";

struct known {
	struct mc_map_node node;
	char id[CONTAINER_ID_SIZE];
	char name[CONTAINER_NAME_SIZE];
};

/* --- Files ------------------------------------------------------------------------------ */

/* The whole file, with '\0' after it, for free(), or NULL and errno. */
static char *read_whole(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW), failed;
	struct stat status;
	char *text = NULL;
	ssize_t got = -1;

	if (fd < 0)
		return NULL;
	errno = EFBIG;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    status.st_size <= CONTAINERS_FILE_MAX) {
		text = mc_alloc_zero((size_t)status.st_size + 1);
		got = read(fd, text, (size_t)status.st_size);
	}
	failed = errno;
	close(fd);
	if (got < 0) {
		free(text);
		errno = failed;
		return NULL;
	}
	text[got] = '\0';
	*size = (size_t)got;
	return text;
}

static void complain(struct containers *containers, struct mc_ctx *ctx, const char *path)
{
	containers->has_failed = true;
	mc_complain(ctx, &containers->trouble, errno,
		    "containers have the names of their groups: cannot read '%s'", path);
}

/* --- What is kept ------------------------------------------------------------------------ */

static void forget(struct containers *containers)
{
	struct mc_map_node *node;

	while ((node = mc_map_next(&containers->names, NULL)) != NULL) {
		mc_map_remove(&containers->names, node);
		free(node);
	}
}

static void add(void *argument, const char *id, const char *name)
{
	struct containers *containers = argument;
	struct known *known;

	if (containers->names.len >= CONTAINERS_MAX ||
	    mc_map_find(&containers->names, id, strlen(id)) != NULL)
		return;
	known = mc_alloc_zero(sizeof(*known));
	snprintf(known->id, sizeof(known->id), "%s", id);
	snprintf(known->name, sizeof(known->name), "%s", name);
	known->node.key = known->id;
	known->node.key_size = strlen(known->id);
	mc_map_add(&containers->names, &known->node);
}

static void load_podman(struct containers *containers, struct mc_ctx *ctx, const char *folder)
{
	char path[PATH_SIZE], full[4096], *text;
	size_t size;

	snprintf(path, sizeof(path), "%s/containers.json", folder);
	text = read_whole(mc_path(ctx, path, full, sizeof(full)), &size);
	if (text == NULL) {
		if (errno != ENOENT && errno != ENOTDIR)
			complain(containers, ctx, path);
		return;
	}
	if (!container_podman_names(text, size, add, containers)) {
		errno = EINVAL;
		complain(containers, ctx, path);
	}
	free(text);
}

static void load_logs(struct containers *containers, struct mc_ctx *ctx)
{
	char full[4096], id[CONTAINER_ID_SIZE], name[CONTAINER_NAME_SIZE];
	struct mc_names names = { 0 };
	int rc = mc_list_path(&names, mc_path(ctx, logs, full, sizeof(full)), "");

	if (rc < 0 && rc != -ENOENT && rc != -ENOTDIR) {
		errno = -rc;
		complain(containers, ctx, logs);
	}
	for (size_t i = 0; i < names.len; i++)
		if (container_of_log(names.items[i], id, name))
			add(containers, id, name);
	mc_names_done(&names);
}

static void add_to_sum(struct mc_ctx *ctx, const char *path, uint64_t *sum)
{
	struct stat status = { 0 };
	char full[4096];

	if (stat(mc_path(ctx, path, full, sizeof(full)), &status) != 0)
		status = (struct stat){ 0 };
	*sum = mc_hash_bytes(*sum, (const char *)&status.st_ino, sizeof(status.st_ino));
	*sum = mc_hash_bytes(*sum, (const char *)&status.st_mtim, sizeof(status.st_mtim));
	*sum = mc_hash_bytes(*sum, (const char *)&status.st_size, sizeof(status.st_size));
}

void containers_load(struct containers *containers, struct mc_ctx *ctx)
{
	uint64_t sum = mc_hash_start();

	for (size_t i = 0; i < sizeof(podman) / sizeof(podman[0]); i++) {
		char path[PATH_SIZE];

		snprintf(path, sizeof(path), "%s/containers.json", podman[i]);
		add_to_sum(ctx, path, &sum);
	}
	add_to_sum(ctx, logs, &sum);
	if (sum == containers->files && containers->is_loaded)
		return;
	containers->files = sum;
	containers->is_loaded = true;
	forget(containers);
	for (size_t i = 0; i < sizeof(podman) / sizeof(podman[0]); i++)
		load_podman(containers, ctx, podman[i]);
	load_logs(containers, ctx);
}

void containers_begin(struct containers *containers, struct mc_ctx *ctx)
{
	containers->has_failed = containers->is_loaded = false;
	containers_load(containers, ctx);
}

void containers_end(struct containers *containers, struct mc_ctx *ctx)
{
	if (!containers->has_failed)
		mc_works(ctx, &containers->trouble, "the names of containers can be read again");
}

/* --- Of one container --------------------------------------------------------------------- */

static bool find_docker(struct containers *containers, struct mc_ctx *ctx, const char *id,
			char name[CONTAINER_NAME_SIZE])
{
	char path[PATH_SIZE], full[4096], *text;
	bool found;
	size_t size;

	snprintf(path, sizeof(path), "%s/%s/config.v2.json", docker, id);
	text = read_whole(mc_path(ctx, path, full, sizeof(full)), &size);
	if (text == NULL) {
		if (errno != ENOENT)
			complain(containers, ctx, docker);
		return false;
	}
	found = container_docker_name(text, size, name);
	free(text);
	return found;
}

bool containers_find(struct containers *containers, struct mc_ctx *ctx, enum container_kind kind,
		     const char *id, char name[CONTAINER_NAME_SIZE])
{
	const struct known *known;

	if (kind == CONTAINER_DOCKER)
		return find_docker(containers, ctx, id, name);
	known = (const struct known *)mc_map_find(&containers->names, id, strlen(id));
	if (known == NULL)
		return false;
	memcpy(name, known->name, CONTAINER_NAME_SIZE);
	return true;
}

void containers_done(struct containers *containers)
{
	forget(containers);
	mc_map_done(&containers->names);
}
