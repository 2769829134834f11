/* SPDX-License-Identifier: MIT */
/* Some curves of a list.  Pure. */
#pragma once

#include "evaluation.h"

/* Keeps those for which the function returns true, and frees the others. */
struct curve *choice_keep(const struct call *, struct curve *,
			  bool (*keeps)(const struct call *, struct curve *));
