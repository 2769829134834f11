/* SPDX-License-Identifier: MIT */
/* Any bytes as types.db, twice: once as the collector's own, once as a user's.
 * What is accepted must be within the promised limits. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "model/types_db.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(void *argument, const struct mc_type *type)
{
	(void)argument;
	assert(type->sources_len >= 1 && type->sources_len <= MC_SOURCES_MAX);
	assert(strlen(type->name) < TYPE_NAME_SIZE);
	assert(strpbrk(type->name, "-/ ") == NULL);
	for (unsigned i = 0; i < type->sources_len; i++) {
		const struct mc_source *source = &type->sources[i];

		assert(strlen(source->name) < TYPE_SOURCE_SIZE);
		assert(source->name[0] != '\0');
		assert(!(source->min >= source->max));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct type_set *set = type_set_new();
	struct problems problems;
	const char *text = (const char *)data;
	size_t half = size / 2;

	problem_init(&problems);
	types_db_parse(set, text, half, "own", &problems);
	type_set_seal(set);
	types_db_parse(set, text, size, "user", &problems);
	types_db_parse(set, text + half, size - half, "user", &problems);
	type_set_each(set, check, NULL);
	problem_done(&problems);
	type_set_free(set);
	return 0;
}
