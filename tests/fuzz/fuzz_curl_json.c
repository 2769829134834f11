/* SPDX-License-Identifier: MIT */
/* A line of paths with blanks between them, and a document. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "document.h"

#define KEYS_MAX 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take(void *argument, const struct document_value *value)
{
	union mc_value number;

	(void)argument;
	assert(value->key != NULL);
	assert(strlen(value->name) < DOCUMENT_NAME_SIZE);
	for (int kind = MC_COUNTER; kind <= MC_ABSOLUTE; kind++)
		if (document_number(value, (enum mc_kind)kind, &number))
			assert(kind != MC_GAUGE || isfinite(number.gauge));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct key keys[KEYS_MAX] = { { 0 } };
	struct keys_node root = { 0 };
	char *text = calloc(1, size + 1), *document, *paths, *path;
	struct document_taker taker = { .take = take };

	if (text == NULL)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	document = strchr(text, '\n');
	if (document != NULL) {
		*document++ = '\0';
		paths = text;
		for (unsigned i = 0; i < KEYS_MAX && (path = strsep(&paths, " ")) != NULL; i++) {
			keys[i].path = path;
			keys_add(&root, &keys[i]);
		}
		document_read(document, size - (size_t)(document - text), &root, &taker);
	}
	keys_done(&root);
	free(text);
	return 0;
}
