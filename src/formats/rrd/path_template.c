/* SPDX-License-Identifier: MIT */
#include "formats/rrd/path_template.h"

#include <stdio.h>
#include <string.h>

#include "formats/rrd/path_template_field.h"

enum { COMPONENT_MAX = 240 }; /* Leaves room for ".rrd". */

struct filling {
	const struct mc_path_facts *facts;
	char *out, *why;
	size_t used;
};

/* --- The text ------------------------------------------------------------ */

bool mc_path_field_parse(const char **text, struct mc_path_field *field)
{
	const char *at = *text + strlen("%{"), *end;

	*field = (struct mc_path_field){ .name = at };
	field->name_size = strcspn(at, "/}");
	at += field->name_size;
	if (*at == '/') {
		field->chars = at + 1;
		end = strchr(field->chars, '/');
		if (end == NULL || end == field->chars || end[1] == '\0' || end[1] == '}')
			return false;
		field->chars_size = (size_t)(end - field->chars);
		field->becomes = end[1];
		at = end + 2;
	}
	if (*at != '}')
		return false;
	*text = at + 1;
	return true;
}

bool mc_path_field_is(const struct mc_path_field *field, const char *name)
{
	return strlen(name) == field->name_size && memcmp(name, field->name, field->name_size) == 0;
}

/* The name after "label:", or NULL. */
static const char *label_of(const struct mc_path_field *field)
{
	size_t size = strlen("label:");

	return field->name_size > size && memcmp(field->name, "label:", size) == 0
		       ? field->name + size
		       : NULL;
}

const char *const mc_path_part_names[] = { "host", "plugin", "plugin_instance", "type",
					   "type_instance" };
enum { PARTS = MC_PATH_PARTS };

static bool is_known(const struct mc_path_field *field)
{
	for (size_t i = 0; i < PARTS; i++)
		if (mc_path_field_is(field, mc_path_part_names[i]))
			return true;
	return mc_path_field_is(field, "kind") || label_of(field) != NULL;
}

/* --- The path ------------------------------------------------------------ */

static bool fail(struct filling *filling, const char *reason)
{
	snprintf(filling->why, MC_PATH_TEMPLATE_WHY, "%s", reason);
	return false;
}

static bool add(struct filling *filling, char character)
{
	if (filling->used + 1 >= MC_PATH_TEMPLATE_SIZE)
		return fail(filling, "the path is too long");
	filling->out[filling->used++] = character;
	return true;
}

static bool add_value(struct filling *filling, const struct mc_path_field *field, const char *value,
		      size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char character = value[i] == '/' ? '_' : value[i];

		if (field->chars_size > 0 &&
		    memchr(field->chars, value[i], field->chars_size) != NULL)
			character = field->becomes;
		if (!add(filling, character))
			return false;
	}
	return true;
}

/* "host/plugin-instance/type-instance" */
static void split(const char *name, const char *parts[PARTS], size_t sizes[PARTS])
{
	parts[0] = name;
	sizes[0] = strcspn(name, "/");
	name += sizes[0];
	for (size_t i = 1; i < PARTS; i += 2) {
		name += *name == '/';
		parts[i] = name;
		sizes[i] = strcspn(name, "-/");
		name += sizes[i];
		name += *name == '-';
		parts[i + 1] = name;
		sizes[i + 1] = strcspn(name, "/");
		name += sizes[i + 1];
	}
}

static bool add_label(struct filling *filling, const struct mc_path_field *field)
{
	const struct mc_path_facts *facts = filling->facts;
	const char *start = label_of(field);
	char label[128], value[256];

	snprintf(label, sizeof(label), "%.*s",
		 (int)(field->name_size - (size_t)(start - field->name)), start);
	if (facts->label != NULL && facts->label(facts->argument, label, value, sizeof(value)))
		return add_value(filling, field, value, strlen(value));
	snprintf(filling->why, MC_PATH_TEMPLATE_WHY, "its host has no label '%s'", label);
	return false;
}

static bool add_field(struct filling *filling, const struct mc_path_field *field)
{
	const char *parts[PARTS];
	size_t sizes[PARTS];

	if (label_of(field) != NULL)
		return add_label(filling, field);
	if (mc_path_field_is(field, "kind"))
		return filling->facts->kind[0] != '\0' ? add(filling, filling->facts->kind[0])
						       : fail(filling, "its type is not known");
	split(filling->facts->name, parts, sizes);
	for (size_t i = 0; i < PARTS; i++)
		if (mc_path_field_is(field, mc_path_part_names[i]))
			return add_value(filling, field, parts[i], sizes[i]);
	return fail(filling, "the template has an unknown field");
}

static const char *path_fault(const char *path)
{
	for (const char *at = path; *at != '\0'; at++)
		if ((unsigned char)*at < ' ' || *at == 127)
			return "the path has a control character";
	for (;;) {
		size_t size = strcspn(path, "/");

		if (size == 0)
			return "a part of the path is empty";
		if (*path == '.')
			return "a part of the path begins with a dot";
		if (size > COMPONENT_MAX)
			return "a part of the path is too long";
		if (path[size] == '\0')
			return NULL;
		path += size + 1;
	}
}

bool mc_path_template_fill(const char *text, const struct mc_path_facts *facts,
			   char out[static MC_PATH_TEMPLATE_SIZE],
			   char why[static MC_PATH_TEMPLATE_WHY])
{
	struct filling filling = { facts, out, why, 0 };
	const char *fault;
	struct mc_path_field field;

	while (*text != '\0') {
		if (strncmp(text, "%{", 2) != 0) {
			if (!add(&filling, *text++))
				return false;
			continue;
		}
		if (!mc_path_field_parse(&text, &field))
			return fail(&filling, "the template is not sound");
		if (!add_field(&filling, &field))
			return false;
	}
	out[filling.used] = '\0';
	fault = path_fault(out);
	return fault == NULL || fail(&filling, fault);
}

/* --- Its options --------------------------------------------------------- */

static bool sample_label(void *argument, const char *label, char *out, size_t size)
{
	(void)argument;
	(void)label;
	snprintf(out, size, "a;b");
	return true;
}

static bool find_instances(const char *text, bool *found, char *why)
{
	struct mc_path_field field;

	for (*found = false; *text != '\0';) {
		const char *start = text;

		if (strncmp(text, "%{", 2) != 0) {
			text++;
		} else if (!mc_path_field_parse(&text, &field)) {
			snprintf(why, MC_PATH_TEMPLATE_WHY,
				 "has no sound field at '%.60s': it is "
				 "%%{NAME} or %%{NAME/CHARS/C}",
				 start);
			return false;
		} else if (!is_known(&field)) {
			snprintf(why, MC_PATH_TEMPLATE_WHY, "has an unknown field '%.*s'",
				 (int)(field.name_size < 60 ? field.name_size : 60), field.name);
			return false;
		} else {
			*found |= mc_path_field_is(&field, "plugin_instance") ||
				  mc_path_field_is(&field, "type_instance");
		}
	}
	return true;
}

bool mc_path_template_is_sound(const char *text, char why[static MC_PATH_TEMPLATE_WHY])
{
	static const struct mc_path_facts facts = { .name = "h/p-i/t-i",
						    .kind = "g",
						    .label = sample_label };
	char path[MC_PATH_TEMPLATE_SIZE], reason[MC_PATH_TEMPLATE_WHY];
	bool instances;

	if (!find_instances(text, &instances, why))
		return false;
	if (!mc_path_template_fill(text, &facts, path, reason)) {
		snprintf(why, MC_PATH_TEMPLATE_WHY, "gives no path: %.200s", reason);
		return false;
	}
	if (instances)
		return true;
	snprintf(why, MC_PATH_TEMPLATE_WHY,
		 "has neither %%{plugin_instance} nor %%{type_instance}: "
		 "series would share files");
	return false;
}

const char *mc_path_missing(struct mc_path_missing *missing, const char *name, const char *why)
{
	if (strcmp(missing->why, why) != 0) {
		snprintf(missing->why, sizeof(missing->why), "%s", why);
		snprintf(missing->text, sizeof(missing->text), "'%.110s' has no file: %s", name,
			 why);
	}
	return missing->text;
}
