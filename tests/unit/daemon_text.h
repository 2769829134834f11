/* SPDX-License-Identifier: MIT */
/* For tests of the daemon: a configuration from a string. */
#pragma once

#include "conf/parse.h"
#include "problems.h"

static struct problems problems;
static struct arena arena;

static inline int text_start(void **state)
{
	(void)state;
	problem_init(&problems);
	arena_init(&arena, 1024);
	return 0;
}

static inline int text_stop(void **state)
{
	(void)state;
	problem_done(&problems);
	arena_done(&arena);
	return 0;
}

/* What stands in the file "x.conf". */
static inline const struct conf_node *text_parse(const char *text)
{
	return conf_parse(text, strlen(text), "x.conf", &problems, &arena);
}
