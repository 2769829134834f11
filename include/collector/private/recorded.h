/* SPDX-License-Identifier: MIT */
/* collector/private/recorded.h - readers that are read a second time, at a shorter interval, for a
 * writer that has record().
 *
 * The state of its plugin begins with struct mc_recorded, whose fields are options.  For each
 * reader that these name and the configuration has, the daemon makes another instance, of the same
 * options, called READER.WRITER: "cpu.recorder".  Its batches go to record() alone, and
 * no alert is made of it. */
#pragma once

#include <collector/control.h>
#include <collector/writer.h>

#pragma GCC visibility push(default)

struct mc_recorded {
	struct mc_strings readers; /* Names of instances. */
	mc_time interval;          /* At which they are read. */
};

/* Has each writer that can do so dump what it has recorded; 'where' is the file of the first.  0;
 * -ENOENT: no plugin can; or what its dump() returned.  Thread: any. */
#define MC_DUMP_WHERE_SIZE 4096
int mc_dump(struct mc_ctx *ctx, const char *why, char *where, size_t size);

/* Whether this reader is one of the second cadence: recorders alone get its values, so it needs to
 * report nothing to people.  Thread: any. */
bool mc_is_recorded(const struct mc_ctx *ctx);

#pragma GCC visibility pop
