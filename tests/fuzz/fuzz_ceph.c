/* SPDX-License-Identifier: MIT */
/* Any text as the schema and as the dump of a daemon of Ceph, and its keys as names. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "perf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool look(void *argument, const struct perf_number *number)
{
	const bool *is_schema = argument;
	char key[PERF_KEY_SIZE], name[PERF_NAME_SIZE];

	assert(number->key_size < PERF_KEY_SIZE && number->size > 0);
	assert(memchr(number->key, '\0', number->key_size) == NULL);
	assert(number->part != PERF_OTHER && (!*is_schema || number->part != PERF_WHOLE));
	memcpy(key, number->key, number->key_size);
	key[number->key_size] = '\0';
	memset(name, 'x', sizeof(name));
	perf_name(key, name);
	assert(memchr(name, '\0', sizeof(name)) != NULL);
	assert(strpbrk(name, ":_-") == NULL);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool is_schema = false;

	perf_read((const char *)data, size, is_schema, look, &is_schema);
	is_schema = true;
	perf_read((const char *)data, size, is_schema, look, &is_schema);
	return 0;
}
