/* SPDX-License-Identifier: MIT */
/* OTLP in JSON: a request is converted to the same one in protobuf, which is then read as any
 * other. */
#pragma once

#include <stdint.h>

#include <collector/kit/inflate.h>

#define JSON_DEPTH_MAX 32 /* Objects and lists in each other. */

struct json_request {
	const unsigned char *text;
	size_t size;
	bool logs; /* For log records, not for metrics. */
};

/* Writes a request in protobuf.  mc_inflate_free() is due if the result is MC_INFLATE_OKAY; else
 * nothing was kept, and '*why' says what is wrong.  Fields that it does not know are passed over.
 * Thread: any. */
enum mc_inflate_result json_convert(const struct json_request *, const struct mc_inflate_limits *,
				    struct mc_inflated *, const char **why);

/* Write what is answered, as mc_otlp_reply() and mc_otlp_error().  Return its size. */
#define JSON_REPLY_SIZE 640
size_t json_reply(char out[JSON_REPLY_SIZE], bool logs, uint64_t rejected, const char *why);
size_t json_error(char out[JSON_REPLY_SIZE], const char *why);
