/* SPDX-License-Identifier: MIT */
/* Data points of a request, one at a time, and the names of our series that
 * they get.  Pure functions; texts stay in the request. */
#pragma once

#include "formats/otlp/otlp_message.h"

/* Whether the metric being read is one that we write: by its scope and name;
 * that it says its kind is known already. */
bool otlp_point_is_native(const struct mc_otlp *);

/* Reads a point of the metric being read.  NULL, or why it is rejected. */
const char *otlp_point_read(struct mc_otlp *, struct mc_otlp_point *, struct mc_otlp_span);

/* Puts the name of the point's series together. */
void otlp_point_name(struct mc_otlp *, const struct mc_otlp_point *);

/* --- What points of others have in common -------------------------------- */

/* Puts the type instance together: attributes of the resource, and these, which are sorted; with
 * room for 'more' bytes after them.  NULL, or why it cannot be. */
const char *otlp_point_instance(struct mc_otlp *, struct otlp_pairs *, size_t more,
				struct mc_otlp_text *joined);

/* Their plugin, and plugin instance; NULL, or why it cannot be. */
/* Sets the five parts of a name that a collector has put into a foreign point; or why not. */
const char *otlp_point_parts(struct mc_otlp *, struct mc_otlp_point *, struct mc_otlp_span);

struct mc_otlp_text otlp_point_plugin(const struct mc_otlp *);
const char *otlp_point_plugin_instance(struct mc_otlp *, struct mc_otlp_text *instance);

/* Sets type, kind and value of what is counted: in whole numbers (the template is OTLP_POINT_INT),
 * or in seconds, which have their fraction in milliseconds.  NULL, or why it is rejected. */
const char *otlp_point_count(const struct mc_otlp *, struct mc_otlp_point *, unsigned template,
			     uint64_t bits);

/* NULL, or why a part of its name cannot be. */
const char *otlp_point_fault(const struct mc_otlp_point *);
