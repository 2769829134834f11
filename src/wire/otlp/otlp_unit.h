/* SPDX-License-Identifier: MIT */
/* Units: those of types.db, and how OpenTelemetry spells them. */
#ifndef COLLECTOR_WIRE_OTLP_OTLP_UNIT_H
#define COLLECTOR_WIRE_OTLP_OTLP_UNIT_H

#include "wire/otlp/otlp.h"
#include "wire/protobuf.h"

#define OTLP_UNIT_SIZE 32 /* Of the text of one, with '\0'. */

/* Writes the unit of a gauge, or of a rate, of that type, as OpenTelemetry has
 * it: "bytes/s" is "By/s", "packets" is "{packets}".  Returns its size; 0: it
 * has none. */
size_t otlp_unit_write(char out[OTLP_UNIT_SIZE], const char *unit);

/* What is written of the unit of a type, as a field of its metric: for gauges,
 * and for sums, which are without the "/s" of their rate. */
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
static inline unsigned char *otlp_unit_put(unsigned char *at,
					   const struct otlp_unit *unit,
					   enum mc_kind kind)
{
	if (kind == MC_GAUGE)
		return protobuf_put_raw(at, unit->gauge, unit->gauge_size);
	return protobuf_put_raw(at, unit->sum, unit->sum_size);
}

/* Writes what types.db would say of a unit of OpenTelemetry's; of a sum it is
 * that of the rate.  "": it has none, or one that is no printable text of less
 * than OTLP_UNIT_SIZE bytes. */
void otlp_unit_read(char out[OTLP_UNIT_SIZE], struct mc_otlp_text unit,
		    bool sum);

#endif
