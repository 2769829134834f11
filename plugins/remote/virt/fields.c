/* SPDX-License-Identifier: MIT */
/* fields: texts are kept in one buffer, which is never moved. */
#include "fields.h"

#include <stdio.h>
#include <string.h>

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:"

const char *fields_name(struct fields *fields, const char *name)
{
	char *copy = fields->text + fields->size;
	size_t size = strlen(name) + 1;

	if (size > sizeof(fields->text) - fields->size)
		return NULL;
	memcpy(copy, name, size);
	for (char *at = copy; *at != '\0'; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '_';
	fields->size += size;
	return copy;
}

void fields_add(struct fields *fields, const char *name, const char *value)
{
	const char *copy;

	if (name == NULL || fields->len == MC_FIELDS_MAX)
		return;
	copy = fields_name(fields, value != NULL ? value : "");
	if (copy != NULL)
		fields->items[fields->len++] = (struct mc_field){ name, copy };
}

void fields_add_number(struct fields *fields, const char *name, unsigned long long number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", number);
	fields_add(fields, name, text);
}

/* Writes " name=value"; false, and nothing, if there is no room. */
static bool put(const struct mc_field *field, char *out, size_t size)
{
	bool plain = field->value[0] != '\0' && field->value[strspn(field->value, PLAIN)] == '\0';
	const char *quote = plain ? "" : "\"";
	int name = snprintf(out, size, " %s=%s", field->name, quote);
	size_t used = (size_t)name + strlen(field->value) + strlen(quote);

	if (used >= size) {
		out[0] = '\0';
		return false;
	}
	for (const char *at = field->value; *at != '\0'; at++)
		out[name++] = *at == '"' ? '\'' : *at;
	snprintf(out + name, size - (size_t)name, "%s", quote);
	return true;
}

void fields_message(const struct fields *fields, const char *sentence, char *out, size_t size)
{
	size_t used = (size_t)snprintf(out, size, "%s", sentence);

	for (unsigned i = 0; i < fields->len && used < size; i++)
		if (put(&fields->items[i], out + used, size - used))
			used += strlen(out + used);
}
