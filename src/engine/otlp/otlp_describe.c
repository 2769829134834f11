/* SPDX-License-Identifier: MIT */
/* Facts: the OpenTelemetry specification, "Metrics Data Model": a description
 * does not identify a metric; so the points of several metrics of one name and
 * unit, of which each has its own attributes, are those of one stream. */
#include "engine/otlp/otlp_describe.h"

#include <collector/writer.h>

#include <string.h>

#include "formats/protobuf.h"

static void describe(struct otlp_description *out, const struct mc_series *series, unsigned source)
{
	const struct mc_type *type = mc_type(series);
	bool sum = type->sources[source].kind != MC_GAUGE;
	const char *text;

	*out = (struct otlp_description){
		.metadata = mc_get_metadata(series, source),
		.text = "",
	};
	if (out->metadata == NULL)
		return;
	text = mc_metadata_attribute(out->metadata, "info");
	if (text != NULL)
		out->text = text;
	out->size = strlen(out->text);
	if (out->metadata->unit[0] == '\0')
		return;
	out->unit_size = otlp_unit_of_metadata(out->unit, out->metadata, sum);
	out->has_unit =
		!otlp_unit_is((struct mc_otlp_text){ out->unit, out->unit_size }, type->unit, sum);
}

bool otlp_describe(struct otlp_description *out, const struct mc_series *series)
{
	unsigned len = mc_type(series)->sources_len;
	bool any = false;

	for (unsigned i = 0; i < len; i++) {
		describe(&out[i], series, i);
		any |= out[i].size > 0 || out[i].has_unit;
	}
	if (!any)
		otlp_describe_release(out, len);
	return any;
}

void otlp_describe_release(struct otlp_description *descriptions, size_t len)
{
	for (size_t i = 0; i < len; i++)
		mc_release_metadata(descriptions[i].metadata);
}

bool otlp_describe_is_same(const struct otlp_description *a, const struct otlp_description *b)
{
	return a->has_unit == b->has_unit &&
	       (!a->has_unit ||
		(a->unit_size == b->unit_size && memcmp(a->unit, b->unit, a->unit_size) == 0)) &&
	       strcmp(a->text, b->text) == 0;
}

unsigned char *otlp_describe_put(unsigned char *at, const struct otlp_description *description,
				 const struct otlp_unit *type, enum mc_kind kind)
{
	if (!description->has_unit)
		at = otlp_unit_put(at, type, kind);
	else if (description->unit_size > 0)
		at = protobuf_put_text(at, OTLP_METRIC_UNIT, description->unit,
				       description->unit_size);
	if (description->size > 0)
		at = protobuf_put_text(at, OTLP_METRIC_DESCRIPTION, description->text,
				       description->size);
	return at;
}
