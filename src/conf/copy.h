/* SPDX-License-Identifier: MIT */
/* A part of a configuration that outlives its tree. */
#pragma once

struct arena;
struct conf_node;

/* A copy of the node and of all below it; it, and all it points to, lies in the arena. */
struct conf_node *conf_copy(const struct conf_node *, struct arena *);
