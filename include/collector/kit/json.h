/* SPDX-License-Identifier: MIT */
/* collector/kit/json.h - JSON, in and out, in libkit_json, which needs yajl or json-c; out alone in
 * libkit_json_write, which needs nothing.
 *
 * One thread at a time for each writer; readers keep nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- In ------------------------------------------------------------------- */

/* Callbacks for the items of a text, in its order.  False ends it.  A call that is NULL is not
 * wanted, and true. */
struct mc_json_calls {
	bool (*null)(void *argument);
	bool (*boolean)(void *argument, bool value);
	/* As it stands, without a '\0': whole numbers have all their digits. */
	bool (*number)(void *argument, const char *text, size_t size);
	/* Without escapes, in UTF-8, without a '\0' after it; there may be some in it. */
	bool (*string)(void *argument, const char *text, size_t size);
	bool (*key)(void *argument, const char *text, size_t size);
	bool (*begin_map)(void *argument);
	bool (*end_map)(void *argument);
	bool (*begin_list)(void *argument);
	bool (*end_list)(void *argument);
};

/* Reads a whole text.  0; -EINVAL: it is no JSON; -ELOOP: more than 'depth_max'
 * maps and lists in each other; -ECANCELED: a call returned false.  Calls may come for a text that
 * turns out to be invalid: the number at the end of one that was cut off may be only a part. */
int mc_json_read(const void *text, size_t size, unsigned depth_max, const struct mc_json_calls *,
		 void *argument);

/* --- Out ------------------------------------------------------------------ */

struct mc_json;

/* 'pretty' puts it over several lines, the last of which is ended. */
struct mc_json *mc_json_new(bool pretty);
void mc_json_free(struct mc_json *); /* NULL is fine. */

/* The text so far, until more is written. */
const char *mc_json_bytes(const struct mc_json *, size_t *size);

/* A map or a list, under 'key' if in a map (else NULL); the same of all below. */
void mc_json_map(struct mc_json *, const char *key);
void mc_json_map_end(struct mc_json *);
void mc_json_list(struct mc_json *, const char *key);
void mc_json_list_end(struct mc_json *);

/* Keys and texts may hold any bytes: in what is no UTF-8 each of those that are
 * no ASCII becomes '?'. */
void mc_json_text(struct mc_json *, const char *key, const char *text);
/* The shortest text that reads back the same; NaN and infinities are null. */
void mc_json_number(struct mc_json *, const char *key, double);
/* Nanoseconds as seconds, without what a product with 1e-9 would add. */
void mc_json_seconds(struct mc_json *, const char *key, int64_t nanoseconds);
void mc_json_signed(struct mc_json *, const char *key, int64_t);
void mc_json_unsigned(struct mc_json *, const char *key, uint64_t);
/* A number that is text already, as JSON has them. */
void mc_json_digits(struct mc_json *, const char *key, const char *text);
void mc_json_bool(struct mc_json *, const char *key, bool);
void mc_json_null(struct mc_json *, const char *key);
