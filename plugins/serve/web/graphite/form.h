/* SPDX-License-Identifier: MIT */
/* Fields of a form, "a=1&b=2" (application/x-www-form-urlencoded).  Pure. */
#pragma once

#include <stddef.h>

#define FORM_FIELDS_MAX 256

struct form { /* All zero: none. */
	struct form_field {
		const char *name, *value;
	} fields[FORM_FIELDS_MAX];
	unsigned len;
	char *text;
};

/* Those beyond FORM_FIELDS_MAX are left out. */
void form_read(struct form *, const void *text, size_t size);
void form_done(struct form *);

/* The value with that number of that name; NULL: there are fewer. */
const char *form_value(const struct form *, const char *name, unsigned number);
