/* SPDX-License-Identifier: MIT */
/* What waits for a file that is to be made.  The caller locks. */
#ifndef RRDCACHED_DEFERRED_H
#define RRDCACHED_DEFERRED_H

#include <collector/journal.h>
#include <collector/plugin.h>

struct daemon;
struct file;

/* Keeps a value, "second:value\n", at its place in time.  At least one for each
 * file, whatever the limit. */
void deferred_value(struct daemon *, struct file *, const char *value,
		    size_t size, struct mc_offset);

/* Whether another value can be kept without giving up one of the file's. */
bool deferred_fits(const struct daemon *, const struct file *);

/* Makes '*oldest' the oldest offset of the list's, if that is older. */
void deferred_oldest(const struct file *first, struct mc_offset *oldest);

#endif
