/* SPDX-License-Identifier: MIT */
#include "variables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char between[] = " \t\r\n,";

/* The end of the value at 'at'; '*size' bytes at '*value' are it. */
static const char *value_of(const char *at, const char **value, size_t *size)
{
	if (*at == '"') {
		*value = at + 1;
		*size = strcspn(*value, "\"");
		at = *value + *size;
		return *at == '"' ? at + 1 : at;
	}
	*value = at;
	*size = strcspn(at, ",\r\n");
	at += *size;
	while (*size > 0 && ((*value)[*size - 1] == ' ' || (*value)[*size - 1] == '\t'))
		--*size;
	return at;
}

bool variables_next(const char **at, struct variable *variable)
{
	const char *name = *at;

	while (*(name += strspn(name, between)) != '\0') {
		size_t name_size = strcspn(name, "=,\r\n"), size = 0;
		const char *next = name + name_size, *value = "";

		if (*next == '=')
			next = value_of(next + 1 + strspn(next + 1, " "), &value, &size);
		if (name_size > 0 && name_size < sizeof(variable->name)) {
			memcpy(variable->name, name, name_size);
			variable->name[name_size] = '\0';
			if (size >= sizeof(variable->value))
				size = sizeof(variable->value) - 1;
			memcpy(variable->value, value, size);
			variable->value[size] = '\0';
			*at = next;
			return true;
		}
		name = next;
	}
	*at = name;
	return false;
}

double variables_number(const char *value)
{
	char *end;
	double number = strtod(value, &end);

	return end == value || *end != '\0' || !isfinite(number) ? NAN : number;
}

double variables_seconds(const char *value)
{
	return variables_number(value) / 1000;
}

bool variables_is_odd(const char *value)
{
	size_t size = strlen(value);
	char last = size > 0 ? value[size - 1] : '0';

	return strchr("13579bdfBDF", last) != NULL;
}
