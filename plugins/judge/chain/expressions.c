/* SPDX-License-Identifier: MIT */
#include "expressions.h"

#include <collector/check.h>
#include <collector/kit/alloc.h>

#include <stdlib.h>

#define REASON_SIZE 200

void expressions_check(struct mc_ctx *ctx, const struct mc_strings *texts, size_t step)
{
	for (size_t i = 0; i + step <= texts->len; i += step) {
		char reason[REASON_SIZE];
		struct mc_regex *regex = mc_regex_new(texts->items[i], reason, sizeof(reason));

		if (regex == NULL)
			mc_check_error(ctx, &texts->items[i],
				       "is an invalid regular expression: %s", reason);
		mc_regex_free(regex);
	}
}

bool expressions_open(struct expressions *expressions, const struct mc_strings *texts, size_t step)
{
	char reason[REASON_SIZE];

	expressions->items = mc_alloc_array(texts->len, sizeof(struct mc_regex *));
	for (size_t i = 0; i + step <= texts->len; i += step) {
		struct mc_regex *one = mc_regex_new(texts->items[i], reason, sizeof(reason));

		if (one == NULL)
			return false;
		expressions->items[expressions->len++] = one;
	}
	return true;
}

void expressions_close(struct expressions *parts, size_t len)
{
	for (size_t part = 0; part < len; part++) {
		for (size_t i = 0; i < parts[part].len; i++)
			mc_regex_free(parts[part].items[i]);
		free(parts[part].items);
	}
}
