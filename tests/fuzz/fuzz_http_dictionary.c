/* SPDX-License-Identifier: MIT */
/* Any bytes as a request that refers to a body that is kept: a line that is the header, a byte that
 * says how long that body is, that body, and one in zstd.  What is kept is found once, by its
 * client; and what refers to it inflates to the same. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include <collector/kit/inflate.h>

#include "kit/net/http_dictionary.h"
#include "kit/net/http_server/http_dictionaries.h"

#define SIZE_MAX_INFLATED 200000
#define KEPT_MAX 1536 /* Bytes: some bodies are too large for it. */
#define CLIENT "127.0.0.1"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct part {
	const uint8_t *at;
	size_t size;
};

/* Of that size, or what is left. */
static struct part take(struct part *rest, size_t size)
{
	struct part taken = { rest->at, size < rest->size ? size : rest->size };

	rest->at += taken.size;
	rest->size -= taken.size;
	return taken;
}

static struct part take_line(struct part *rest)
{
	const uint8_t *end = rest->size > 0 ? memchr(rest->at, '\n', rest->size) : NULL;
	struct part line = take(rest, end != NULL ? (size_t)(end - rest->at) : rest->size);

	take(rest, 1);
	return line;
}

static bool is_valid(const char *value)
{
	static const char digits[] = "0123456789abcdef";

	if (strspn(value, digits) != 8)
		return false;
	return value[8] == '\0' ||
	       (value[8] == ' ' && strspn(value + 9, digits) == 8 && value[17] == '\0');
}

/* A header that can be read says nothing but its numbers. */
static struct http_dictionary_numbers read_header(struct part line)
{
	struct http_dictionary_numbers numbers = { 1, 2, false };
	char *value = calloc(1, line.size + 1), again[32];

	assert(value != NULL);
	if (line.size > 0)
		memcpy(value, line.at, line.size);
	if (!http_dictionary_read(value, &numbers)) {
		assert(!is_valid(value));
		assert(numbers.keep == 1 && numbers.use == 2 && !numbers.refers);
	} else {
		assert(is_valid(value));
		snprintf(again, sizeof(again),
			 numbers.refers ? "%08" PRIx32 " %08" PRIx32 : "%08" PRIx32, numbers.keep,
			 numbers.use);
		assert(strcmp(again, value) == 0);
	}
	free(value);
	return numbers;
}

/* Inflates 'body', if it can be; 'wanted' is what it is then, or NULL if it may be anything. */
static bool inflate(struct part body, struct part prefix, const struct part *wanted)
{
	atomic_size_t pool = 0;
	const struct mc_inflate_limits limits = { .size_max = SIZE_MAX_INFLATED,
						  .pool = &pool,
						  .pool_max = 2 * SIZE_MAX_INFLATED,
						  .prefix = prefix.at,
						  .prefix_size = prefix.size };
	struct mc_inflated out = { 0 };
	bool inflated = mc_inflate_body(MC_INFLATE_ZSTD, body.at, body.size, &limits, &out) ==
			MC_INFLATE_OKAY;

	if (inflated) {
		assert(out.size <= SIZE_MAX_INFLATED && pool == out.room);
		if (wanted != NULL) {
			assert(out.size == wanted->size);
			assert(out.size == 0 || memcmp(out.bytes, wanted->at, out.size) == 0);
		}
		mc_inflate_free(&limits, &out);
	}
	assert(out.bytes == NULL && pool == 0);
	return inflated;
}

/* What our own client sends.  By another body than that which it refers to it is the same or
 * nothing: its checksum shows that. */
static void pack_and_inflate(struct part text, struct part prefix)
{
	size_t room = ZSTD_compressBound(text.size), size;
	uint8_t *bytes = malloc(room);
	ZSTD_CCtx *context = ZSTD_createCCtx();

	assert(bytes != NULL && context != NULL);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_refPrefix(context, prefix.at, prefix.size);
	size = ZSTD_compress2(context, bytes, room, text.at, text.size);
	assert(!ZSTD_isError(size));
	assert(inflate((struct part){ bytes, size }, prefix, &text));
	inflate((struct part){ bytes, size }, (struct part){ prefix.at, prefix.size / 2 }, &text);
	ZSTD_freeCCtx(context);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct part rest = { data, size };
	const struct http_dictionary_numbers numbers = read_header(take_line(&rest));
	struct part length = take(&rest, 1);
	struct part kept = take(&rest, length.size > 0 ? 8 * (size_t)length.at[0] : 0);
	struct http_dictionaries all;
	struct http_dictionary *found;
	struct part prefix;

	if (rest.size > MC_INFLATE_SMALL)
		return 0;
	http_dictionaries_init(&all, KEPT_MAX);
	http_dictionaries_keep(&all, CLIENT, numbers.use, kept.at, kept.size);
	assert(http_dictionaries_take(&all, "127.0.0.2", numbers.use) == NULL);
	found = http_dictionaries_take(&all, CLIENT, numbers.use);
	assert(found != NULL || kept.size > KEPT_MAX / 2);
	if (found != NULL) {
		prefix.at = http_dictionaries_bytes(found, &prefix.size);
		assert(prefix.size == kept.size);
		assert(http_dictionaries_take(&all, CLIENT, numbers.use) == NULL);
		inflate(rest, prefix, NULL);
		pack_and_inflate(rest, prefix);
		free(found);
	}
	http_dictionaries_done(&all);
	return 0;
}
