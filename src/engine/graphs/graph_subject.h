/* SPDX-License-Identifier: MIT */
/* A source of a living series, as rules look at it. */
#pragma once

#include "engine/graphs/graph_match.h"

/* Texts are those of the series and of 'metadata', which may be NULL. */
struct graph_subject graph_subject_of(const struct mc_series *, unsigned source,
				      const struct mc_metadata *metadata);
