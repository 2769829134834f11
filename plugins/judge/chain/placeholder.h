/* SPDX-License-Identifier: MIT */
/* Texts with placeholders: "%{host}". */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Writes the value of the placeholder 'name' (of 'size' bytes, without "%{" and "}") to 'out';
 * false if it is unknown. */
typedef bool placeholder_value(const void *argument, const char *name, size_t size, char *out,
			       size_t out_size);

/* The text with all placeholders replaced, cut at 'size' bytes; unknown ones stay as they are. */
void placeholder_fill(const char *text, placeholder_value *value, const void *argument, char *out,
		      size_t size);

/* The parts of a name: 'argument' is a struct mc_id. */
placeholder_value placeholder_part;
