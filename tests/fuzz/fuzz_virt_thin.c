/* SPDX-License-Identifier: MIT */
/* Texts of the device mapper: a name, a table and a status, a line each. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "thin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *table, *status, name[THIN_NAME_SIZE];
	struct thin_pool pool;
	dev_t device;

	memcpy(text, data, size);
	text[size] = '\0';
	table = text + strcspn(text, "\n");
	if (*table != '\0')
		*table++ = '\0';
	status = table + strcspn(table, "\n");
	if (*status != '\0')
		*status++ = '\0';
	thin_name(text, name);
	assert(strlen(name) < sizeof(name));
	thin_take_volume(table, &device);
	if (thin_take_pool(table, status, &pool))
		assert(pool.data_used <= pool.data_size &&
		       pool.metadata_used <= pool.metadata_size && pool.data_size <= INT64_MAX);
	free(text);
	return 0;
}
