/* SPDX-License-Identifier: MIT */
/* From the tree to a struct. */
#include "conf/option.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/text.h"
#include "conf/config.h"
#include "conf/field.h"
#include "conf/given.h"
#include "conf/option_table.h"
#include "conf/select.h"

#define NEAR_MAX 4 /* Misspellings differ by less than this. */

struct seen {                          /* The text of one option in the source. */
	const struct conf_value *last; /* Last value of a scalar. */
	size_t total, used;            /* Items of a list. */
};

struct filling { /* One call of option_fill(), or one nested block. */
	const struct mc_option *options;
	const struct option_source *source;
	const struct conf_node *block; /* Nested; else NULL. */
	char *self;
	struct conf_keep *keep;
	struct problems *problems;
	struct seen *seen; /* One per option. */
};

static void fill(struct filling *);

/* --- Words for problems --------------------------------------------------- */

/* "disk: ", or "". */
static const char *owner_of(const struct filling *f, char *out, size_t size)
{
	out[0] = '\0';
	if (f->source->owner != NULL)
		snprintf(out, size, "%.64s: ", f->source->owner);
	return out;
}

static void complain(struct filling *f, bool error, struct place place, const char *fmt, ...)
	MC_PRINTF(4, 5);

static void complain(struct filling *f, bool error, struct place place, const char *fmt, ...)
{
	char owner[80], text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	owner_of(f, owner, sizeof(owner));
	if (error)
		problem_error(f->problems, place, "%s%s", owner, text);
	else
		problem_warn(f->problems, place, "%s%s", owner, text);
}

/* The option, as the file's author knows it. */
static const char *title(const struct filling *f, const struct mc_option *option, char *out,
			 size_t size)
{
	if (option->name[0] != '\0')
		snprintf(out, size, "'%.64s'", option->name);
	else
		snprintf(out, size, "the argument of <%.64s>", f->block->name);
	return out;
}

static unsigned near(const char *word)
{
	unsigned limit = (unsigned)strlen(word) / 2 + 1;

	return limit < NEAR_MAX ? limit : NEAR_MAX;
}

const char *option_suggest(const char *word, const char *const *candidates, size_t candidates_len)
{
	unsigned best = near(word);
	const char *found = NULL;

	for (size_t i = 0; i < candidates_len; i++) {
		unsigned distance = text_distance(word, candidates[i], best);

		if (distance < best) {
			best = distance;
			found = candidates[i];
		}
	}
	return found;
}

const char *option_suggest_name(const char *word, const struct mc_option *options)
{
	unsigned best = near(word);
	const char *found = NULL;

	for (; options->name != NULL; options++) {
		unsigned distance = text_distance(word, options->name, best);

		if (options->name[0] != '\0' && distance < best) {
			best = distance;
			found = options->name;
		}
	}
	return found;
}

/* --- One value -------------------------------------------------------- */

/* Presets have no place. */
static void note_given(struct filling *f, const struct mc_option *option,
		       const struct conf_value *value, const void *field)
{
	if (value->place.file != NULL)
		given_add_value(f->keep, field, option, f->block, value);
}

/* "; it stays '10'" */
static const char *what_counts(const struct filling *f, const struct mc_option *option, char *out,
			       size_t size)
{
	const struct conf_value *last = f->seen[option - f->options].last;

	return field_instead(option, last != NULL ? last->text : NULL, out, size);
}

static void wrong_value(struct filling *f, const struct mc_option *option,
			const struct conf_value *value)
{
	char expected[300], name[96], meant[80] = "", kept[120];
	const char *near_word = NULL;
	size_t len = 0;

	if (option->type == MC_WORD) {
		while (option->words[len] != NULL)
			len++;
		near_word = option_suggest(value->text, option->words, len);
	}
	if (near_word != NULL)
		snprintf(meant, sizeof(meant), ", did you mean '%s'?", near_word);
	complain(f, !option->lenient, value->place, "%s must be %s, not '%.80s'%s%s",
		 title(f, option, name, sizeof(name)),
		 field_expected(option, expected, sizeof(expected)), value->text, meant,
		 what_counts(f, option, kept, sizeof(kept)));
}

/* The text of a value, or with a warning what it is read as. */
static const char *text_of(struct filling *f, const struct mc_option *option,
			   const struct conf_value *value)
{
	const char *meant = field_meant(option, value->text);
	char name[96];

	if (meant != value->text)
		complain(f, false, value->place, "%s must be true or false: '%s' is read as '%s'",
			 title(f, option, name, sizeof(name)), value->text, meant);
	return meant;
}

static void set_scalar(struct filling *f, const struct mc_option *option,
		       const struct conf_value *value)
{
	struct seen *seen = &f->seen[option - f->options];
	char name[96];

	if (!field_set(option, text_of(f, option, value), f->self + option->offset,
		       &f->keep->arena)) {
		wrong_value(f, option, value);
		return;
	}
	if (seen->last != NULL && strcmp(seen->last->text, value->text) != 0)
		complain(f, false, value->place,
			 "%s is given again: '%.80s' replaces '%.80s' of "
			 "%s:%u:%u",
			 title(f, option, name, sizeof(name)), value->text, seen->last->text,
			 seen->last->place.file, seen->last->place.line, seen->last->place.column);
	seen->last = value;
}

/* The text seen of the option's array, which is that of the first option with its field. */
static struct seen *seen_of_items(const struct filling *f, const struct mc_option *option)
{
	const struct mc_option *first = f->options;

	if (option->type != MC_CONFIGS)
		return &f->seen[option - f->options];
	while (first->type != MC_CONFIGS || first->offset != option->offset)
		first++;
	return &f->seen[first - f->options];
}

/* The next item of the option's array, which is made when first asked for. */
static void *next_item(struct filling *f, const struct mc_option *option, size_t size)
{
	struct seen *seen = seen_of_items(f, option);
	/* struct mc_strings and mc_ints have the same shape. */
	struct mc_blocks *field = (void *)(f->self + option->offset);

	if (seen->used == 0) {
		field->items = arena_zero(&f->keep->arena, seen->total * size);
		field->len = 0;
	}
	assert(seen->used < seen->total);
	seen->used++;
	return (char *)field->items + field->len * size;
}

static void add_item(struct filling *f, const struct mc_option *option,
		     const struct conf_value *value)
{
	size_t size = option->type == MC_INTS ? sizeof(int64_t) : sizeof(const char *);
	struct mc_blocks *field = (void *)(f->self + option->offset);
	void *item = next_item(f, option, size);

	if (!field_set(option, value->text, item, &f->keep->arena)) {
		wrong_value(f, option, value);
		return;
	}
	field->len++;
	note_given(f, option, value, item);
}

static void add_selected(struct filling *f, const struct mc_option *option,
			 const struct conf_value *value)
{
	struct mc_select **field = (void *)(f->self + option->offset);
	char name[96], reason[160];

	if (f->seen[option - f->options].used++ == 0)
		*field = f->keep->selects = select_new(f->keep->selects);
	if (!select_add(*field, value->text, reason, sizeof(reason)))
		complain(f, !option->lenient, value->place,
			 "%s: cannot use the expression '%.80s': %s",
			 title(f, option, name, sizeof(name)), value->text, reason);
}

static void take_value(struct filling *f, const struct mc_option *option,
		       const struct conf_value *value)
{
	note_given(f, option, value, f->self + option->offset);
	if (option->type == MC_SELECT)
		add_selected(f, option, value);
	else if (option->type == MC_STRINGS || option->type == MC_INTS)
		add_item(f, option, value);
	else
		set_scalar(f, option, value);
}

/* --- One option ------------------------------------------------------- */

/* For an option that asks for a change of the default behaviour.  The help is a sentence: here it
 * goes on after a colon. */
static void say_no_effect(struct filling *f, const struct mc_option *option,
			  const struct conf_node *node)
{
	size_t size = strcspn(option->help, ".");

	if (option->default_value != NULL && node->values_len == 1 &&
	    strcasecmp(option->default_value, node->values[0].text) == 0)
		return;
	complain(f, false, node->place, "'%s' has no effect: %c%.*s", option->name,
		 tolower((unsigned char)option->help[0]), (int)size - 1, option->help + 1);
}

/* Whether collectd goes on without the block, as it does not say what it is about. */
static bool lacks_argument(const struct filling *f, const struct mc_option *option,
			   const struct conf_node *node)
{
	const struct mc_option *first = option_table_argument(option->block->options, 0);

	return f->source->lenient && first != NULL && first->required && node->values_len == 0;
}

static void take_block(struct filling *f, const struct mc_option *option,
		       const struct conf_node *node)
{
	struct mc_blocks *field = (void *)(f->self + option->offset);
	struct option_source source = {
		.owner = f->source->owner,
		.lenient = f->source->lenient,
		.parents = &node,
		.parents_len = 1,
	};
	struct filling inner = *f;

	if (lacks_argument(f, option, node)) {
		complain(f, false, node->place,
			 "the argument of <%.64s> is missing: the block is left out", node->name);
		return;
	}
	inner.options = option->block->options;
	inner.source = &source;
	inner.block = node;
	inner.self = next_item(f, option, option->block->size);
	field->len++;
	fill(&inner);
}

static void take_config(struct filling *f, const struct mc_option *option,
			const struct conf_node *node)
{
	/* struct mc_configs has the shape of mc_blocks. */
	struct mc_blocks *field = (void *)(f->self + option->offset);
	struct mc_config *item = next_item(f, option, sizeof(*item));

	field->len++;
	config_copy(node, &f->keep->arena, item);
	if (node->values_len > 0)
		note_given(f, option, &node->values[0], item);
}

/* For unknown options. collectd ignores a block where none are allowed. */
static bool is_error(const struct filling *f, const struct conf_node *node)
{
	const struct mc_option *option = f->options;

	while (option->name != NULL && option->type != MC_BLOCKS)
		option++;
	return !f->source->lenient && (!node->block || option->name != NULL);
}

static void unknown(struct filling *f, const struct conf_node *node)
{
	const char *home = option_table_home(f->options, node->name);
	const char *meant = option_suggest_name(node->name, f->options);
	const char *const *skip = f->source->skip;
	char within[80] = "", hint[100] = "";
	size_t len = 0;

	while (skip != NULL && skip[len] != NULL)
		len++;
	if (meant == NULL)
		meant = option_suggest(node->name, skip, len);
	if (f->block != NULL)
		snprintf(within, sizeof(within), " in <%.64s>", f->block->name);
	if (home != NULL)
		snprintf(hint, sizeof(hint), ", it belongs into <%.64s>", home);
	else if (meant != NULL)
		snprintf(hint, sizeof(hint), ", did you mean '%.64s'?", meant);
	complain(f, is_error(f, node), node->place, "no option '%.80s'%s%s", node->name, within,
		 hint);
}

/* collectd goes on with several values in a plugin, and refuses them for a global option. */
static void wrong_count(struct filling *f, const struct mc_option *option,
			const struct conf_node *node)
{
	bool error = f->source->owner == NULL || !option->lenient;
	char kept[120];

	what_counts(f, option, kept, sizeof(kept));
	complain(f, error, node->place, "'%s' takes one value, not %zu%s", option->name,
		 node->values_len, error ? "" : kept);
}

/* Whether the statement has the form that the option asks for. */
static bool check_form(struct filling *f, const struct mc_option *option,
		       const struct conf_node *node)
{
	if (option->type == MC_BLOCKS) {
		/* <Server "x"></Server> and Server "x" are the same to collectd. */
		if (node->block || option_table_argument(option->block->options, 0) != NULL)
			return true;
		complain(f, true, node->place, "'%s' must be a block: <%s> to </%s>", option->name,
			 option->name, option->name);
	} else if (option->type == MC_CONFIGS && !option->is_line) {
		return true;
	} else if (node->block) {
		complain(f, !f->source->lenient, node->place, "'%s' is an option, not a block",
			 option->name);
	} else if ((field_is_scalar(option->type) || option->is_line) && node->values_len != 1) {
		wrong_count(f, option, node);
	} else {
		return true;
	}
	return false;
}

static bool skipped(const struct filling *f, const char *name)
{
	const char *const *skip = f->source->skip;

	for (; skip != NULL && *skip != NULL; skip++) {
		if (strcasecmp(*skip, name) == 0)
			return true;
	}
	return false;
}

static void take_child(struct filling *f, const struct conf_node *node)
{
	const struct mc_option *option;

	if (skipped(f, node->name))
		return;
	option = option_table_find(f->options, node->name);
	if (option == NULL) {
		unknown(f, node);
		return;
	}
	if (!check_form(f, option, node))
		return;
	if (strcasecmp(option->name, node->name) != 0)
		problem_info(f->problems, node->place, "'%.64s' is called '%s' now", node->name,
			     option->name);
	if (option->no_effect)
		say_no_effect(f, option, node);
	if (option->type == MC_BLOCKS) {
		take_block(f, option, node);
		return;
	}
	if (option->type == MC_CONFIGS) {
		take_config(f, option, node);
		return;
	}
	for (size_t i = 0; i < node->values_len; i++)
		take_value(f, option, &node->values[i]);
}

/* --- The block's own arguments ---------------------------------------- */

static void take_arguments(struct filling *f)
{
	const struct conf_node *block = f->block;

	for (size_t i = 0; i < block->values_len; i++) {
		const struct mc_option *option = option_table_argument(f->options, i);

		if (option != NULL) {
			take_value(f, option, &block->values[i]);
			continue;
		}
		complain(f, !f->source->lenient, block->values[i].place,
			 "<%s> has %s argument: '%.80s' is too many", block->name,
			 i == 0 ? "no" : "no other", block->values[i].text);
		return;
	}
}

/* --- All -------------------------------------------------------------- */

/* A list's preset is its items with blanks between. */
static void set_preset(struct filling *f, const struct mc_option *option)
{
	char *text = alloc_copy(option->default_value), *rest = text;
	struct seen *seen = &f->seen[option - f->options];
	unsigned errors = f->problems->errors;

	if (field_is_scalar(option->type)) {
		take_value(f, option, &(struct conf_value){ .text = option->default_value });
	} else {
		seen->total = strlen(text) + 1;
		for (char *item; (item = strsep(&rest, " ")) != NULL;)
			take_value(f, option, &(struct conf_value){ .text = item });
	}
	assert(errors == f->problems->errors);
	(void)errors;
	*seen = (struct seen){ 0 };
	free(text);
}

/* Whether an item is a statement, not a value. */
static bool is_statement(const struct mc_option *option)
{
	return option->type == MC_BLOCKS || option->type == MC_CONFIGS;
}

/* How long the lists will get. */
static void count(struct filling *f, const struct conf_node *parent)
{
	for (size_t i = 0; i < parent->children_len; i++) {
		const struct conf_node *node = parent->children[i];
		const struct mc_option *option = option_table_find(f->options, node->name);

		if (option != NULL)
			seen_of_items(f, option)->total +=
				is_statement(option) ? 1 : node->values_len;
	}
}

/* Position of the block, or of the first one. */
static struct place place_of(const struct filling *f)
{
	return f->source->parents_len > 0 ? f->source->parents[0]->place : (struct place){ 0 };
}

static void check_required(struct filling *f, const struct mc_option *option)
{
	const struct seen *seen = &f->seen[option - f->options];
	char within[80] = "", name[96];

	if (!option->required || seen->last != NULL || seen->used > 0)
		return;
	if (f->block != NULL && option->name[0] != '\0')
		snprintf(within, sizeof(within), " in <%.64s>", f->block->name);
	complain(f, true, place_of(f), "%s is missing%s", title(f, option, name, sizeof(name)),
		 within);
}

static void fill(struct filling *f)
{
	const struct mc_option *option;
	size_t len = 0;

	while (f->options[len].name != NULL)
		len++;
	f->seen = alloc_array(len, sizeof(*f->seen));
	given_add_block(f->keep, f->self, f->options, f->block, place_of(f));
	for (option = f->options; option->name != NULL; option++) {
		if (option->default_value != NULL)
			set_preset(f, option);
	}
	for (size_t i = 0; i < f->source->parents_len; i++)
		count(f, f->source->parents[i]);
	if (f->block != NULL) {
		for (option = f->options; option->name != NULL; option++) {
			if (option->name[0] == '\0')
				f->seen[option - f->options].total += f->block->values_len;
		}
		take_arguments(f);
	}
	for (size_t i = 0; i < f->source->parents_len; i++) {
		const struct conf_node *parent = f->source->parents[i];

		for (size_t j = 0; j < parent->children_len; j++)
			take_child(f, parent->children[j]);
	}
	for (option = f->options; option->name != NULL; option++)
		check_required(f, option);
	free(f->seen);
}

bool option_fill(const struct mc_option *options, const struct option_source *source, void *self,
		 struct conf_keep *keep, struct problems *problems)
{
	struct filling filling = {
		.options = options,
		.source = source,
		.self = self,
		.keep = keep,
		.problems = problems,
	};
	unsigned errors = problems->errors;

	fill(&filling);
	return problems->errors == errors;
}

void option_init(struct conf_keep *keep)
{
	*keep = (struct conf_keep){ 0 };
	arena_init(&keep->arena, 256);
}

void option_release(struct conf_keep *keep)
{
	while (keep->selects != NULL)
		keep->selects = select_free(keep->selects);
	arena_done(&keep->arena);
	option_init(keep);
}
