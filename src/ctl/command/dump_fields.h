/* SPDX-License-Identifier: MIT */
/* Reads a file in protobuf, packed as gzip or not, field by field: no more of it is in memory than
 * one. */
#pragma once

#include <stdbool.h>

#include "formats/otlp/otlp.h"

struct dump_fields;

struct dump_fields *dump_fields_open(const char *path); /* NULL: errno says why. */
void dump_fields_close(struct dump_fields *);

/* The next field of the file, with its head; it lives until the next call.  False: that was all, or
 * the file is damaged. */
bool dump_fields_next(struct dump_fields *, struct mc_otlp_span *field);

/* Whether fields were all there is. */
bool dump_fields_are_whole(const struct dump_fields *);
