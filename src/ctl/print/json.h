/* SPDX-License-Identifier: MIT */
/* JSON for scripts, on standard output: what of it is the client's own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <collector/kit/json.h>
#include <collector/plugin.h>

#include "ctl/answer/record.h"

/* A document of collectorctl: a map whose first pair is "v", the version of all
 * its shapes (doc/collectorctl.schema.json).  It changes if something that was
 * there means something else or is gone, not if something is added. */
#define JSON_VERSION 1
struct mc_json *json_open(bool pretty);

/* Ends the map, and the document, with json_write(). */
void json_close(struct mc_json *, FILE *);

/* Writes what has been generated, and a newline, and frees. */
void json_write(struct mc_json *, FILE *);

/* A number from a line of the collector: whole ones with all their digits.  Anything else is
 * null. */
void json_numeral(struct mc_json *, const char *key, const char *text);

/* A raw value of that kind, with all its digits. */
void json_value(struct mc_json *, const char *key, enum mc_kind, const union mc_value *);

/* The pairs of a record, as numbers, booleans, texts as their keys are; those
 * of a label are texts, whatever they look like. */
void json_record(struct mc_json *, const struct record *);
