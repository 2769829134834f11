/* SPDX-License-Identifier: MIT */
/* Facts: zlib.h, zstd.h; RFC 9110, "Content Codings", for the names; RFC 1952, section 2.2, for
 * members; RFC 8878, section 3.1.1.1.2, for the window: what a sender says of its size is memory
 * that the reader is to take, so it is limited. */
#include <collector/kit/inflate.h>

#include <stdlib.h>
#include <strings.h>

#include <zlib.h>
#include <zstd.h>

#include <collector/kit/alloc.h>

#define GZIP_BITS (15 + 16)
#define ROOM_FIRST 4096
#define ZSTD_WINDOW_LOG_MAX 23 /* 8 MiB, which RFC 8878 recommends. */
struct sink {                  /* Inflated bytes go here, as many as allowed. */
	const struct mc_inflate_limits *limits;
	struct mc_inflated out;
	size_t limit;
};

enum step {
	STEP_MORE, /* There is more to come, or no room was left. */
	STEP_LAST, /* All of it was there. */
	STEP_BROKEN,
};

bool mc_inflate_encoding(const char *encoding, enum mc_inflate_encoding *out)
{
	if (encoding == NULL || strcasecmp(encoding, "identity") == 0)
		*out = MC_INFLATE_NONE;
	else if (strcasecmp(encoding, "gzip") == 0)
		*out = MC_INFLATE_GZIP;
	else if (strcasecmp(encoding, "zstd") == 0)
		*out = MC_INFLATE_ZSTD;
	else
		return false;
	return true;
}

/* A body may repeat what it refers to. */
static size_t limit_of(size_t size, const struct mc_inflate_limits *limits)
{
	size_t size_max = limits->size_max;
	size_t limit =
		size > size_max / MC_INFLATE_RATIO_MAX ? size_max : size * MC_INFLATE_RATIO_MAX;

	if (limit < 2 * limits->prefix_size)
		limit = 2 * limits->prefix_size;
	if (limit < MC_INFLATE_SMALL)
		limit = MC_INFLATE_SMALL;
	return limit < size_max ? limit : size_max;
}

/* --- Memory -------------------------------------------------------------- */

void mc_inflate_free(const struct mc_inflate_limits *limits, struct mc_inflated *body)
{
	free(body->bytes);
	atomic_fetch_sub(limits->pool, body->room);
	*body = (struct mc_inflated){ 0 };
}

/* Takes that much of the pool. */
static bool charge(const struct mc_inflate_limits *limits, size_t size)
{
	if (atomic_fetch_add(limits->pool, size) + size <= limits->pool_max)
		return true;
	atomic_fetch_sub(limits->pool, size);
	return false;
}

static enum mc_inflate_result resize(const struct mc_inflate_limits *limits,
				     struct mc_inflated *out, size_t room)
{
	if (!charge(limits, room - out->room))
		return MC_INFLATE_NO_MEMORY;
	out->bytes = mc_alloc_resize(out->bytes, room, 1);
	out->room = room;
	return MC_INFLATE_OKAY;
}

/* Makes room for one byte at least, up to one more than is allowed. */
static enum mc_inflate_result make_room(struct sink *sink, size_t first)
{
	struct mc_inflated *out = &sink->out;
	size_t room = out->room == 0 ? first : 2 * out->room;

	if (out->size < out->room)
		return MC_INFLATE_OKAY;
	if (out->room == sink->limit + 1)
		return MC_INFLATE_TOO_BIG;
	if (room > sink->limit)
		room = sink->limit + 1;
	return resize(sink->limits, out, room);
}

enum mc_inflate_result mc_inflate_reserve(const struct mc_inflate_limits *limits,
					  struct mc_inflated *out, size_t more)
{
	size_t room = out->room == 0 ? ROOM_FIRST : out->room;

	if (more <= out->room - out->size)
		return MC_INFLATE_OKAY;
	if (more > limits->size_max || out->size > limits->size_max - more)
		return MC_INFLATE_TOO_BIG;
	while (room < out->size + more)
		room *= 2;
	return resize(limits, out, room < limits->size_max ? room : limits->size_max);
}

/* --- gzip ---------------------------------------------------------------- */

/* A body is one member or more (RFC 1952), each with a checksum of its own. */
static enum step gzip_step(z_stream *stream, struct mc_inflated *out)
{
	int rc;

	stream->next_out = out->bytes + out->size;
	stream->avail_out = (uInt)(out->room - out->size);
	rc = inflate(stream, Z_NO_FLUSH);
	out->size = out->room - stream->avail_out;
	if (rc == Z_STREAM_END && stream->avail_in == 0)
		return STEP_LAST;
	if (rc == Z_STREAM_END)
		return inflateReset(stream) == Z_OK ? STEP_MORE : STEP_BROKEN;
	if (rc != Z_OK || (stream->avail_in == 0 && stream->avail_out > 0))
		return STEP_BROKEN;
	return STEP_MORE;
}

static enum mc_inflate_result gzip_all(const unsigned char *bytes, size_t size, struct sink *sink)
{
	z_stream stream = { .next_in = (unsigned char *)(size_t)bytes, .avail_in = (uInt)size };
	enum mc_inflate_result result;
	enum step step = STEP_MORE;

	if (inflateInit2(&stream, GZIP_BITS) != Z_OK)
		return MC_INFLATE_NO_MEMORY;
	do {
		result = make_room(sink, 4 * size + 1024);
		if (result == MC_INFLATE_OKAY)
			step = gzip_step(&stream, &sink->out);
	} while (result == MC_INFLATE_OKAY && step == STEP_MORE);
	inflateEnd(&stream);
	return step == STEP_BROKEN ? MC_INFLATE_BROKEN : result;
}

/* --- zstd ---------------------------------------------------------------- */

static enum step zstd_step(ZSTD_DCtx *context, ZSTD_inBuffer *in, struct mc_inflated *inflated)
{
	ZSTD_outBuffer out = { inflated->bytes, inflated->room, inflated->size };
	size_t left = ZSTD_decompressStream(context, &out, in);

	inflated->size = out.pos;
	if (ZSTD_isError(left))
		return STEP_BROKEN;
	if (left == 0)
		return in->pos == in->size ? STEP_LAST : STEP_MORE;
	return in->pos == in->size && out.pos < out.size ? STEP_BROKEN : STEP_MORE;
}

static enum mc_inflate_result zstd_all(const unsigned char *bytes, size_t size, struct sink *sink)
{
	ZSTD_inBuffer in = { bytes, size, 0 };
	ZSTD_DCtx *context = ZSTD_createDCtx();
	enum mc_inflate_result result;
	enum step step = STEP_MORE;

	if (context == NULL)
		return MC_INFLATE_NO_MEMORY;
	ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX);
	if (sink->limits->prefix != NULL)
		ZSTD_DCtx_refPrefix(context, sink->limits->prefix, sink->limits->prefix_size);
	do {
		result = make_room(sink, 8 * size + 1024);
		if (result == MC_INFLATE_OKAY)
			step = zstd_step(context, &in, &sink->out);
	} while (result == MC_INFLATE_OKAY && step == STEP_MORE);
	ZSTD_freeDCtx(context);
	return step == STEP_BROKEN ? MC_INFLATE_BROKEN : result;
}

/* --- Both ---------------------------------------------------------------- */

enum mc_inflate_result mc_inflate_body(enum mc_inflate_encoding encoding,
				       const unsigned char *bytes, size_t size,
				       const struct mc_inflate_limits *limits,
				       struct mc_inflated *out)
{
	struct sink sink = { .limits = limits, .limit = limit_of(size, limits) };
	enum mc_inflate_result result = encoding == MC_INFLATE_ZSTD ? zstd_all(bytes, size, &sink)
								    : gzip_all(bytes, size, &sink);

	if (result == MC_INFLATE_OKAY && sink.out.size > sink.limit)
		result = MC_INFLATE_TOO_BIG;
	if (result == MC_INFLATE_OKAY)
		*out = sink.out;
	else
		mc_inflate_free(limits, &sink.out);
	return result;
}
