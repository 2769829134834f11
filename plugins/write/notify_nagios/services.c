/* SPDX-License-Identifier: MIT */
#include "services.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define LOOK_EVERY (5 * MC_SECOND)
#define BLANKS " \t\r\n"

enum { NAME_SIZE = 1024 };

struct service { /* Its key is "HOST;SERVICE". */
	struct mc_map_node node;
	char name[];
};

struct object { /* Of the file, as far as it was read. */
	bool is_service, takes_results;
	char host[NAME_SIZE], service[NAME_SIZE];
};

static size_t make_key(const char *host, const char *service, char key[2 * NAME_SIZE])
{
	int size = snprintf(key, 2 * NAME_SIZE, "%s;%s", host, service);

	return size < 2 * NAME_SIZE ? (size_t)size : 2 * NAME_SIZE - 1;
}

static void add(struct mc_map *all, const struct object *object)
{
	char key[2 * NAME_SIZE];
	size_t size = make_key(object->host, object->service, key);
	struct service *service;

	if (mc_map_find(all, key, size) != NULL)
		return;
	service = mc_alloc_zero(sizeof(*service) + size + 1);
	memcpy(service->name, key, size + 1);
	service->node.key = service->name;
	service->node.key_size = size;
	mc_map_add(all, &service->node);
}

static void take_line(struct mc_map *all, struct object *object, char *line)
{
	char *word = line + strspn(line, BLANKS), *text = word + strcspn(word, BLANKS);
	size_t size;

	if (*text != '\0')
		*text++ = '\0';
	text += strspn(text, BLANKS);
	for (size = strlen(text); size > 0 && strchr(BLANKS, text[size - 1]) != NULL; size--)
		text[size - 1] = '\0';
	if (strcmp(word, "define") == 0) {
		*object = (struct object){ .takes_results = true };
		object->is_service =
			strncmp(text, "service", 7) == 0 && strchr("{ \t", text[7]) != NULL;
	} else if (strcmp(word, "host_name") == 0) {
		snprintf(object->host, sizeof(object->host), "%s", text);
	} else if (strcmp(word, "service_description") == 0) {
		snprintf(object->service, sizeof(object->service), "%s", text);
	} else if (strcmp(word, "passive_checks_enabled") == 0) {
		object->takes_results = strcmp(text, "0") != 0;
	} else if (word[0] == '}' && object->is_service && object->takes_results) {
		add(all, object);
	}
}

static void forget(struct mc_map *all)
{
	struct mc_map_node *node = mc_map_next(all, NULL);

	while (node != NULL) {
		struct mc_map_node *next = mc_map_next(all, node);

		free(node);
		node = next;
	}
	mc_map_done(all);
}

static int read_file(const char *path, struct mc_map *all)
{
	FILE *file = fopen(path, "re");
	struct object object = { .is_service = false };
	char *line = NULL;
	size_t room = 0;
	int rc;

	if (file == NULL)
		return -errno;
	while (getline(&line, &room, file) >= 0)
		take_line(all, &object, line);
	rc = ferror(file) ? -EIO : 0;
	free(line);
	fclose(file);
	return rc;
}

static bool is_same(const struct services *services, const struct stat *there)
{
	return services->known && services->inode == there->st_ino &&
	       services->size == there->st_size &&
	       services->taken.tv_sec == there->st_mtim.tv_sec &&
	       services->taken.tv_nsec == there->st_mtim.tv_nsec;
}

static int look(struct services *services, const char *path)
{
	struct mc_map all = { 0 };
	struct stat there;
	int rc;

	if (stat(path, &there) < 0)
		return -errno;
	if (is_same(services, &there))
		return 0;
	rc = read_file(path, &all);
	if (rc < 0) {
		forget(&all);
		return rc;
	}
	forget(&services->all);
	services->all = all;
	services->known = true;
	services->taken = there.st_mtim;
	services->inode = there.st_ino;
	services->size = there.st_size;
	return 0;
}

int services_renew(struct services *services, const char *path, mc_time now)
{
	if (now >= services->look) {
		services->look = now + LOOK_EVERY;
		services->fault = look(services, path);
	}
	return services->fault;
}

bool services_has(const struct services *services, const char *host, const char *service)
{
	char key[2 * NAME_SIZE];
	size_t size;

	if (!services->known)
		return true;
	size = make_key(host, service, key);
	return mc_map_find(&services->all, key, size) != NULL;
}

void services_done(struct services *services)
{
	forget(&services->all);
	*services = (struct services){ .known = false };
}
