/* SPDX-License-Identifier: MIT */
#include "services.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define SERVICES_MAX 4096

struct service *services_find(struct mc_map *services, const char *name)
{
	size_t size = strlen(name);
	struct service *service = (struct service *)mc_map_find(services, name, size);

	if (service != NULL || services->len == SERVICES_MAX)
		return service;
	service = mc_alloc_zero(sizeof(*service) + size + 1);
	memcpy(service->name, name, size);
	service->node.key = service->name;
	service->node.key_size = size;
	mc_map_add(services, &service->node);
	return service;
}

struct service *services_next(const struct mc_map *services, const struct service *service)
{
	return (struct service *)mc_map_next(services, service != NULL ? &service->node : NULL);
}

void services_forget(struct mc_map *services, mc_time oldest)
{
	struct service *service = services_next(services, NULL);

	while (service != NULL) {
		struct service *next = services_next(services, service);

		if (service->last < oldest) {
			mc_map_remove(services, &service->node);
			free(service);
		}
		service = next;
	}
}

void services_free(struct mc_map *services)
{
	struct service *service = services_next(services, NULL);

	while (service != NULL) {
		struct service *next = services_next(services, service);

		free(service);
		service = next;
	}
	mc_map_done(services);
}
