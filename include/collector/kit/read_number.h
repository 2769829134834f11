/* SPDX-License-Identifier: MIT */
/* collector/kit/read_number.h - files that hold one whole number, such as those of sysctl and of
 * devices in /sys. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

#include <collector/plugin.h>
#include <collector/scan.h>

/* Reads 'path' as mc_read_file() does: the number it starts with, which may have a sign.  Returns
 * 0, or what mc_fail() returned if the file cannot be read, does not start with a number, or the
 * number is too large: '*number' is then 0.  Callbacks. */
static inline int mc_read_number(struct mc_ctx *ctx, const char *path, int64_t *number)
{
	char *text;
	ssize_t size = mc_read_file(ctx, path, &text);
	const char *at = text;
	int64_t found;

	*number = 0;
	if (size < 0)
		return (int)size;
	if (!mc_scan_i64(&at, &found) || !mc_scan_at_end(at))
		return mc_fail(ctx, 0, "cannot understand '%s'", path);
	*number = found;
	return 0;
}

/* Whether 'path' is there, below the root that a test may have set: for files
 * that not every machine has, as a read that fails says so in the log. */
static inline bool mc_is_there(struct mc_ctx *ctx, const char *path)
{
	char full[4096];

	return access(mc_path(ctx, path, full, sizeof(full)), F_OK) == 0;
}
