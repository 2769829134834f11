/* SPDX-License-Identifier: MIT */
/* Lines that wait for a file to be made.  The caller locks. */
#pragma once

#include <collector/journal.h>
#include <collector/plugin.h>

struct daemon;
struct file;

/* Keeps a value, "second:value\n", at its place in time.  The oldest of the file that are in no
 * journal are dropped beyond the limit; at least one is kept for each file. */
void deferred_value(struct daemon *, struct file *, const char *value, size_t size,
		    struct mc_offset);

/* Whether another value can be kept without giving up one of the file's. */
bool deferred_fits(const struct daemon *, const struct file *);

/* Takes the oldest one, of that size, or all out. */
void deferred_remove(struct daemon *, struct file *, size_t size);
void deferred_clear(struct daemon *, struct file *);

/* Makes '*oldest' the oldest offset of the list's, if that is older. */
void deferred_oldest(const struct file *first, struct mc_offset *oldest);
