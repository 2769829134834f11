/* SPDX-License-Identifier: MIT */
/* Cells of the tables of status and top, each a field of a record. */
#pragma once

#include "ctl/answer/record.h"
#include "ctl/print/table.h"

/* How many: "1.2 k". */
void cell_count(struct table *, const struct record *, const char *key);

/* A duration that the record has in nanoseconds. */
void cell_duration(struct table *, const struct record *, const char *key);

/* How full the queue of a writer is; "journal" if values wait on disk. */
void cell_queue(struct table *, const struct record *writer);
