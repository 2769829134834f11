/* SPDX-License-Identifier: MIT */
/* The parts of a notification, a line each, as a check's result: the name of its service fits, has
 * nothing that ends a field, and is the beginning of the name with more room. */
#include <assert.h>

#include "formats/check_result.h"

#include "lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make(const struct mc_id *id, size_t size, char *out)
{
	char *room = malloc(size); /* Of exactly that size. */

	if (room == NULL)
		abort();
	mc_check_result_service(id, room, size);
	assert(strlen(room) < size && strpbrk(room, ";!") == NULL);
	memcpy(out, room, strlen(room) + 1);
	free(room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t sizes[] = { 1, 2, 16, 100 };
	struct lines lines;
	char *whole, cut[100];
	struct mc_id id;

	lines_open(&lines, data, size);
	id.host = lines_take(&lines);
	id.plugin = lines_take(&lines);
	id.plugin_instance = lines_take(&lines);
	id.type = lines_take(&lines);
	id.type_instance = lines_take(&lines);
	whole = malloc(size + 8);
	if (whole == NULL)
		abort();
	make(&id, size + 8, whole);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		make(&id, sizes[i], cut);
		assert(strncmp(whole, cut, strlen(cut)) == 0);
		assert(strlen(cut) == sizes[i] - 1 || strcmp(whole, cut) == 0);
	}
	free(whole);
	lines_close(&lines);
	return 0;
}
