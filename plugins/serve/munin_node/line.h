/* SPDX-License-Identifier: MIT */
/* Lines of an answer.  Pure functions. */
#pragma once

#include <collector/kit/buffer.h>

void line_add_text(struct mc_buffer *, const char *text);

/* "FIELD.WORD TEXT\n", or "WORD TEXT\n" without a field; the text is one line. */
void line_add(struct mc_buffer *, const char *field, const char *word, const char *text);
