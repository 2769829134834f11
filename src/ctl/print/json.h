/* SPDX-License-Identifier: MIT */
/* JSON for scripts, on standard output: yajl with fewer words. */
#ifndef COLLECTOR_CTL_PRINT_JSON_H
#define COLLECTOR_CTL_PRINT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <collector/plugin.h>

#include "ctl/answer/record.h"

struct json;

/* 'pretty' puts it over several lines. */
struct json *json_new(bool pretty);

/* A document of collectorctl: a map whose first pair is "v", the version of all
 * its shapes (doc/collectorctl.schema.json).  It changes if something that was
 * there means something else or is gone, not if something is added. */
#define JSON_VERSION 1
struct json *json_open(bool pretty);

/* Ends the map, and the document, with json_write(). */
void json_close(struct json *, FILE *);

/* Writes what has been generated, and a newline, and frees. */
void json_write(struct json *, FILE *);

/* A map or a list, under 'key' if in a map (else NULL). */
void json_map(struct json *, const char *key);
void json_list(struct json *, const char *key);
void json_map_end(struct json *);
void json_list_end(struct json *);

/* Keys and texts may hold any bytes: what is no UTF-8 becomes '?'. */
void json_text(struct json *, const char *key, const char *text);
/* NaN and infinities are null. */
void json_number(struct json *, const char *key, double);
void json_integer(struct json *, const char *key, int64_t);
void json_unsigned(struct json *, const char *key, uint64_t);
/* A number as it stands in a line of the collector: whole ones with all their
 * digits.  What is none is null. */
void json_numeral(struct json *, const char *key, const char *text);
void json_bool(struct json *, const char *key, bool);

/* A raw value of that kind, with all its digits. */
void json_value(struct json *, const char *key, enum mc_kind,
		const union mc_value *);

/* The pairs of a record, as numbers, booleans, texts as their keys are; those
 * of a label are texts, whatever they look like. */
void json_record(struct json *, const struct record *);

#endif
