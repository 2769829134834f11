/* SPDX-License-Identifier: MIT */
/* A sample as the text of a message, in one of the three formats of collectd's write_kafka and
 * amqp1: JSON, a command PUTVAL, or Graphite's lines.
 *
 * Facts: collectd.conf(5), and bytes that collectd 5.12 has sent.  Pure; any thread. */
#pragma once

#include <collector/kit/buffer.h>
#include <collector/writer.h>

#include "formats/graphite/graphite_path.h"

/* In the order of MC_SAMPLE_FORMATS. */
enum mc_sample_format { MC_SAMPLE_JSON, MC_SAMPLE_COMMAND, MC_SAMPLE_GRAPHITE };

/* Words of an option Format. */
#define MC_SAMPLE_FORMATS "JSON", "Command", "Graphite"

struct mc_sample_text {
	int format;         /* enum mc_sample_format */
	bool store_rates;   /* Of JSON and Graphite: changes per second instead of raw counters. */
	bool append_source; /* Of Graphite, as the next. */
	struct mc_graphite_options path;
};

/* Rows of an option table for the paths of Graphite; 'usual' is the default of GraphiteEscapeChar.
 */
#define MC_SAMPLE_TEXT_OPTIONS(self, field, usual)                                                 \
	{ "GraphitePrefix", MC_OPT_STRING(self, field.path.prefix),                                \
	  .help = "Text before the host; with GraphiteUseTags before the name.",                   \
	  .sample = "collectd." },                                                                 \
		{ "GraphitePostfix", MC_OPT_STRING(self, field.path.postfix),                      \
		  .help = "Text after the host; with GraphiteUseTags after the name.",             \
		  .sample = ".collectd" },                                                         \
		{ "GraphiteEscapeChar", MC_OPT_STRING(self, field.path.escape),                    \
		  .default_value = usual, .help = "Takes the place of what a path cannot have." }, \
		{ "GraphiteSeparateInstances", MC_OPT_BOOL(self, field.path.separate_instances),   \
		  .default_value = "false",                                                        \
		  .help = "Instances are components of their own: cpu.0.cpu.idle." },              \
		{ "GraphiteAlwaysAppendDS", MC_OPT_BOOL(self, field.append_source),                \
		  .default_value = "false",                                                        \
		  .help = "Appends the name of the source also where there is one only." },        \
		{ "GraphitePreserveSeparator", MC_OPT_BOOL(self, field.path.preserve_separator),   \
		  .default_value = "false",                                                        \
		  .help = "Leaves dots in names; they separate components then." },                \
	{                                                                                          \
		"GraphiteUseTags", MC_OPT_BOOL(self, field.path.use_tags),                         \
			.default_value = "false",                                                  \
			.help = "Sends tagged series, for Graphite 1.1 and later."                 \
	}

/* Appends the text of 'sample'; nothing, if it has no value that the format can have. */
void mc_sample_text(struct mc_buffer *, const struct mc_sample_text *, const struct mc_sample *);
