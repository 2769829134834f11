/* SPDX-License-Identifier: MIT */
#include "service.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define FAILURE_KEPT (86400 * MC_SECOND)
#define UNKNOWN_KEPT (600 * MC_SECOND)
#define SWEEP_MAX 50000 /* Services that are looked at in one sweep. */

static void free_label(struct service_label *label)
{
	free(label->name);
	free(label->fields);
}

static void free_service(struct service *service)
{
	for (size_t i = 0; i < service->labels_len; i++)
		free_label(&service->labels[i]);
	free(service->labels);
	free(service->host);
	free(service);
}

/* Before a service changes its place. */
static void leave(struct services *services, const struct service *service)
{
	if (services->swept == &service->node)
		services->swept = service->node.newer;
}

static void forget(struct services *services, struct service *service)
{
	leave(services, service);
	mc_lru_remove(&services->all, &service->node);
	free_service(service);
}

static void forget_oldest(struct services *services)
{
	forget(services, (struct service *)services->all.oldest);
}

struct service *service_find(struct services *services, const char *host, const char *name,
			     bool *is_new)
{
	size_t host_size = strlen(host), name_size = strlen(name);
	size_t size = host_size + 1 + name_size;
	struct service *service;
	char quick[512], *key = quick;

	if (size >= sizeof(quick))
		key = mc_alloc(size + 1);
	memcpy(key, host, host_size + 1);
	memcpy(key + host_size + 1, name, name_size + 1);
	service = (struct service *)mc_lru_find(&services->all, key, size);
	*is_new = service == NULL;
	if (service != NULL) {
		leave(services, service);
		mc_lru_use(&services->all, &service->node);
	} else {
		if (services->all.map.len >= services->len_max)
			forget_oldest(services);
		service = mc_alloc_zero(sizeof(*service));
		service->host = mc_alloc_bytes(key, size + 1);
		service->name = service->host + host_size + 1;
		mc_lru_add(&services->all, &service->node, service->host, size);
	}
	if (key != quick)
		free(key);
	service->used = mc_now();
	return service;
}

static bool is_gone(const struct service *service, mc_time now, double timeout, mc_time interval)
{
	mc_time idle = now - service->used;
	bool fails = service->state[0] != '\0' && strcmp(service->state, "OK") != 0 &&
		     strcmp(service->state, "UP") != 0;

	if (fails && idle < FAILURE_KEPT)
		return false;
	if (interval == 0)
		interval = service->interval.length;
	return interval == 0 ? idle > UNKNOWN_KEPT : (double)idle > timeout * (double)interval;
}

void service_sweep(struct services *services, double timeout, mc_time interval)
{
	struct mc_lru_node *node = services->swept, *next;
	mc_time now = mc_now();

	if (node == NULL)
		node = services->all.oldest;
	for (unsigned i = 0; i < SWEEP_MAX && node != NULL; i++, node = next) {
		next = node->newer;
		if (is_gone((const struct service *)node, now, timeout, interval))
			forget(services, (struct service *)node);
	}
	services->swept = node;
}

void service_done_all(struct services *services)
{
	while (services->all.oldest != NULL)
		forget_oldest(services);
	mc_lru_done(&services->all);
}

/* --- Labels --------------------------------------------------------------- */

static bool is_label(const struct service_label *label, const char *text, size_t size,
		     const char *type)
{
	return label->label_size == size &&
	       (type == NULL || label->type == type || strcmp(label->type, type) == 0) &&
	       memcmp(label->label, text, size) == 0;
}

struct service_label *service_label(struct service *service, const char *label, size_t label_size,
				    const char *type)
{
	size_t len = service->labels_len;

	for (size_t i = 0; i < len; i++) {
		size_t at = (service->next + i) % len;

		if (!is_label(&service->labels[at], label, label_size, type))
			continue;
		service->next = at + 1;
		return &service->labels[at];
	}
	return NULL;
}

/* Appends a part of a name, in which there is no '/'. */
static char *add_part(char *at, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = text[i] == '/' ? '_' : text[i];
	return at + size;
}

static void name_label(struct service_label *label, const struct service *service,
		       const char *plugin, const struct mc_perfdata_item *item)
{
	struct mc_name_parts *parts = &label->parts;
	char *at;

	*parts = (struct mc_name_parts){
		.host_size = strlen(service->host),
		.plugin_size = strlen(plugin),
		.plugin_instance_size = strlen(service->name),
		.type_size = strlen(label->type),
		.type_instance_size = item->label_size,
	};
	at = mc_alloc(parts->host_size + parts->plugin_size + parts->plugin_instance_size +
		      parts->type_size + 2 * item->label_size + 5);
	label->name = at;
	at = add_part(at, service->host, parts->host_size);
	*at++ = '/';
	at = add_part(at, plugin, parts->plugin_size);
	*at++ = '-';
	at = add_part(at, service->name, parts->plugin_instance_size);
	*at++ = '/';
	at = add_part(at, label->type, parts->type_size);
	*at++ = '-';
	at = add_part(at, item->label, item->label_size);
	*at++ = '\0';
	memcpy(at, item->label, item->label_size);
	label->label = at;
	label->label_size = item->label_size;
	parts->name = label->name;
}

/* Whether another label of the service has the same name: '/' and '_' are one in it. */
static bool clashes(const struct service *service, const struct service_label *label)
{
	for (size_t i = 0; i < service->labels_len; i++)
		if (strcmp(service->labels[i].name, label->name) == 0)
			return true;
	return false;
}

/* The place of the label that came last longest ago, if it was not in the last events. */
static struct service_label *reuse(struct service *service)
{
	struct service_label *oldest = &service->labels[0];

	for (size_t i = 1; i < service->labels_len; i++)
		if (service->labels[i].last < oldest->last)
			oldest = &service->labels[i];
	if (oldest->last >= service->interval.last)
		return NULL;
	free_label(oldest);
	*oldest = service->labels[--service->labels_len];
	return &service->labels[service->labels_len];
}

struct service_label *service_add_label(struct service *service, const char *plugin,
					const struct mc_perfdata_item *item, const char *type)
{
	struct service_label *label;

	if (service->labels_len >= SERVICE_LABELS_MAX && reuse(service) == NULL)
		return NULL;
	MC_ARRAY_GROW(service->labels, service->labels_len, service->labels_room);
	label = &service->labels[service->labels_len];
	*label = (struct service_label){ .type = type };
	name_label(label, service, plugin, item);
	label->clash = clashes(service, label);
	service->next = ++service->labels_len;
	return label;
}
