/* SPDX-License-Identifier: MIT */
/* Attributes of a foreign resource that its series can do without.  Pure functions. */
#pragma once

#include "formats/otlp/otlp_message.h"

/* Whether the attribute changes with each start of the sender.  An identifier of an instance does
 * so only if it is random: addresses and names stay. */
bool otlp_naming_is_ephemeral(const struct mc_otlp_naming *, const struct otlp_pair *);

/* Whether it is that attribute; with a dot at the end, one of that group. */
bool otlp_naming_is(struct mc_otlp_text key, const char *word);

/* Whether the map, which may be NULL, leaves the attribute out of all names. */
bool otlp_naming_is_without(const struct mc_otlp_map *, struct mc_otlp_text key);
