/* SPDX-License-Identifier: MIT */
/* Collects the values in a notification for programs: each as a field, and all of them at the end
 * of the message, for readers of only that.  Pure. */
#pragma once

#include <stddef.h>

#include <collector/plugin.h>

struct fields {
	struct mc_field items[MC_FIELDS_MAX];
	unsigned len;
	size_t size; /* Used of 'text'. */
	char text[2048];
};

/* Adds a field, its control characters replaced by '_'; NULL is "".  One that
 * has no room is left out.  'name' must live as long as the fields. */
void fields_add(struct fields *fields, const char *name, const char *value);
void fields_add_number(struct fields *fields, const char *name, unsigned long long number);

/* Copies a name of libvirt's that does not live as long. */
const char *fields_name(struct fields *fields, const char *name);

/* Writes 'sentence', then the fields as key=value, with quotes around a value that has more than
 * letters, digits and "-._:", and those in it single.  Fields that do not fit are left out as a
 * whole. */
void fields_message(const struct fields *fields, const char *sentence, char *out, size_t size);
