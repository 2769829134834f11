/* SPDX-License-Identifier: MIT */
/* Any bytes as replies of Redis, and any text as its answer to INFO. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "info.h"
#include "resp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at_info(const char *bytes, size_t size)
{
	char *text = calloc(1, size + 1), *at = text;
	struct info_field field;
	double level;
	int64_t total;

	if (text == NULL)
		abort();
	if (size > 0)
		memcpy(text, bytes, size);
	while (info_next(&at, &field)) {
		assert(strpbrk(field.name, "\r\n:") == NULL);
		assert(strpbrk(field.value, "\r\n") == NULL);
		if (info_number(field.value, &level, &total))
			assert(level >= 0 && total >= -1);
		if (info_item(field.value, "keys", &level, &total))
			assert(strstr(field.value, "keys=") != NULL);
	}
	assert(*at == '\0');
	free(text);
}

/* Less of a reply is not complete, and never another one. */
static void look_at_parts(const char *bytes, size_t size)
{
	struct resp_reply part;

	for (size_t less = size > 16 ? size - 16 : 0; less < size; less++)
		assert(resp_take(bytes, less, &part) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data, *end = at + size;
	struct resp_reply reply;
	ssize_t taken;

	look_at_info(at, size);
	while (at < end) {
		taken = resp_take(at, (size_t)(end - at), &reply);
		if (taken <= 0)
			break;
		assert(taken <= end - at);
		if (reply.type != RESP_NULL)
			assert(reply.text >= at && reply.text + reply.size + 2 <= at + taken);
		look_at_parts(at, (size_t)taken);
		at += taken;
	}
	return 0;
}
