/* SPDX-License-Identifier: MIT */
/* The configuration language, and the option tables after it, with any bytes.  Invariants: every
 * node lies in its parent's list, no name is empty, and only a problem explains a statement that
 * is left out. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <collector/plugin.h>

#include "base/arena.h"
#include "base/problem.h"
#include "conf/option.h"
#include "conf/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct inner {
	const char *name, *service;
	int64_t port;
};

struct state {
	bool on;
	int64_t number;
	double ratio;
	mc_time interval;
	const char *text;
	int word;
	struct mc_strings texts;
	struct mc_ints numbers;
	struct mc_select *selected;
	struct mc_blocks inners;
};

static const char *const words[] = { "one", "two", NULL };

static const struct mc_option inner_options[] = {
	{ "", MC_OPT_STRING(struct inner, name), .required = true },
	{ "", MC_OPT_STRING(struct inner, service), .default_value = NULL },
	{ "Port", MC_OPT_INT(struct inner, port), .min = 1, .max = 65535 },
	{ 0 },
};

static const struct mc_option options[] = {
	{ "On", MC_OPT_BOOL(struct state, on), .default_value = "true" },
	{ "Number", MC_OPT_INT(struct state, number), .default_value = NULL },
	{ "Ratio", MC_OPT_NUMBER(struct state, ratio), .min = 0, .max = 1 },
	{ "Interval", MC_OPT_TIME(struct state, interval), .default_value = "10" },
	{ "Text", MC_OPT_STRING(struct state, text), .default_value = NULL },
	{ "Word", MC_OPT_WORD(struct state, word), .words = words },
	{ "Texts", MC_OPT_STRINGS(struct state, texts), .default_value = NULL },
	{ "Numbers", MC_OPT_INTS(struct state, numbers), .default_value = "1 2" },
	{ "Disk", MC_OPT_SELECT(struct state, selected), .default_value = NULL },
	{ "Server", MC_OPT_BLOCKS(struct state, inners),
	  .block = &(const struct mc_block){ sizeof(struct inner), inner_options } },
	{ 0 },
};

static void check(const struct conf_node *node)
{
	for (size_t i = 0; i < node->children_len; i++) {
		const struct conf_node *child = node->children[i];

		if (child->name[0] == '\0' || (!child->block && child->values_len == 0) ||
		    child->place.line == 0 || child->place.column == 0)
			abort();
		check(child);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct problems problems;
	struct arena arena;
	struct conf_keep keep;
	struct state state = { 0 };
	struct conf_node *root;
	struct option_source source = { .owner = "fuzz", .parents_len = 1 };

	problem_init(&problems);
	arena_init(&arena, 1024);
	option_init(&keep);
	root = conf_parse((const char *)data, size, "input", &problems, &arena);
	check(root);
	source.parents = (const struct conf_node *const *)&root;
	option_fill(options, &source, &state, &keep, &problems);
	mc_selected(state.selected, false, "sda1");
	for (size_t i = 0; i < state.texts.len; i++) {
		if (strlen(state.texts.items[i]) > size)
			abort();
	}
	option_release(&keep);
	arena_done(&arena);
	problem_done(&problems);
	return 0;
}
