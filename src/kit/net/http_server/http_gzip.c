/* SPDX-License-Identifier: MIT */
/* Answers in gzip.  Facts: RFC 9110, 12.5.3 (Accept-Encoding). */
#define ZLIB_CONST
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <zlib.h>

#include <collector/kit/alloc.h>
#include <collector/kit/http_server.h>

#define LEAST 1024 /* Bytes; fewer fit into a packet as they are. */
#define LEVEL 3    /* Text shrinks nearly as far as with 9, for a third. */

/* Whether the parameters of a coding say that it is not wanted: "q=0". */
static bool is_refused(const char *parameters)
{
	const char *weight = strstr(parameters, "q=");
	size_t size = strcspn(parameters, ",");

	return weight != NULL && (size_t)(weight - parameters) < size &&
	       strtod(weight + 2, NULL) <= 0;
}

bool mc_httpd_takes_gzip(const struct mc_httpd_request *request)
{
	const char *at = mc_httpd_header(request, "Accept-Encoding");

	while (at != NULL && *at != '\0') {
		size_t size;

		at += strspn(at, ", \t");
		size = strcspn(at, ",; \t");
		if (size == 4 && strncasecmp(at, "gzip", 4) == 0)
			return !is_refused(at + size);
		at += strcspn(at, ",");
	}
	return false;
}

/* NULL if there is no memory for it. */
static void *pack(const void *body, size_t size, size_t *packed_size)
{
	z_stream stream = { .next_in = body, .avail_in = (uInt)size };
	unsigned char *packed;

	/* 16 and 15: in gzip, with the largest window. */
	if (deflateInit2(&stream, LEVEL, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	*packed_size = deflateBound(&stream, size);
	packed = mc_alloc(*packed_size);
	stream.next_out = packed;
	stream.avail_out = (uInt)*packed_size;
	deflate(&stream, Z_FINISH); /* The bound is enough. */
	*packed_size = stream.total_out;
	deflateEnd(&stream);
	return packed;
}

void mc_httpd_answer_packed(struct mc_httpd_request *request, const char *type, const void *body,
			    size_t size)
{
	void *packed = NULL;
	size_t packed_size;

	mc_httpd_add_header(request, "Vary", "Accept-Encoding");
	if (size >= LEAST && size <= UINT32_MAX / 2 && mc_httpd_takes_gzip(request))
		packed = pack(body, size, &packed_size);
	if (packed == NULL) {
		mc_httpd_answer(request, 200, type, body, size);
		return;
	}
	mc_httpd_add_header(request, "Content-Encoding", "gzip");
	mc_httpd_answer(request, 200, type, packed, packed_size);
	free(packed);
}
