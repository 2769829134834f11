/* SPDX-License-Identifier: MIT */
/* The regular expressions that an option of a match or target gives for a part of the name. */
#pragma once

#include <collector/kit/regex.h>
#include <collector/plugin.h>

struct expressions {
	struct mc_regex **items;
	size_t len;
};

/* Each 'step'th of the texts is one, from the first.  Reports invalid ones; for check(). */
void expressions_check(struct mc_ctx *, const struct mc_strings *texts, size_t step);

/* Compiles them; false if one is invalid. */
bool expressions_open(struct expressions *, const struct mc_strings *texts, size_t step);

/* Frees that number of parts. */
void expressions_close(struct expressions *parts, size_t len);
