/* SPDX-License-Identifier: MIT */
#include "lines.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <collector/metric.h>
#include <collector/print.h>

#include "foreign_path.h"
#include "formats/otlp/otlp_message.h"
#include "kit/base/decimal.h"

struct path { /* Of a node and a source; a blank is its last byte. */
	uint32_t offset, size;
};

struct paths { /* A slot: of node 0 and its sources, of node 1... */
	const char *text;
	const void *held;  /* The metric that is shown: its 'held'. */
	bool foreign;      /* A node has foreign names. */
	bool milliseconds; /* In which seconds of such a name are kept. */
	struct path items[];
};

void lines_done(struct lines *lines)
{
	mc_buffer_free(&lines->scratch);
}

void lines_forget(void *slot)
{
	struct paths *paths = slot;

	mc_release_metric(&(struct mc_metric){ .held = paths->held });
	free(paths);
}

static bool any_has_foreign_names(const struct node *nodes, size_t nodes_len)
{
	for (size_t i = 0; i < nodes_len; i++)
		if (nodes[i].options->foreign_names)
			return true;
	return false;
}

static struct paths *make_paths(struct lines *lines, const struct mc_series *series,
				const struct node *nodes, size_t nodes_len)
{
	const struct mc_type *type = mc_type(series);
	const struct mc_id id = { mc_host(series), mc_plugin(series), mc_plugin_instance(series),
				  type->name, mc_type_instance(series) };
	size_t len = nodes_len * type->sources_len, head;
	struct mc_buffer *scratch = &lines->scratch;
	struct mc_metric metric = { .name = "" };
	bool foreign = any_has_foreign_names(nodes, nodes_len);
	struct paths *paths;

	head = offsetof(struct paths, items) + len * sizeof(paths->items[0]);
	mc_buffer_clear(scratch);
	mc_buffer_reserve(scratch, head);
	scratch->size = head;
	if (foreign)
		mc_get_metric(series, &metric);
	for (size_t i = 0; i < len; i++) {
		const struct node_options *options = nodes[i / type->sources_len].options;
		const char *source = type->sources[i % type->sources_len].name;
		struct path path = { .offset = (uint32_t)scratch->size };

		if (options->foreign_names && metric.name[0] != '\0' && type->sources_len == 1)
			foreign_path(scratch, &options->path, series, &metric);
		else
			mc_graphite_path(scratch, &options->path, &id,
					 type->sources_len > 1 || options->append_source ? source
											 : NULL);
		mc_buffer_add(scratch, " ", 1);
		path.size = (uint32_t)scratch->size - path.offset;
		memcpy(scratch->at + offsetof(struct paths, items) + i * sizeof(path), &path,
		       sizeof(path));
	}
	paths = mc_alloc_bytes(scratch->at, scratch->size);
	paths->text = (const char *)paths;
	paths->held = metric.held;
	paths->foreign = foreign;
	paths->milliseconds = metric.name[0] != '\0' && strcmp(type->name, OTLP_TYPE_SECONDS) == 0;
	return paths;
}

/* Its metric has changed, as when its sender is heard again after a restart. */
static bool is_outdated(const struct paths *paths, const struct mc_series *series)
{
	return paths->foreign &&
	       !mc_metric_is_current(series, &(struct mc_metric){ .held = paths->held });
}

/* Seconds, rounded to the nearest, as collectd does. */
static void set_time(struct lines *lines, mc_time time)
{
	int64_t second = (time + MC_SECOND / 2) / MC_SECOND;
	char *out = lines->time;

	if (second == lines->second && lines->time_size > 0)
		return;
	lines->second = second;
	*out++ = ' ';
	out += mc_print_i64(out, second);
	*out++ = '\n';
	lines->time_size = (size_t)(out - lines->time);
}

struct value { /* Of a sample, of one of its sources. */
	const struct mc_sample *sample;
	unsigned number;
	bool milliseconds; /* To be sent in seconds. */
};

/* 0: it is not known. */
static size_t print_value(char *out, const struct value *of, bool store_rates)
{
	enum mc_kind kind = mc_type(of->sample->series)->sources[of->number].kind;
	union mc_value value = of->sample->values[of->number];
	double rate;

	if (kind == MC_GAUGE)
		return isnan(value.gauge) ? 0 : mc_decimal_short(out, value.gauge);
	if (store_rates) {
		rate = mc_rate(of->sample, of->number) / (of->milliseconds ? 1000 : 1);
		return isnan(rate) ? 0 : mc_decimal_fixed(out, rate);
	}
	if (of->milliseconds)
		return mc_decimal_short(out, (double)value.derive / 1000);
	return kind == MC_DERIVE ? mc_print_i64(out, value.derive)
				 : mc_print_u64(out, value.counter);
}

static void add_line(const struct lines *lines, struct node *node, const char *path, size_t size,
		     const struct value *of)
{
	struct mc_buffer *to = &node->backlog.lines;
	char *out;
	size_t value;

	node_reserve(node, size + MC_DECIMAL_SIZE + sizeof(lines->time));
	out = to->at + to->size;
	value = print_value(out + size, of, node->options->store_rates);
	if (value == 0)
		return;
	memcpy(out, path, size);
	memcpy(out + size + value, lines->time, lines->time_size);
	to->size += size + value + lines->time_size;
}

void lines_add(struct lines *lines, struct mc_ctx *ctx, const struct mc_sample *sample,
	       struct node *nodes, size_t nodes_len)
{
	void **slot = mc_slot(ctx, sample->series);
	struct paths *paths = *slot;
	const struct path *path;

	if (paths != NULL && is_outdated(paths, sample->series)) {
		lines_forget(paths);
		paths = NULL;
	}
	if (paths == NULL)
		*slot = paths = make_paths(lines, sample->series, nodes, nodes_len);
	path = paths->items;
	set_time(lines, sample->time);
	for (size_t i = 0; i < nodes_len; i++)
		for (unsigned j = 0; j < sample->values_len; j++, path++)
			add_line(lines, &nodes[i], paths->text + path->offset, path->size,
				 &(struct value){ sample, j,
						  paths->milliseconds &&
							  nodes[i].options->foreign_names });
}
