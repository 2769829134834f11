/* SPDX-License-Identifier: MIT */
/* Facts: URL Standard, 5.1. */
#include "form.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* In place: it becomes no longer. */
static void decode(char *text)
{
	char *out = text;

	for (; *text != '\0'; text++) {
		if (*text == '%' && digit(text[1]) >= 0 && digit(text[2]) >= 0) {
			*out++ = (char)(digit(text[1]) * 16 + digit(text[2]));
			text += 2;
		} else {
			*out++ = *text == '+' ? ' ' : *text;
		}
	}
	*out = '\0';
}

static void add(struct form *form, char *field)
{
	char *value = strchr(field, '=');

	if (form->len == FORM_FIELDS_MAX)
		return;
	if (value != NULL) {
		*value++ = '\0';
		decode(value);
	}
	decode(field);
	form->fields[form->len++] = (struct form_field){ field, value != NULL ? value : "" };
}

void form_read(struct form *form, const void *text, size_t size)
{
	char *at;

	form->text = mc_alloc_zero(size + 1);
	if (size > 0)
		memcpy(form->text, text, size);
	for (at = form->text; *at != '\0';) {
		size_t field = strcspn(at, "&");
		char end = at[field];

		at[field] = '\0';
		if (field > 0)
			add(form, at);
		at += field + (end != '\0');
	}
}

void form_done(struct form *form)
{
	free(form->text);
	*form = (struct form){ .len = 0 };
}

const char *form_value(const struct form *form, const char *name, unsigned number)
{
	for (unsigned i = 0; i < form->len; i++)
		if (strcmp(form->fields[i].name, name) == 0 && number-- == 0)
			return form->fields[i].value;
	return NULL;
}
