/* SPDX-License-Identifier: MIT */
/* kit/base/mount_point.h - mount points as the kernel writes them in /proc, and their names in
 * series.  Pure functions. */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Resolves escapes in place: the kernel writes blanks, newlines and backslashes as "\040". */
static inline void mc_mount_point_unescape(char *word)
{
	char *in = strchr(word, '\\'), *out = in;

	if (in == NULL)
		return;
	while (*in != '\0') {
		if (*in == '\\' && in[1] >= '0' && in[1] <= '3' && in[2] >= '0' && in[2] <= '7' &&
		    in[3] >= '0' && in[3] <= '7') {
			*out++ = (char)((in[1] - '0') << 6 | (in[2] - '0') << 3 | (in[3] - '0'));
			in += 4;
		} else {
			*out++ = *in++;
		}
	}
	*out = '\0';
}

/* Writes the name that collectd has for it, cut at 'size' bytes: "/" is "root", "/var/log" is
 * "var-log". */
static inline void mc_mount_point_name(const char *point, char *out, size_t size)
{
	snprintf(out, size, "%s", point[1] == '\0' ? "root" : point + 1);
	for (char *at = out; (at = strchr(at, '/')) != NULL;)
		*at = '-';
}
