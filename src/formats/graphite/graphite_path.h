/* SPDX-License-Identifier: MIT */
/* Series as Graphite knows them: the names that collectd's write_graphite gives to series: "PREFIX
 * HOST POSTFIX . plugin-instance . type-instance . source", or with tags.
 *
 * Facts: collectd.conf(5), and lines that collectd 5.12 has sent.  Pure. */
#pragma once

#include <collector/kit/buffer.h>
#include <collector/plugin.h>

struct mc_graphite_options {
	const char *prefix, *postfix; /* NULL: none. */
	const char *escape;           /* Its first byte takes the place of what
				       * Graphite cannot have. */
	bool separate_instances, preserve_separator, drop_duplicates, use_tags, reverse_host;
};

/* Bytes that take no other's place. */
#define MC_GRAPHITE_FORBIDDEN " \t\"\\:!,/()\n\r"

/* Appends the path of a source of the series 'id', whose parts are "" where they are missing.
 * 'source' is NULL if its name is not a part of it. */
void mc_graphite_path(struct mc_buffer *, const struct mc_graphite_options *,
		      const struct mc_id *id, const char *source);
