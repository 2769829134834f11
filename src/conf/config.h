/* SPDX-License-Identifier: MIT */
/* A part of the tree for another module, which knows its meaning. */
#pragma once

#include <collector/option.h>

#include "base/arena.h"
#include "conf/parse.h"

/* Copies 'node', and all that is in it, to the arena. */
void config_copy(const struct conf_node *node, struct arena *, struct mc_config *copy);
