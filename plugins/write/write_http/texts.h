/* SPDX-License-Identifier: MIT */
/* Samples as a receiver wants them: collectd's JSON or PUTVAL, JSON of KairosDB, or lines of
 * InfluxDB.  The texts of a series that do not change are kept.
 *
 * Facts: bytes that collectd 5.12 has sent by write_http and, for the names of lines, by
 * write_influxdb_udp; "Line protocol" in the documentation of InfluxDB.  Any thread, one at a
 * time. */
#pragma once

#include <collector/kit/buffer.h>
#include <collector/writer.h>

enum texts_format { TEXTS_COMMAND, TEXTS_JSON, TEXTS_KAIROSDB, TEXTS_INFLUX };

struct texts_options {
	int format; /* enum texts_format */
	bool store_rates;
	const char *prefix;           /* Of names in KairosDB; "": none. */
	struct mc_strings attributes; /* There: name, value, name, value... */
	int64_t ttl;                  /* Seconds that it keeps values; 0: as it is set up. */
};

struct texts; /* Kept of a series; for free(). */

/* Appends a sample to a body, which is empty at first; nothing if none of its values is known and
 * the format has nothing for that.  '*kept' is NULL at first. */
void texts_add(struct mc_buffer *body, const struct texts_options *, const struct mc_sample *,
	       struct texts **kept);

/* Ends the body, after the last sample. */
void texts_end(struct mc_buffer *body, const struct texts_options *);

const char *texts_content_type(const struct texts_options *);
