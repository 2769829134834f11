/* SPDX-License-Identifier: MIT */
/* Series that a store has: names of the series of this collector with other hosts and instances. */
#pragma once

#include <collector/writer.h>

#include "store.h"

/* Asks which series the store has had in the last day, and shows those that can be named: what the
 * labels of a metric mean is learned from a series of this collector that has the same plugin and
 * type.  'external' are names and values of labels that they must have.  Waits. */
void known_each(struct store *, const struct mc_strings *external, mc_stored_show *show,
		void *argument);
