/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arguments of rrdgraph(1) for a graph.  Pure. */
#pragma once

#include <collector/history.h>

#define COMMAND_WORDS_MAX 128
#define COMMAND_WORD_SIZE 512

struct command {
	char words[COMMAND_WORDS_MAX][COMMAND_WORD_SIZE];
	char *arguments[COMMAND_WORDS_MAX];
	int len;
};

/* 'path' is that of file_write(). */
void command_make(struct command *, const struct mc_graph *, const char *path);
