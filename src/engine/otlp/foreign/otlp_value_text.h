/* SPDX-License-Identifier: MIT */
/* Values of attributes that are no texts, as texts. */
#pragma once

#include "base/arena.h"
#include "formats/otlp/otlp.h"

/* A number or truth value as itself, a list or map as JSON, bytes in Base64; "" of nothing.  It is
 * in the arena, and is cut after MC_METRIC_VALUE_SIZE bytes: such labels are not kept. */
const char *otlp_value_text(struct arena *, struct mc_otlp_span);
