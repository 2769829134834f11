/* SPDX-License-Identifier: MIT */
#include "formats/graphite/graphite_path.h"

#include <string.h>

/* Characters that no path has, even where the user has written them. */
static bool is_forbidden(char c)
{
	return c == '\0' || strchr(MC_GRAPHITE_FORBIDDEN, c) != NULL;
}

/* ';' begins a tag: collectd leaves it, and Graphite then refuses the line. */
static bool is_odd(char c, bool keeps_dots)
{
	return (c == '.' && !keeps_dots) || c == ';' || c == '\x7f' || (c > '\0' && c < ' ') ||
	       is_forbidden(c);
}

static void add_char(struct mc_buffer *out, char c)
{
	mc_buffer_add(out, &c, 1);
}

static void add_text(struct mc_buffer *out, const char *text)
{
	mc_buffer_add(out, text, strlen(text));
}

/* Text of the user: it may have dots and tags of its own. */
static void add_given(struct mc_buffer *out, const struct mc_graphite_options *options,
		      const char *text)
{
	for (; text != NULL && *text != '\0'; text++)
		add_char(out, is_forbidden(*text) ? options->escape[0] : *text);
}

static void add_part(struct mc_buffer *out, const struct mc_graphite_options *options,
		     const char *text, size_t size)
{
	bool keeps_dots = options->preserve_separator || options->use_tags;

	for (size_t i = 0; i < size; i++)
		add_char(out, is_odd(text[i], keeps_dots) ? options->escape[0] : text[i]);
}

/* "a.b.c" becomes "c.b.a", before anything is replaced. */
static void add_host(struct mc_buffer *out, const struct mc_graphite_options *options,
		     const char *host)
{
	size_t end = strlen(host);

	if (!options->reverse_host) {
		add_part(out, options, host, end);
		return;
	}
	for (size_t start = end;; start--) {
		if (start > 0 && host[start - 1] != '.')
			continue;
		add_part(out, options, host + start, end - start);
		if (start == 0)
			return;
		add_part(out, options, ".", 1);
		end = start - 1;
	}
}

/* --- With tags ------------------------------------------------------------ */

static void add_tag(struct mc_buffer *out, const struct mc_graphite_options *options,
		    const char *name, const char *value)
{
	if (value == NULL || value[0] == '\0')
		return;
	add_char(out, ';');
	add_text(out, name);
	add_char(out, '=');
	add_part(out, options, value, strlen(value));
}

static void add_tagged(struct mc_buffer *out, const struct mc_graphite_options *options,
		       const struct mc_id *id, const char *source)
{
	bool once = options->drop_duplicates && strcmp(id->plugin, id->type) == 0;

	add_given(out, options, options->prefix);
	add_part(out, options, id->plugin, strlen(id->plugin));
	if (!once) {
		add_char(out, '.');
		add_part(out, options, id->type, strlen(id->type));
	}
	if (source != NULL) {
		add_char(out, '.');
		add_text(out, source);
	}
	add_given(out, options, options->postfix);
	add_text(out, ";host=");
	add_host(out, options, id->host);
	add_tag(out, options, "plugin", id->plugin);
	add_tag(out, options, "plugin_instance", id->plugin_instance);
	add_tag(out, options, "type", once ? NULL : id->type);
	add_tag(out, options, "type_instance",
		options->drop_duplicates && strcmp(id->plugin_instance, id->type_instance) == 0
			? NULL
			: id->type_instance);
	add_tag(out, options, "ds_name", source);
}

/* --- Without ------------------------------------------------------------- */

/* "cpu-0", or "cpu.0". */
static void add_pair(struct mc_buffer *out, const struct mc_graphite_options *options,
		     const char *name, const char *instance)
{
	add_part(out, options, name, strlen(name));
	if (instance[0] == '\0')
		return;
	add_char(out, options->separate_instances ? '.' : '-');
	add_part(out, options, instance, strlen(instance));
}

/* A type that has the name of the plugin is left out before its instance. */
static void add_type(struct mc_buffer *out, const struct mc_graphite_options *options,
		     const struct mc_id *id)
{
	if (options->drop_duplicates && strcmp(id->plugin, id->type) == 0 &&
	    id->type_instance[0] != '\0')
		add_part(out, options, id->type_instance, strlen(id->type_instance));
	else
		add_pair(out, options, id->type, id->type_instance);
}

/* Whether the component from 'second' on is the one from 'first' on. */
static bool is_same(const struct mc_buffer *out, size_t first, size_t second)
{
	size_t size = second - 1 - first;

	return out->size - second == size && memcmp(out->at + first, out->at + second, size) == 0;
}

void mc_graphite_path(struct mc_buffer *out, const struct mc_graphite_options *options,
		      const struct mc_id *id, const char *source)
{
	size_t plugin, type;

	if (options->use_tags) {
		add_tagged(out, options, id, source);
		return;
	}
	add_given(out, options, options->prefix);
	add_host(out, options, id->host);
	add_given(out, options, options->postfix);
	add_char(out, '.');
	plugin = out->size;
	add_pair(out, options, id->plugin, id->plugin_instance);
	add_char(out, '.');
	type = out->size;
	add_type(out, options, id);
	if (source == NULL)
		return;
	if (options->drop_duplicates && is_same(out, plugin, type))
		out->size = type - 1;
	add_char(out, '.');
	add_text(out, source);
}
