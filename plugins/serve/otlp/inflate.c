/* SPDX-License-Identifier: MIT */
/* Facts: zlib.h, zstd.h; RFC 9110, "Content Codings", for the names; RFC 8878,
 * section 3.1.1.1.2, for the window: what a sender says of its size is memory
 * that the reader is to take, so it is limited. */
#include "inflate.h"

#include <stdlib.h>
#include <strings.h>

#include <zlib.h>
#include <zstd.h>

#define GZIP_BITS (15 + 16)
#define ZSTD_WINDOW_LOG_MAX 23 /* 8 MiB, which RFC 8878 recommends. */

struct sink { /* What is inflated goes here, as much as is allowed. */
	unsigned char *bytes;
	size_t size, room, limit;
};

enum step {
	STEP_MORE, /* There is more to come, or no room was left. */
	STEP_LAST, /* All of it was there. */
	STEP_BROKEN,
};

bool inflate_encoding(const char *encoding, enum inflate_encoding *template)
{
	if (encoding == NULL || strcasecmp(encoding, "identity") == 0)
		*template = INFLATE_NONE;
	else if (strcasecmp(encoding, "gzip") == 0)
		*template = INFLATE_GZIP;
	else if (strcasecmp(encoding, "zstd") == 0)
		*template = INFLATE_ZSTD;
	else
		return false;
	return true;
}

static size_t limit_of(size_t size, size_t size_max)
{
	size_t limit = size > size_max / INFLATE_RATIO_MAX
			       ? size_max
			       : size * INFLATE_RATIO_MAX;

	if (limit < INFLATE_SMALL)
		limit = INFLATE_SMALL;
	return limit < size_max ? limit : size_max;
}

/* Makes room for one byte at least, up to one more than is allowed. */
static enum inflate_result make_room(struct sink *sink, size_t first)
{
	size_t room = sink->room == 0 ? first : 2 * sink->room;
	unsigned char *more;

	if (sink->size < sink->room)
		return INFLATE_OKAY;
	if (sink->room == sink->limit + 1)
		return INFLATE_TOO_BIG;
	if (room > sink->limit)
		room = sink->limit + 1;
	more = realloc(sink->bytes, room);
	if (more == NULL)
		return INFLATE_NO_MEMORY;
	sink->bytes = more;
	sink->room = room;
	return INFLATE_OKAY;
}

/* --- gzip ---------------------------------------------------------------- */

static enum step gzip_step(z_stream *stream, struct sink *sink)
{
	int rc;

	stream->next_out = sink->bytes + sink->size;
	stream->avail_out = (uInt)(sink->room - sink->size);
	rc = inflate(stream, Z_NO_FLUSH);
	sink->size = stream->total_out;
	if (rc == Z_STREAM_END)
		return stream->avail_in == 0 ? STEP_LAST : STEP_BROKEN;
	if (rc != Z_OK || (stream->avail_in == 0 && stream->avail_out > 0))
		return STEP_BROKEN;
	return STEP_MORE;
}

static enum inflate_result gzip_all(const unsigned char *bytes, size_t size,
				    struct sink *sink)
{
	z_stream stream = { .next_in = (unsigned char *)(size_t)bytes,
			    .avail_in = (uInt)size };
	enum inflate_result result;
	enum step step = STEP_MORE;

	if (inflateInit2(&stream, GZIP_BITS) != Z_OK)
		return INFLATE_NO_MEMORY;
	do {
		result = make_room(sink, 4 * size + 1024);
		if (result == INFLATE_OKAY)
			step = gzip_step(&stream, sink);
	} while (result == INFLATE_OKAY && step == STEP_MORE);
	inflateEnd(&stream);
	return step == STEP_BROKEN ? INFLATE_BROKEN : result;
}

/* --- zstd ---------------------------------------------------------------- */

static enum step zstd_step(ZSTD_DCtx *context, ZSTD_inBuffer *in,
			   struct sink *sink)
{
	ZSTD_outBuffer out = { sink->bytes, sink->room, sink->size };
	size_t left = ZSTD_decompressStream(context, &out, in);

	sink->size = out.pos;
	if (ZSTD_isError(left))
		return STEP_BROKEN;
	if (left == 0)
		return in->pos == in->size ? STEP_LAST : STEP_MORE;
	return in->pos == in->size && out.pos < out.size ? STEP_BROKEN
							 : STEP_MORE;
}

static enum inflate_result zstd_all(const unsigned char *bytes, size_t size,
				    struct sink *sink)
{
	ZSTD_inBuffer in = { bytes, size, 0 };
	ZSTD_DCtx *context = ZSTD_createDCtx();
	enum inflate_result result;
	enum step step = STEP_MORE;

	if (context == NULL)
		return INFLATE_NO_MEMORY;
	ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax,
			       ZSTD_WINDOW_LOG_MAX);
	do {
		result = make_room(sink, 8 * size + 1024);
		if (result == INFLATE_OKAY)
			step = zstd_step(context, &in, sink);
	} while (result == INFLATE_OKAY && step == STEP_MORE);
	ZSTD_freeDCtx(context);
	return step == STEP_BROKEN ? INFLATE_BROKEN : result;
}

/* --- Both ---------------------------------------------------------------- */

enum inflate_result inflate_body(enum inflate_encoding template,
				 const unsigned char *bytes, size_t size,
				 size_t size_max, unsigned char **out,
				 size_t *out_size)
{
	struct sink sink = { .limit = limit_of(size, size_max) };
	enum inflate_result result = template == INFLATE_ZSTD
					     ? zstd_all(bytes, size, &sink)
					     : gzip_all(bytes, size, &sink);

	if (result == INFLATE_OKAY && sink.size > sink.limit)
		result = INFLATE_TOO_BIG;
	if (result == INFLATE_OKAY) {
		*out = sink.bytes;
		*out_size = sink.size;
	} else {
		free(sink.bytes);
	}
	return result;
}
