/* SPDX-License-Identifier: MIT */
#include "line.h"

#include <string.h>

void line_add_text(struct mc_buffer *out, const char *text)
{
	mc_buffer_add(out, text, strlen(text));
}

void line_add(struct mc_buffer *out, const char *field, const char *word, const char *text)
{
	size_t start;

	if (field != NULL) {
		line_add_text(out, field);
		line_add_text(out, ".");
	}
	line_add_text(out, word);
	line_add_text(out, " ");
	start = out->size;
	line_add_text(out, text);
	for (size_t i = start; i < out->size; i++)
		if ((unsigned char)out->at[i] < ' ')
			out->at[i] = ' ';
	line_add_text(out, "\n");
}
