/* SPDX-License-Identifier: MIT */
/* Metadata of the sources of series that are written: description and unit of their metrics, where
 * they differ from the type's.  OTLP has one of each for all points of a metric; so sources that
 * differ get a metric of their own. */
#pragma once

#include <collector/metadata.h>

#include "formats/otlp/otlp_unit.h"

struct otlp_description {                   /* Of a source. */
	const struct mc_metadata *metadata; /* That has the text, or NULL. */
	const char *text;                   /* "": none. */
	size_t size;
	bool has_unit; /* Else it is that of the type. */
	size_t unit_size;
	char unit[OTLP_UNIT_SIZE];
};

/* Metadata of all sources of a series, to be released.  False without any; then there is nothing
 * to release. */
bool otlp_describe(struct otlp_description *, const struct mc_series *);
void otlp_describe_release(struct otlp_description *, size_t len);

/* Whether both are of one metric. */
bool otlp_describe_is_same(const struct otlp_description *, const struct otlp_description *);

/* Writes the description and the unit, before 'at', as protobuf.h. */
unsigned char *otlp_describe_put(unsigned char *at, const struct otlp_description *,
				 const struct otlp_unit *type, enum mc_kind);

/* Largest size of that, without the unit. */
static inline size_t otlp_describe_size(const struct otlp_description *one)
{
	return one->size + 8;
}
