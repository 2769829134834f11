/* SPDX-License-Identifier: MIT */
/* The collector's own types. */
#include "daemon/config/own_types.h"

#include <assert.h>

#include "model/types_db.h"

/* Made from model/types.db: one string literal for each of its lines. */
static const char text[] =
#include "daemon/config/own_types.inc"
	;

struct type_set *own_types_new(void)
{
	struct type_set *types = type_set_new();
	struct problems problems;

	problem_init(&problems);
	types_db_parse(types, text, sizeof(text) - 1, "types.db", &problems);
	assert(problems.len == 0);
	problem_done(&problems);
	type_set_seal(types);
	return types;
}
