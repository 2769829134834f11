/* SPDX-License-Identifier: MIT */
#include "engine/graphs/graph_match.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* --- Rules --------------------------------------------------------------- */

static bool takes(const struct graph_rule *rule, enum graph_field field, const char *text)
{
	return graph_pattern_takes(&rule->patterns[field], text);
}

static bool takes_series(const struct graph_rule *rule, const struct graph_subject *subject)
{
	/* The instance comes first: a site may have thousands of rules that differ in it alone. */
	return takes(rule, GRAPH_FIELD_PLUGIN_INSTANCE, subject->plugin_instance) &&
	       takes(rule, GRAPH_FIELD_PLUGIN, subject->plugin) &&
	       takes(rule, GRAPH_FIELD_TYPE, subject->type) &&
	       takes(rule, GRAPH_FIELD_TYPE_INSTANCE, subject->type_instance) &&
	       (rule->attribute == NULL ||
		mc_metadata_attribute(subject->metadata, rule->attribute) != NULL);
}

/* The patterns that name sources, with how what they name is drawn. */
static const struct role {
	enum graph_field field;
	int draw; /* -1: as the rule draws lines. */
	bool below;
} roles[] = {
	{ GRAPH_FIELD_LINE, -1, false },
	{ GRAPH_FIELD_REST, MC_DRAW_REST, false },
	{ GRAPH_FIELD_ABOVE, -1, false },
	{ GRAPH_FIELD_BELOW, -1, true },
	{ GRAPH_FIELD_LIMIT, MC_DRAW_LIMIT, false },
	{ GRAPH_FIELD_HIDE, MC_DRAW_HIDDEN, false },
};

#define ROLES (sizeof(roles) / sizeof(roles[0]))

struct field {
	const char *text;
	unsigned part; /* enum mc_part; 0: the source. */
};

static struct field field_of(const struct graph_rule *rule, const struct graph_subject *subject)
{
	if ((rule->per & subject->field_part & MC_PART_TYPE_INSTANCE) != 0)
		return (struct field){ subject->type, MC_PART_TYPE };
	return (struct field){ subject->field, subject->field_part };
}

static bool takes_source(const struct graph_rule *rule, const struct graph_subject *subject,
			 struct graph_place *place)
{
	const char *field = field_of(rule, subject).text;
	unsigned rank = 0;

	*place = (struct graph_place){ .draw = (enum mc_draw)rule->draw };
	place->heads = graph_pattern_find(&rule->patterns[GRAPH_FIELD_NOW], field) >= 0;
	for (size_t i = 0; i < ROLES; i++) {
		const struct graph_patterns *patterns = &rule->patterns[roles[i].field];
		int at = graph_pattern_find(patterns, field);

		if (at >= 0) {
			place->rank = rank + (unsigned)at;
			place->below = roles[i].below;
			if (roles[i].draw >= 0)
				place->draw = (enum mc_draw)roles[i].draw;
			return true;
		}
		rank += (unsigned)patterns->len;
	}
	return rank == 0; /* It names none. */
}

const struct graph_rule *graph_match(const struct graph_rules *rules,
				     const struct graph_subject *subject, struct graph_place *place)
{
	const struct graph_index_rules *some = graph_index_find(&rules->index, subject->plugin);

	for (size_t i = 0; i < some->len; i++) {
		const struct graph_rule *rule = &rules->items[some->numbers[i]];

		if (takes_series(rule, subject) && takes_source(rule, subject, place))
			return rule;
	}
	return NULL;
}

/* --- Names --------------------------------------------------------------- */

void graph_match_field(struct graph_subject *subject, const struct mc_type *type, unsigned source)
{
	subject->field = type->sources[source].name;
	subject->field_part = 0;
	if (type->sources_len > 1)
		return;
	subject->field = subject->type_instance;
	subject->field_part = MC_PART_TYPE_INSTANCE;
	if (subject->field[0] != '\0')
		return;
	subject->field = subject->type;
	subject->field_part = MC_PART_TYPE;
}

struct text {
	char *out; /* GRAPH_TEXT_SIZE bytes. */
	size_t size;
};

static void add(struct text *text, const char *piece, size_t size)
{
	size_t room = GRAPH_TEXT_SIZE - 1 - text->size;

	if (size > room)
		size = text_fit(piece, room);
	memcpy(text->out + text->size, piece, size);
	text->size += size;
	text->out[text->size] = '\0';
}

#define PARTS 5

/* The part that has this bit. */
static const char *part_of(const struct graph_subject *subject, unsigned bit)
{
	const char *const texts[PARTS] = { subject->plugin, subject->plugin_instance, subject->type,
					   subject->type_instance, subject->unit };

	return texts[bit];
}

/* Its name in graphs of the rule; NULL: the rule has no other. */
static const char *find_label(const struct graph_rule *rule, const char *text)
{
	for (size_t i = 0; i + 1 < rule->labels.len; i += 2)
		if (strcmp(rule->labels.items[i], text) == 0)
			return rule->labels.items[i + 1];
	return NULL;
}

static void add_part(struct text *text, const char *part, char separator)
{
	if (part[0] == '\0')
		return;
	if (text->size > 0)
		add(text, &separator, 1);
	add(text, part, strlen(part));
}

void graph_match_group(const struct graph_subject *subject, unsigned parts,
		       char out[static GRAPH_TEXT_SIZE])
{
	struct text text = { out, 0 };

	out[0] = '\0';
	for (unsigned i = 0; i < PARTS; i++) {
		const char *part = part_of(subject, i);

		if ((parts & 1U << i) == 0)
			continue;
		if (text.size > 0)
			add(&text, "/", 1);
		add(&text, part, strlen(part));
	}
}

void graph_match_id(const struct graph_rule *rule, const struct graph_subject *subject,
		    char out[static GRAPH_TEXT_SIZE])
{
	struct text text = { out, 0 };

	out[0] = '\0';
	add(&text, rule->name, strlen(rule->name));
	for (unsigned i = 0; i < PARTS; i++)
		if ((rule->per & 1U << i) != 0)
			add_part(&text, part_of(subject, i), '/');
}

static void make_mount(char out[GRAPH_TEXT_SIZE])
{
	struct text text = { out, 0 };
	char name[GRAPH_TEXT_SIZE];

	text_copy(name, sizeof(name), out);
	add(&text, "/", 1);
	if (strcmp(name, "root") == 0)
		return;
	for (char *at = name; *at != '\0'; at++)
		if (*at == '-')
			*at = '/';
	add(&text, name, strlen(name));
}

void graph_match_instance(const struct graph_rule *rule, const struct graph_subject *subject,
			  char out[static GRAPH_TEXT_SIZE])
{
	unsigned parts = rule->by & ~field_of(rule, subject).part;
	struct text text = { out, 0 };

	out[0] = '\0';
	for (unsigned i = 0; i < PARTS; i++) {
		const char *part = part_of(subject, i);
		const char *label = find_label(rule, part);

		if ((parts & 1U << i) != 0)
			add_part(&text, label != NULL ? label : part, ' ');
	}
	if (rule->names == GRAPH_NAMES_MOUNT && out[0] != '\0')
		make_mount(out);
}

/* Series of a line have different fields, so none of these is its name. */
static bool is_combined(const struct graph_rule *rule, const struct graph_subject *subject)
{
	unsigned part = field_of(rule, subject).part;

	return rule->combine != MC_COMBINE_NONE && part != 0 && (rule->by & part) == 0;
}

const char *graph_match_label(const struct graph_rule *rule, const struct graph_subject *subject)
{
	const char *field = field_of(rule, subject).text;
	const char *label = find_label(rule, field);

	if (is_combined(rule, subject))
		return "";
	if (label != NULL)
		return label;
	if (subject->metadata != NULL && subject->metadata->label[0] != '\0')
		return subject->metadata->label;
	return field;
}

double graph_match_scale(const struct graph_rule *rule, const struct graph_subject *subject)
{
	const char *field = field_of(rule, subject).text;

	for (size_t i = 0; i < rule->scales_len; i++)
		if (strcmp(rule->scales[i].field, field) == 0)
			return rule->scales[i].scale;
	return rule->scale;
}

/* --- Titles -------------------------------------------------------------- */

/* What "plugin" or "attribute:graph_title" stands for. */
static const char *value_of(const struct graph_subject *subject, const char *name, size_t size)
{
	static const char attribute[] = "attribute:";
	const struct {
		const char *name, *value;
	} values[] = {
		{ "host", subject->host },
		{ "plugin", subject->plugin },
		{ "plugin_instance", subject->plugin_instance },
		{ "type", subject->type },
		{ "type_instance", subject->type_instance },
		{ "unit", subject->unit },
		{ "label", subject->metadata != NULL ? subject->metadata->label : "" },
	};
	char wanted[GRAPH_TEXT_SIZE];
	const char *value = NULL;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (strlen(values[i].name) == size && memcmp(values[i].name, name, size) == 0)
			return values[i].value;
	if (size > strlen(attribute) && strncmp(name, attribute, strlen(attribute)) == 0) {
		snprintf(wanted, sizeof(wanted), "%.*s", (int)(size - strlen(attribute)),
			 name + strlen(attribute));
		value = mc_metadata_attribute(subject->metadata, wanted);
	}
	return value != NULL ? value : "";
}

/* An empty value leaves no blanks. */
static void squeeze(char *out)
{
	char *to = out;

	for (const char *at = out; *at != '\0'; at++)
		if (*at != ' ' || (to > out && to[-1] != ' '))
			*to++ = *at;
	if (to > out && to[-1] == ' ')
		to--;
	*to = '\0';
}

void graph_match_fill(const char *text, const struct graph_subject *subject,
		      char out[static GRAPH_TEXT_SIZE])
{
	struct text filled = { out, 0 };

	out[0] = '\0';
	while (*text != '\0') {
		const char *end = strncmp(text, "%{", 2) == 0 ? strchr(text, '}') : NULL;
		size_t plain = strcspn(text + 1, "%") + 1;

		if (end == NULL) {
			add(&filled, text, plain);
			text += plain;
		} else {
			const char *value = value_of(subject, text + 2, (size_t)(end - text) - 2);

			add(&filled, value, strlen(value));
			text = end + 1;
		}
	}
	squeeze(out);
}
