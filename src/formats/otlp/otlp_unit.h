/* SPDX-License-Identifier: MIT */
/* Units: those of types.db, and how OpenTelemetry spells them. */
#pragma once

#include <collector/metadata.h>

#include "formats/otlp/otlp_message.h"
#include "formats/protobuf.h"

#define OTLP_UNIT_SIZE 64 /* Of the text of one, with '\0': as instruments. */

/* The attribute of metadata that has a unit as a sender of OTLP spelled it,
 * where it would be spelled another way here. */
#define OTLP_UNIT_SPELLING "otlp_unit"

/* Writes the unit of a gauge, or of a rate, of that type, as OpenTelemetry has it: "bytes/s" is
 * "By/s", "packets" is "{packets}".  Returns its size; 0: it has none. */
size_t otlp_unit_write(char out[OTLP_UNIT_SIZE], const char *unit);

/* Writes the unit that metadata have, not "", as otlp_unit_write().  0 also for a text that is not
 * a unit: one with blanks or braces. */
size_t otlp_unit_of_metadata(char out[OTLP_UNIT_SIZE], const struct mc_metadata *, bool sum);

/* Whether that is how a metric in the unit has it; 'sum': a sum, of which the
 * unit is that of the rate. */
bool otlp_unit_is(struct mc_otlp_text said, const char *unit, bool sum);

/* The encoded unit of a type, as a field of its metric: for gauges, and for sums, which are
 * without the "/s" of their rate. */
struct otlp_unit {
	const struct mc_type *type;
	uint8_t gauge_size, sum_size; /* 0: it has none. */
	char gauge[OTLP_UNIT_SIZE + 2], sum[OTLP_UNIT_SIZE + 2];
};

/* That of a type, in a table of zeros at first. */
#define OTLP_UNITS 64
const struct otlp_unit *otlp_unit_find(struct otlp_unit known[OTLP_UNITS],
				       const struct mc_type *type);

/* As protobuf_put_raw(). */
static inline unsigned char *otlp_unit_put(unsigned char *at, const struct otlp_unit *unit,
					   enum mc_kind kind)
{
	if (kind == MC_GAUGE)
		return protobuf_put_raw(at, unit->gauge, unit->gauge_size);
	return protobuf_put_raw(at, unit->sum, unit->sum_size);
}

/* Writes a unit of OpenTelemetry's as in types.db; for a sum that of the rate.  "": it has none,
 * or one that is not a printable text of less than OTLP_UNIT_SIZE bytes. */
void otlp_unit_read(char out[OTLP_UNIT_SIZE], struct mc_otlp_text unit, bool sum);
