/* SPDX-License-Identifier: MIT */
/* Value lists out of the JSON that collectd's plugins write_kafka and write_http send: a list of
 * objects, or one object.  In libformats_collectd_json, with libkit_json.
 *
 * Facts: as in value_list.h.  Pure functions; thread: any. */
#pragma once

#include <collector/plugin.h>

struct mc_value_list_number { /* Of a source. */
	bool known;           /* It is a number, not null. */
	bool whole, negative; /* Its digits are all of it; its sign. */
	uint64_t digits;
	double number;
};

struct mc_value_list_in {       /* Lives as long as the call that shows it. */
	const char *why;        /* NULL: it is complete.  Else what is wrong with it. */
	struct mc_id id;        /* "" where a part is missing. */
	mc_time time, interval; /* 0: not given. */
	unsigned values_len;
	bool typed; /* It has kinds, as many as values. */
	enum mc_kind kinds[MC_SOURCES_MAX];
	struct mc_value_list_number values[MC_SOURCES_MAX];
};

/* Takes each object of the text.  False ends it. */
typedef bool mc_value_list_taker(void *argument, const struct mc_value_list_in *);

/* Reads a whole text.  NULL, or why it is invalid; some of it may have been taken before. */
const char *mc_value_list_read(const void *text, size_t size, mc_value_list_taker *take,
			       void *argument);

/* The value of a source as one of that kind.  A gauge that is null is unknown.  False: it cannot be
 * one of that kind, as a change per second is no counter. */
bool mc_value_list_read_value(const struct mc_value_list_in *, unsigned source, enum mc_kind,
			      union mc_value *);
