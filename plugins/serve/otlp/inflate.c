/* SPDX-License-Identifier: MIT */
#include "inflate.h"

#include <stdlib.h>

#include <zlib.h>

#define GZIP_BITS (15 + 16)

static size_t limit_of(size_t size, size_t size_max)
{
	size_t limit = size > size_max / INFLATE_RATIO_MAX
			       ? size_max
			       : size * INFLATE_RATIO_MAX;

	if (limit < INFLATE_SMALL)
		limit = INFLATE_SMALL;
	return limit < size_max ? limit : size_max;
}

/* One step: as much as has room. */
static int inflate_some(z_stream *stream, unsigned char *out, size_t room)
{
	stream->next_out = out + stream->total_out;
	stream->avail_out = (uInt)(room - stream->total_out);
	return inflate(stream, Z_NO_FLUSH);
}

static enum inflate_result inflate_all(z_stream *stream, size_t limit,
				       unsigned char **out)
{
	size_t room = 0;

	for (;;) {
		unsigned char *more;
		int rc;

		if (stream->total_out == room) {
			if (room == limit + 1)
				return INFLATE_TOO_BIG;
			room = room == 0 ? 4 * stream->avail_in + 1024
					 : 2 * room;
			if (room > limit)
				room = limit + 1;
			more = realloc(*out, room);
			if (more == NULL)
				return INFLATE_NO_MEMORY;
			*out = more;
		}
		rc = inflate_some(stream, *out, room);
		if (rc == Z_STREAM_END)
			break;
		if (rc != Z_OK ||
		    (stream->avail_in == 0 && stream->avail_out > 0))
			return INFLATE_BROKEN;
	}
	if (stream->avail_in > 0)
		return INFLATE_BROKEN;
	return stream->total_out <= limit ? INFLATE_OKAY : INFLATE_TOO_BIG;
}

enum inflate_result inflate_body(const unsigned char *bytes, size_t size,
				 size_t size_max, unsigned char **out,
				 size_t *out_size)
{
	z_stream stream = { .next_in = (unsigned char *)(size_t)bytes,
			    .avail_in = (uInt)size };
	enum inflate_result result;
	unsigned char *inflated = NULL;

	if (inflateInit2(&stream, GZIP_BITS) != Z_OK)
		return INFLATE_NO_MEMORY;
	result = inflate_all(&stream, limit_of(size, size_max), &inflated);
	if (result == INFLATE_OKAY) {
		*out = inflated;
		*out_size = stream.total_out;
	} else {
		free(inflated);
	}
	inflateEnd(&stream);
	return result;
}
