/* SPDX-License-Identifier: MIT */
/* Any bytes as a file of Docker or Podman, and as names of groups and logs. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "container.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_name(const char *name, const char *kind)
{
	assert(memchr(name, '\0', CONTAINER_NAME_SIZE) != NULL);
	assert(strncmp(name, kind, strlen(kind)) == 0 && strlen(name) > strlen(kind));
}

static void take(void *argument, const char *id, const char *name)
{
	(void)argument;
	assert(strlen(id) == 64 && strspn(id, "0123456789abcdef") == 64);
	check_name(name, "podman-");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char id[CONTAINER_ID_SIZE], name[CONTAINER_NAME_SIZE], *text = calloc(1, size + 1);

	if (text == NULL)
		abort();
	memcpy(text, data, size);
	if (container_docker_name((const char *)data, size, name))
		check_name(name, "docker-");
	container_podman_names((const char *)data, size, take, NULL);
	if (container_of_log(text, id, name))
		check_name(name, "k8s-");
	if (container_of_group(text, id) != CONTAINER_NONE)
		assert(strlen(id) == 64 && strstr(text, id) != NULL);
	free(text);
	return 0;
}
