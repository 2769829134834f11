/* SPDX-License-Identifier: MIT */
/* Values of replies of Redis. */
#pragma once

#include "node.h"
#include "resp.h"

/* The answers to INFO and to INFO commandstats. */
void put_info(struct dialogue *, const struct resp_reply *);
void put_commands(struct dialogue *, const struct resp_reply *);

/* False: it is no number. */
bool put_query(struct dialogue *, const struct node_query *, const struct resp_reply *);
