/* SPDX-License-Identifier: MIT */
/* Facts: RFC 9110, "Content Codings" and "Accept-Encoding"; RFC 8878 for zstd;
 * zlib.h and zstd.h.  A context is made when its encoding is first used, and
 * kept: those of zstd take longer to make than a small request to pack. */
#include "kit/net/http_client/http_pack.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <zlib.h>
#include <zstd.h>

#include <collector/kit/alloc.h>

#define GZIP_BITS (15 + 16) /* zlib: write gzip. */
#define GZIP_LEVEL 3        /* Level 4 takes half as much time again, for bodies no smaller. */
#define ZSTD_LEVEL 3

struct http_pack {
	z_stream deflate;
	bool deflating;
	ZSTD_CCtx *zstd;
	const void *prefix; /* That the next one refers to; NULL: none. */
	size_t prefix_size;
	unsigned char *bytes;
	size_t room;
};

const char *http_pack_name(enum http_encoding encoding)
{
	static const char *const names[] = {
		[HTTP_NONE] = NULL,
		[HTTP_GZIP] = "gzip",
		[HTTP_ZSTD] = "zstd",
	};

	return names[encoding];
}

enum http_encoding http_pack_simpler(enum http_encoding encoding)
{
	return encoding == HTTP_ZSTD ? HTTP_GZIP : HTTP_NONE;
}

/* Of an item without its blanks, as "gzip" or "gzip;q=0.5". */
static bool is_named(const char *item, size_t size, const char *name)
{
	size_t name_size = strcspn(item, " \t;,");
	const char *weight = memchr(item, '=', size);

	if (name_size > size)
		name_size = size;
	return name_size == strlen(name) && strncasecmp(item, name, name_size) == 0 &&
	       (weight == NULL || strtod(weight + 1, NULL) > 0);
}

bool http_pack_is_in(const char *list, enum http_encoding encoding)
{
	const char *name = http_pack_name(encoding);

	while (name != NULL && *list != '\0') {
		list += strspn(list, " \t,");

		size_t size = strcspn(list, ",");

		if (is_named(list, size, name))
			return true;
		list += size;
	}
	return false;
}

struct http_pack *http_pack_new(void)
{
	return mc_alloc_zero(sizeof(struct http_pack));
}

void http_pack_free(struct http_pack *pack)
{
	if (pack == NULL)
		return;
	if (pack->deflating)
		deflateEnd(&pack->deflate);
	ZSTD_freeCCtx(pack->zstd);
	free(pack->bytes);
	free(pack);
}

static void make_room(struct http_pack *pack, size_t room)
{
	if (room <= pack->room)
		return;
	free(pack->bytes);
	pack->bytes = mc_alloc(room);
	pack->room = room;
}

static bool make_deflate(struct http_pack *pack)
{
	if (pack->deflating)
		return deflateReset(&pack->deflate) == Z_OK;
	pack->deflating = deflateInit2(&pack->deflate, GZIP_LEVEL, Z_DEFLATED, GZIP_BITS, 8,
				       Z_DEFAULT_STRATEGY) == Z_OK;
	return pack->deflating;
}

static bool pack_gzip(struct http_pack *pack, const unsigned char *bytes, size_t size,
		      size_t *out_size)
{
	z_stream *deflater = &pack->deflate;

	if (!make_deflate(pack))
		return false;
	make_room(pack, deflateBound(deflater, size));
	deflater->next_in = (unsigned char *)(uintptr_t)bytes;
	deflater->avail_in = (uInt)size;
	deflater->next_out = pack->bytes;
	deflater->avail_out = (uInt)pack->room;
	if (deflate(deflater, Z_FINISH) != Z_STREAM_END)
		return false;
	*out_size = pack->room - deflater->avail_out;
	return true;
}

static bool pack_zstd(struct http_pack *pack, const unsigned char *bytes, size_t size,
		      size_t *out_size)
{
	size_t result;

	if (pack->zstd == NULL)
		pack->zstd = ZSTD_createCCtx();
	if (pack->zstd == NULL)
		return false;
	make_room(pack, ZSTD_compressBound(size));
	ZSTD_CCtx_reset(pack->zstd, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(pack->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	if (pack->prefix != NULL) {
		ZSTD_CCtx_setParameter(pack->zstd, ZSTD_c_checksumFlag, 1);
		ZSTD_CCtx_refPrefix(pack->zstd, pack->prefix, pack->prefix_size);
	}
	pack->prefix = NULL;
	result = ZSTD_compress2(pack->zstd, pack->bytes, pack->room, bytes, size);
	if (ZSTD_isError(result))
		return false;
	*out_size = result;
	return true;
}

void http_pack_refer(struct http_pack *pack, const void *bytes, size_t size)
{
	pack->prefix = bytes;
	pack->prefix_size = size;
}

bool http_pack_body(struct http_pack *pack, enum http_encoding encoding, const void *bytes,
		    size_t size, struct http_body *body)
{
	size_t packed_size = size;

	if (encoding == HTTP_GZIP && !pack_gzip(pack, bytes, size, &packed_size))
		return false;
	if (encoding == HTTP_ZSTD && !pack_zstd(pack, bytes, size, &packed_size))
		return false;
	*body = (struct http_body){
		.at = encoding == HTTP_NONE ? bytes : pack->bytes,
		.size = packed_size,
		.encoding = encoding,
	};
	return true;
}
