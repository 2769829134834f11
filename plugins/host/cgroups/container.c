/* SPDX-License-Identifier: MIT */
/* Facts: Docker's and runc's manuals on control groups; containers/storage's containers.json;
 * Kubernetes' kubelet, "/var/log/containers". */
#include "container.h"

#include <stdio.h>
#include <string.h>

#include <collector/kit/json.h>

#define ID_LEN ((size_t)64)
#define DEPTH_MAX 32

static bool take_id(const char *text, char id[CONTAINER_ID_SIZE])
{
	if (strspn(text, "0123456789abcdef") < ID_LEN)
		return false;
	memcpy(id, text, ID_LEN);
	id[ID_LEN] = '\0';
	return true;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

enum container_kind container_of_group(const char *path, char id[CONTAINER_ID_SIZE])
{
	static const struct {
		const char *prefix;
		enum container_kind kind;
	} prefixes[] = { { "docker-", CONTAINER_DOCKER },
			 { "libpod-", CONTAINER_PODMAN },
			 { "cri-containerd-", CONTAINER_KUBERNETES },
			 { "crio-", CONTAINER_KUBERNETES },
			 { "", CONTAINER_DOCKER } };
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	size_t size = strlen(name);
	enum container_kind kind = CONTAINER_NONE;

	for (size_t i = 0; kind == CONTAINER_NONE && i < sizeof(prefixes) / sizeof(prefixes[0]);
	     i++) {
		size_t prefix = strlen(prefixes[i].prefix);

		if (begins(name, prefixes[i].prefix) &&
		    (size == prefix + ID_LEN ||
		     (size > prefix + ID_LEN && strcmp(name + prefix + ID_LEN, ".scope") == 0)) &&
		    take_id(name + prefix, id))
			kind = prefixes[i].kind;
	}
	if (kind != CONTAINER_NONE && begins(path, "kubepods"))
		return CONTAINER_KUBERNETES;
	return kind;
}

/* False: it does not fit, or is no name. */
static bool set_name(char name[CONTAINER_NAME_SIZE], const char *kind, const char *text,
		     size_t size)
{
	int len;

	if (size == 0 || size >= CONTAINER_NAME_SIZE || memchr(text, '\0', size) != NULL)
		return false;
	len = snprintf(name, CONTAINER_NAME_SIZE, "%s-%.*s", kind, (int)size, text);
	return len < CONTAINER_NAME_SIZE;
}

/* --- Docker ----------------------------------------------------------------------------- */

struct docker {
	unsigned depth;
	bool is_name, found;
	char *name;
};

static bool docker_begin(void *argument)
{
	((struct docker *)argument)->depth++;
	return true;
}

static bool docker_end(void *argument)
{
	((struct docker *)argument)->depth--;
	return true;
}

static bool docker_key(void *argument, const char *text, size_t size)
{
	struct docker *docker = argument;

	docker->is_name = docker->depth == 1 && size == 4 && memcmp(text, "Name", 4) == 0;
	return true;
}

static bool docker_string(void *argument, const char *text, size_t size)
{
	struct docker *docker = argument;

	if (!docker->is_name || docker->depth != 1)
		return true;
	docker->is_name = false;
	if (size > 0 && text[0] == '/') {
		text++;
		size--;
	}
	docker->found = set_name(docker->name, "docker", text, size);
	return true;
}

bool container_docker_name(const char *text, size_t size, char name[CONTAINER_NAME_SIZE])
{
	static const struct mc_json_calls calls = {
		.string = docker_string,
		.key = docker_key,
		.begin_map = docker_begin,
		.end_map = docker_end,
		.begin_list = docker_begin,
		.end_list = docker_end,
	};
	struct docker docker = { .name = name };

	return mc_json_read(text, size, DEPTH_MAX, &calls, &docker) == 0 && docker.found;
}

/* --- Podman ----------------------------------------------------------------------------- */

struct podman {
	unsigned depth; /* 2 in a container, 3 in a list of it. */
	enum { PODMAN_OTHER, PODMAN_ID, PODMAN_NAMES } key;
	char id[CONTAINER_ID_SIZE], name[CONTAINER_NAME_SIZE];
	container_take *take;
	void *argument;
};

static bool podman_begin(void *argument)
{
	struct podman *podman = argument;

	if (++podman->depth == 2) {
		podman->id[0] = podman->name[0] = '\0';
		podman->key = PODMAN_OTHER;
	}
	return true;
}

static bool podman_end(void *argument)
{
	struct podman *podman = argument;

	if (--podman->depth == 1 && podman->id[0] != '\0' && podman->name[0] != '\0')
		podman->take(podman->argument, podman->id, podman->name);
	return true;
}

static bool podman_key(void *argument, const char *text, size_t size)
{
	struct podman *podman = argument;

	if (podman->depth != 2)
		return true;
	podman->key = PODMAN_OTHER;
	if (size == 2 && memcmp(text, "id", 2) == 0)
		podman->key = PODMAN_ID;
	else if (size == 5 && memcmp(text, "names", 5) == 0)
		podman->key = PODMAN_NAMES;
	return true;
}

static bool podman_string(void *argument, const char *text, size_t size)
{
	struct podman *podman = argument;

	if (podman->key == PODMAN_ID && podman->depth == 2 && size == ID_LEN) {
		char id[CONTAINER_ID_SIZE];

		memcpy(id, text, ID_LEN);
		id[ID_LEN] = '\0';
		if (!take_id(id, podman->id))
			podman->id[0] = '\0';
	} else if (podman->key == PODMAN_NAMES && podman->depth == 3 && podman->name[0] == '\0' &&
		   !set_name(podman->name, "podman", text, size)) {
		podman->name[0] = '\0';
	}
	return true;
}

bool container_podman_names(const char *text, size_t size, container_take *take, void *argument)
{
	static const struct mc_json_calls calls = {
		.string = podman_string,
		.key = podman_key,
		.begin_map = podman_begin,
		.end_map = podman_end,
		.begin_list = podman_begin,
		.end_list = podman_end,
	};
	struct podman podman = { .take = take, .argument = argument };

	return mc_json_read(text, size, DEPTH_MAX, &calls, &podman) == 0;
}

/* --- Kubernetes ------------------------------------------------------------------------- */

bool container_of_log(const char *log, char id[CONTAINER_ID_SIZE], char name[CONTAINER_NAME_SIZE])
{
	size_t size = strlen(log), end_size = strlen(".log");

	if (size < 1 + ID_LEN + end_size || strcmp(log + size - end_size, ".log") != 0)
		return false;
	size -= end_size + ID_LEN + 1;
	return log[size] == '-' && take_id(log + size + 1, id) && set_name(name, "k8s", log, size);
}
