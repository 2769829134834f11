/* SPDX-License-Identifier: MIT */
/* A series: one measured thing.  The form of the name and what becomes of '/'
 * are collectd's (collectd.conf(5), collectd-unixsock(5)). */
#include "model/series.h"

#include <collector/serve.h>
#include <collector/writer.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

struct writing { /* A name being put together. */
	char *at;
	bool cut; /* A part was too long. */
};

static void put(struct writing *w, char c)
{
	*w->at++ = c;
}

/* Appends a part and returns its size.  As in collectd a leading slash is
 * dropped, other slashes become '_', and "/" alone becomes "root". */
static size_t put_part(struct writing *w, const char *part)
{
	char *begin = w->at;

	if (part == NULL)
		return 0;
	if (strcmp(part, "/") == 0)
		part = "root";
	else if (*part == '/')
		part++;

	size_t size = strnlen(part, SERIES_PART_MAX + 1);

	if (size > SERIES_PART_MAX) {
		w->cut = true;
		return 0;
	}
	memcpy(begin, part, size);
	w->at += size;
	for (char *c = memchr(begin, '/', size); c != NULL; c = memchr(c, '/', w->at - c))
		*c = '_';
	return size;
}

static size_t put_instance(struct writing *w, const char *instance)
{
	if (instance == NULL || *instance == '\0')
		return 0;
	put(w, '-');
	return put_part(w, instance);
}

static const char *component_fault(const char *component, size_t size)
{
	if (*component == '.')
		return "has a part that starts with a dot";
	if (size > SERIES_COMPONENT_MAX)
		return "is too long for the name of a file";
	return NULL;
}

bool series_join(const struct mc_id *id, char out[SERIES_NAME_SIZE], struct mc_name_parts *parts)
{
	struct writing w = { .at = out };

	parts->name = out;
	parts->host_size = put_part(&w, id->host);
	put(&w, '/');
	parts->plugin_size = put_part(&w, id->plugin);
	parts->plugin_instance_size = put_instance(&w, id->plugin_instance);
	put(&w, '/');
	parts->type_size = put_part(&w, id->type);
	parts->type_instance_size = put_instance(&w, id->type_instance);
	*w.at = '\0';
	return !w.cut;
}

const char *series_fault(const struct mc_name_parts *parts)
{
	size_t size = series_name_size(parts);
	const char *plugin = parts->name + parts->host_size + 1;
	const char *type = parts->name + size - parts->type_size - (parts->type_instance_size > 0) -
			   parts->type_instance_size;
	const char *fault;

	if (parts->host_size == 0 || parts->plugin_size == 0 || parts->type_size == 0)
		return "lacks a host, a plugin or a type";
	if (!text_printable(parts->name, size))
		return "has control characters or is not UTF-8";
	fault = component_fault(parts->name, plugin - 1 - parts->name);
	if (fault == NULL)
		fault = component_fault(plugin, type - 1 - plugin);
	if (fault == NULL)
		fault = component_fault(type, parts->name + size - type);
	return fault;
}

size_t series_name_size(const struct mc_name_parts *parts)
{
	return parts->host_size + 1 + parts->plugin_size + (parts->plugin_instance_size > 0) +
	       parts->plugin_instance_size + 1 + parts->type_size +
	       (parts->type_instance_size > 0) + parts->type_instance_size;
}

/* Copies a part with its '\0' and returns the byte after it. */
static char *copy_part(char *to, const char *from, size_t size)
{
	memcpy(to, from, size);
	to[size] = '\0';
	return to + size + 1;
}

_Static_assert(offsetof(struct mc_series, type) == 0, "for mc_type()");
_Static_assert(offsetof(struct mc_series, state) == 2 * sizeof(void *), "for mc_state()");

/* Pointers before a series: its slots, and what aligns it after them where a pointer is short. */
static size_t slots_before(unsigned slots_len)
{
	const size_t each = (_Alignof(struct mc_series) + sizeof(void *) - 1) / sizeof(void *);

	return (slots_len + each - 1) / each * each;
}

/* The text: the name; then the host, the plugin and its instance, each ended
 * by '\0'.  The type is the type's name, its instance the end of the name. */
struct mc_series *series_new(const struct mc_type *type, const struct mc_name_parts *parts,
			     unsigned slots_len)
{
	size_t size = series_name_size(parts);
	size_t text_size = size + 1 + parts->host_size + 1 + parts->plugin_size + 1 +
			   parts->plugin_instance_size + 1;
	size_t fixed = sizeof(struct mc_series) + 2 * type->sources_len * sizeof(union mc_value);
	size_t before = slots_before(slots_len);
	void **slots = alloc_zero(before * sizeof(*slots) + fixed + text_size);
	struct mc_series *series = (struct mc_series *)(slots + before);
	char *text = (char *)series + fixed;
	const char *plugin = parts->name + parts->host_size + 1;

	series->type = type;
	series->name = text;
	series->name_size = size;
	series->fresh = true;
	series->host_size = parts->host_size;
	series->plugin_size = parts->plugin_size;
	series->type_instance_size = parts->type_instance_size;
	text = copy_part(text, parts->name, size);
	text = copy_part(text, parts->name, parts->host_size);
	text = copy_part(text, plugin, parts->plugin_size);
	copy_part(text, plugin + parts->plugin_size + 1, parts->plugin_instance_size);
	return series;
}

void series_free(struct mc_series *series, unsigned slots_len)
{
	free((void **)series - slots_before(slots_len));
}

const char *mc_name(const struct mc_series *series)
{
	return series->name;
}

const char *mc_host(const struct mc_series *series)
{
	return series->name + series->name_size + 1;
}

const char *mc_plugin(const struct mc_series *series)
{
	return mc_host(series) + series->host_size + 1;
}

const char *mc_plugin_instance(const struct mc_series *series)
{
	return mc_plugin(series) + series->plugin_size + 1;
}

const char *mc_type_instance(const struct mc_series *series)
{
	return series->name + series->name_size - series->type_instance_size;
}
