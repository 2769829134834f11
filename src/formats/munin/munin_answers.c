/* SPDX-License-Identifier: MIT */
#include "formats/munin/munin_answers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>

#include "formats/munin/munin_metadata.h"

enum { KEY_SIZE_MAX = 512 };
static const mc_time interval_max = 31 * 86400 * MC_SECOND;

/* --- Fields -------------------------------------------------------------- */

/* The key of a field of the present service; 0: it is too long. */
static size_t make_key(const struct mc_munin_answers *answers, const char *name,
		       char out[KEY_SIZE_MAX])
{
	size_t service = strlen(answers->service) + 1;
	size_t size = service + strlen(name) + 1;

	if (size > KEY_SIZE_MAX)
		return 0;
	memcpy(out, answers->service, service);
	memcpy(out + service, name, size - service);
	return size;
}

static size_t fields_max(const struct mc_munin_answers *answers)
{
	return answers->fields_max != 0 ? answers->fields_max : MC_MUNIN_FIELDS_MAX;
}

static void set_defaults(struct mc_munin_field *field)
{
	field->kind = MC_GAUGE;
	field->min = field->max = NAN;
}

/* Settings of an earlier "config" do not hold any more. */
static void begin_attributes(const struct mc_munin_answers *answers, struct mc_munin_field *field)
{
	if (field->config != answers->configs)
		set_defaults(field);
	field->config = answers->configs;
}

/* NULL: there are too many, or its name is too long. */
static struct mc_munin_field *make_field(struct mc_munin_answers *answers, const char *name)
{
	char key[KEY_SIZE_MAX];
	size_t size = make_key(answers, name, key);
	struct mc_munin_field *field;

	if (size == 0)
		return NULL;
	field = (struct mc_munin_field *)mc_map_find(&answers->fields, key, size);
	if (field != NULL)
		field->seen = true;
	if (field != NULL || answers->fields.len >= fields_max(answers))
		return field;
	field = mc_alloc_zero(sizeof(*field) + size);
	memcpy(field->service, key, size);
	field->name = field->service + strlen(field->service) + 1;
	field->seen = true;
	set_defaults(field);
	field->node.key = field->service;
	field->node.key_size = size;
	mc_map_add(&answers->fields, &field->node);
	return field;
}

static bool take_bound(const char *text, double *bound)
{
	*bound = NAN;
	return strcmp(text, "U") == 0 || mc_number_double(text, bound);
}

static void describe(struct mc_munin_answers *answers, struct mc_munin_field *field,
		     const struct mc_munin *line)
{
	if (field->lines == NULL) {
		field->described = answers->described;
		answers->described = field;
	}
	munin_lines_set(&field->lines, line->key, line->text);
}

/* In the order in which they were described. */
static struct mc_munin_field *take_described(struct mc_munin_answers *answers)
{
	struct mc_munin_field *field = answers->described, *first = NULL;

	while (field != NULL) {
		struct mc_munin_field *before = field->described;

		field->described = first;
		first = field;
		field = before;
	}
	answers->described = NULL;
	return first;
}

static bool has_word(const char *text, size_t size, const char *word)
{
	size_t word_size = strlen(word);
	const char *end = text + size;

	while (text < end) {
		const char *blank = memchr(text, ' ', (size_t)(end - text));
		size_t len = (size_t)((blank != NULL ? blank : end) - text);

		if (len >= word_size && memcmp(text, word, word_size) == 0 &&
		    (len == word_size || text[word_size] == '='))
			return true;
		text += len + 1;
	}
	return false;
}

/* As the master does it, graph_order gets the fields that it does not name, in
 * their order: series have none.  As many as an attribute has room for. */
static void complete_order(struct mc_munin_answers *answers, const struct mc_munin_field *field)
{
	static const char key[] = "graph_order";
	const char *given = munin_lines_find(answers->graph, key);
	char order[MC_METADATA_TEXT_SIZE] = "";
	size_t size = 0;

	if (given != NULL && (size = strlen(given)) >= sizeof(order))
		return;
	memcpy(order, given != NULL ? given : "", size);
	for (; field != NULL; field = field->described) {
		size_t name_size = strlen(field->name);

		if (size + 1 + name_size >= sizeof(order))
			break;
		if (munin_lines_find(field->lines, "label") == NULL ||
		    has_word(order, size, field->name))
			continue;
		if (size > 0)
			order[size++] = ' ';
		memcpy(order + size, field->name, name_size + 1);
		size += name_size;
	}
	munin_lines_set(&answers->graph, key, order);
}

static void drop_metadata(struct mc_munin_answers *answers, struct mc_munin_field *field)
{
	free(field->metadata);
	answers->metadata_size -= field->metadata_size;
	field->metadata = NULL;
	field->metadata_size = 0;
}

static bool take_attribute(struct mc_munin_answers *answers, const struct mc_munin *line)
{
	struct mc_munin_field *field = make_field(answers, line->field);

	if (field == NULL)
		return false;
	begin_attributes(answers, field);
	if (strcmp(line->key, "type") == 0)
		return mc_munin_type(line->text, &field->kind);
	if (strcmp(line->key, "min") == 0 && !take_bound(line->text, &field->min))
		return false;
	if (strcmp(line->key, "max") == 0 && !take_bound(line->text, &field->max))
		return false;
	if (answers->with_metadata)
		describe(answers, field, line);
	return true;
}

/* "60", "5m", "60 aligned": seconds, unless it says another unit. */
static void take_rate(struct mc_munin_answers *answers, const char *text)
{
	static const char units[] = "smhdw";
	static const unsigned seconds[] = { 1, 60, 3600, 86400, 604800 };
	uint64_t number;
	const char *unit;
	mc_time one;

	if (!mc_number_take(&text, 10, &number) || number == 0)
		return;
	unit = *text != '\0' ? strchr(units, *text) : NULL;
	one = (unit != NULL ? seconds[unit - units] : 1) * MC_SECOND;
	if (number > (uint64_t)(interval_max / one))
		return;
	answers->interval = (mc_time)number * one;
	answers->aligned = strstr(text, "aligned") != NULL;
}

static void override_field(struct mc_munin_answers *answers, const char *name,
			   const struct mc_munin_override *override)
{
	char key[KEY_SIZE_MAX];
	size_t size = make_key(answers, name, key);
	const struct mc_munin_field *field =
		size > 0 ? (struct mc_munin_field *)mc_map_find(&answers->fields, key, size) : NULL;

	if (field != NULL && field->lines != NULL)
		take_attribute(answers, &(struct mc_munin){ .kind = MC_MUNIN_FIELD,
							    .field = name,
							    .key = override->key,
							    .text = override->text });
}

static bool is_limit(const char *key)
{
	return strcmp(key, "warning") == 0 || strcmp(key, "critical") == 0 ||
	       strcmp(key, "unknown_limit") == 0;
}

static void override_graph(struct mc_munin_answers *answers,
			   const struct mc_munin_override *override)
{
	if (is_limit(override->key)) {
		for (struct mc_munin_field *field = answers->described; field != NULL;
		     field = field->described)
			if (munin_lines_find(field->lines, override->key) == NULL)
				munin_lines_set(&field->lines, override->key, override->text);
		return;
	}
	if (strcmp(override->key, "update_rate") == 0)
		take_rate(answers, override->text);
	munin_lines_set(&answers->graph, override->key, override->text);
}

/* Those of fields come first: their limits go before those of the graph. */
static void apply_overrides(struct mc_munin_answers *answers)
{
	for (int of_graph = 0; of_graph < 2 && answers->described != NULL; of_graph++)
		for (size_t i = 0; i < answers->overrides_len; i++) {
			const struct mc_munin_override *override = &answers->overrides[i];

			if ((override->field == NULL) != of_graph ||
			    strcmp(override->service, answers->service) != 0)
				continue;
			if (of_graph)
				override_graph(answers, override);
			else
				override_field(answers, override->field, override);
		}
}

/* Settings of fields of the present graph become their metadata. */
static void make_metadata(struct mc_munin_answers *answers)
{
	struct mc_munin_field *field;

	apply_overrides(answers);
	field = take_described(answers);
	if (field != NULL)
		complete_order(answers, field);
	for (; field != NULL; field = field->described) {
		bool fits = answers->metadata_size < MC_MUNIN_METADATA_SIZE;

		drop_metadata(answers, field);
		field->metadata = munin_metadata_new(fits ? answers->graph : NULL, field->lines,
						     &field->metadata_size);
		answers->metadata_size += field->metadata_size;
		munin_lines_free(&field->lines);
	}
}

/* An answer that was cut says nothing. */
static void drop_lines(struct mc_munin_answers *answers)
{
	struct mc_munin_field *field = answers->described;

	for (; field != NULL; field = field->described)
		munin_lines_free(&field->lines);
	answers->described = NULL;
	munin_lines_free(&answers->graph);
}

/* --- Graphs -------------------------------------------------------------- */

/* The first of several lines with one key counts, as for Munin's master. */
static void take_graph(struct mc_munin_answers *answers, const struct mc_munin *line)
{
	if (strcmp(line->key, "update_rate") == 0)
		take_rate(answers, line->text);
	if (answers->with_metadata && answers->is_config &&
	    (mc_attribute_is_of_graph(line->key) || strcmp(line->key, "graph") == 0) &&
	    munin_lines_find(answers->graph, line->key) == NULL)
		munin_lines_set(&answers->graph, line->key, line->text);
}

static void set_service(struct mc_munin_answers *answers, const char *name)
{
	make_metadata(answers);
	munin_lines_free(&answers->graph);
	free(answers->service);
	answers->service = mc_alloc_copy(name);
}

/* --- Values -------------------------------------------------------------- */

static bool take_value(struct mc_munin_answers *answers, const struct mc_munin *line)
{
	struct mc_munin_value *value;
	struct mc_munin_field *field;

	if (answers->values_len == MC_MUNIN_FIELDS_MAX)
		return false;
	field = make_field(answers, line->field);
	if (field == NULL)
		return false;
	answers->wants_config |= !field->configured && !answers->is_config;
	MC_ARRAY_GROW(answers->values, answers->values_len, answers->values_room);
	value = &answers->values[answers->values_len++];
	*value = (struct mc_munin_value){
		.field = field,
		.number = line->value,
		.time = line->time,
	};
	memcpy(value->digits, line->digits, sizeof(value->digits));
	return true;
}

const char *mc_munin_type_name(enum mc_kind kind)
{
	static const char *const types[] = { [MC_COUNTER] = "counter",
					     [MC_GAUGE] = "gauge",
					     [MC_DERIVE] = "derive",
					     [MC_ABSOLUTE] = "absolute" };

	return types[kind];
}

static bool fill_signed(const struct mc_munin_value *value, int64_t *out)
{
	if (mc_number_signed(value->digits, INT64_MIN, INT64_MAX, out))
		return true;
	if (!(fabs(value->number) < 0x1p63))
		return false;
	*out = (int64_t)value->number;
	return true;
}

static bool fill_unsigned(const struct mc_munin_value *value, uint64_t *out)
{
	if (mc_number_unsigned(value->digits, 10, UINT64_MAX, out))
		return true;
	if (!(value->number >= 0 && value->number < 0x1p64))
		return false;
	*out = (uint64_t)value->number;
	return true;
}

bool mc_munin_value_fill(const struct mc_munin_value *value, union mc_value *out)
{
	const struct mc_munin_field *field = value->field;

	switch (field->kind) {
	case MC_GAUGE:
		out->gauge = value->number < field->min || value->number > field->max
				     ? NAN
				     : value->number;
		return true;
	case MC_DERIVE:
		return fill_signed(value, &out->derive);
	case MC_COUNTER:
	case MC_ABSOLUTE:
		return fill_unsigned(value, &out->counter);
	}
	return false;
}

/* --- Answers ------------------------------------------------------------- */

void mc_munin_answers_begin(struct mc_munin_answers *answers, const char *plugin, bool is_config)
{
	drop_lines(answers);
	answers->values_len = 0;
	answers->is_config = is_config;
	if (is_config) { /* It may say it no more. */
		answers->interval = 0;
		answers->aligned = false;
	}
	answers->plugin = plugin;
	set_service(answers, plugin);
	mc_munin_clean(answers->service, false);
}

bool mc_munin_answers_line(struct mc_munin_answers *answers, char *line)
{
	struct mc_munin parsed;

	mc_munin_parse(&parsed, line);
	switch (parsed.kind) {
	case MC_MUNIN_NOTHING:
		return true;
	case MC_MUNIN_MULTIGRAPH:
		set_service(answers, parsed.service);
		return true;
	case MC_MUNIN_GRAPH:
		take_graph(answers, &parsed);
		return true;
	case MC_MUNIN_FIELD: /* Attributes after values only add to them. */
		return !answers->is_config || take_attribute(answers, &parsed);
	case MC_MUNIN_VALUE:
		return take_value(answers, &parsed);
	case MC_MUNIN_BAD:
		break;
	}
	return false;
}

static void free_field(struct mc_munin_answers *answers, struct mc_munin_field *field)
{
	munin_lines_free(&field->lines);
	drop_metadata(answers, field);
	free(field);
}

void mc_munin_answers_end(struct mc_munin_answers *answers)
{
	struct mc_map_node *node = mc_map_next(&answers->fields, NULL);

	if (!answers->is_config)
		return;
	make_metadata(answers);
	answers->wants_config = false;
	while (node != NULL) {
		struct mc_munin_field *field = (struct mc_munin_field *)node;

		node = mc_map_next(&answers->fields, node);
		field->configured = true;
		begin_attributes(answers, field);
		if (!field->seen) {
			mc_map_remove(&answers->fields, &field->node);
			free_field(answers, field);
		} else {
			field->seen = false;
		}
	}
	answers->configs++;
}

void mc_munin_answers_tell(struct mc_munin_answers *answers)
{
	make_metadata(answers);
	for (size_t i = 0; i < answers->values_len; i++)
		answers->values[i].field->configured = true;
}

void mc_munin_answers_take(struct mc_munin_answers *answers, struct mc_munin_field *field,
			   mc_time now, mc_time interval)
{
	bool was_away = field->taken != 0 && now - field->taken > interval * 3 / 2;

	drop_metadata(answers, field);
	answers->wants_config |= was_away && !answers->is_config;
	field->taken = now;
}

void mc_munin_answers_forget(struct mc_munin_answers *answers)
{
	drop_lines(answers);
	free(answers->values);
	free(answers->service);
	answers->values = NULL;
	answers->service = NULL;
	answers->values_len = answers->values_room = 0;
}

void mc_munin_answers_done(struct mc_munin_answers *answers)
{
	struct mc_map_node *node = mc_map_next(&answers->fields, NULL);

	while (node != NULL) {
		struct mc_map_node *next = mc_map_next(&answers->fields, node);

		free_field(answers, (struct mc_munin_field *)node);
		node = next;
	}
	mc_map_done(&answers->fields);
	munin_lines_free(&answers->graph);
	free(answers->values);
	free(answers->service);
	*answers = (struct mc_munin_answers){ 0 };
}

size_t mc_munin_labels(const struct mc_munin_answers *answers, const struct mc_munin_field *field,
		       struct mc_metric_label out[MC_MUNIN_LABELS_MAX])
{
	size_t len = 0;

	if (answers->plugin[0] != '\0')
		out[len++] = (struct mc_metric_label){ .name = "plugin", .value = answers->plugin };
	out[len++] = (struct mc_metric_label){ .name = "field", .value = field->name };
	if (field->metadata != NULL && field->metadata->label != NULL)
		out[len++] = (struct mc_metric_label){ .name = "label",
						       .value = field->metadata->label };
	return len;
}
