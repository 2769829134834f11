/* SPDX-License-Identifier: MIT */
/* Samples as collectd's plugins write_kafka and write_http send them: its JSON, and its command
 * PUTVAL.  It calls a sample a value list.
 *
 * Facts: collectd.conf(5), and bytes that collectd 5.12 has sent.  Pure functions; thread: any. */
#pragma once

#include <collector/kit/buffer.h>
#include <collector/plugin.h>

struct mc_value_list {
	const char *name; /* "host/plugin-instance/type-instance" */
	struct mc_id id;  /* The same in parts, "" where one is missing; its type is not read. */
	const struct mc_type *type;
	mc_time time, interval;
	const union mc_value *values; /* Raw ones, then as many rates, as in struct mc_sample. */
};

/* Appends an object of JSON, as {"values":[1],"dstypes":["gauge"],...}; collectd sends lists of
 * them.  With 'rates' values are changes per second.  A value that is not finite is null.  Bytes
 * that are not printable ASCII become '?', as collectd has it. */
void mc_value_list_json(struct mc_buffer *, const struct mc_value_list *, bool rates);

/* The parts of that, for a writer that keeps what does not change of a series: {"values":[1 and
 * ],"dstypes":[...],"dsnames":[...],"time": and, after the time, ,"interval":10.000,...} */
void mc_value_list_json_values(struct mc_buffer *, const struct mc_value_list *, bool rates);
void mc_value_list_json_sources(struct mc_buffer *, const struct mc_value_list *);
void mc_value_list_json_rest(struct mc_buffer *, const struct mc_value_list *);

/* Appends "PUTVAL name interval=10.000 1700000000.000:1:2", without a newline. */
void mc_value_list_putval(struct mc_buffer *, const struct mc_value_list *, bool rates);

/* The part of that before the time. */
void mc_value_list_putval_head(struct mc_buffer *, const struct mc_value_list *);

/* Appends a value: the raw one, or its rate.  "nan" and "inf" are no numbers of JSON. */
void mc_value_list_number(struct mc_buffer *, const struct mc_value_list *, unsigned source,
			  bool rates);
