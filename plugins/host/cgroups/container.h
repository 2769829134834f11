/* SPDX-License-Identifier: MIT */
/* Which control groups are those of containers, and what the files of Docker, Podman and Kubernetes
 * say of their names.  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define CONTAINER_ID_SIZE 65    /* 64 digits, and '\0'. */
#define CONTAINER_NAME_SIZE 128 /* Longer ones do not fit into the name of a series. */

enum container_kind { CONTAINER_NONE, CONTAINER_DOCKER, CONTAINER_PODMAN, CONTAINER_KUBERNETES };

/* By the path of a group, such as "system.slice/docker-ID.scope", "docker/ID",
 * "machine.slice/libpod-ID.scope" and "kubepods.slice/.../cri-containerd-ID.scope". */
enum container_kind container_of_group(const char *path, char id[CONTAINER_ID_SIZE]);

/* The name in Docker's config.v2.json; false: without one that would do. */
bool container_docker_name(const char *text, size_t size, char name[CONTAINER_NAME_SIZE]);

/* Each container of Podman's containers.json that has a name.  False: it is no such file. */
typedef void container_take(void *argument, const char *id, const char *name);
bool container_podman_names(const char *text, size_t size, container_take *, void *argument);

/* By the name of a log, POD_NAMESPACE_CONTAINER-ID.log. */
bool container_of_log(const char *log, char id[CONTAINER_ID_SIZE], char name[CONTAINER_NAME_SIZE]);
