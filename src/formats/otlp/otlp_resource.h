/* SPDX-License-Identifier: MIT */
/* Reads the resource of a request: the origin of its points. */
#pragma once

#include "formats/otlp/otlp_message.h"

struct otlp_source {
	const struct mc_otlp_map *map; /* That fits, or NULL. */
	struct mc_otlp_text host, service, plugin_instance, type_instance;
	bool named; /* By "host.name". */
};

/* Reads a resource, and leaves in the source what it does not say. */
void otlp_resource_read(struct mc_otlp_span, const struct mc_otlp_naming *, struct otlp_source *,
			bool *broken);
