/* SPDX-License-Identifier: MIT */
/* Reads the resource of a request: the origin of its points. */
#pragma once

#include "formats/otlp/otlp_message.h"

/* Reads a resource, and leaves in 'host' and 'service' what it does not say.
 * Whether it has "host.name". */
bool otlp_resource_read(struct mc_otlp_span, struct mc_otlp_text *host,
			struct mc_otlp_text *service, bool *broken);
