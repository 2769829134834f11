/* SPDX-License-Identifier: MIT */
/* The words that --describe, manual and example file share. */
#include "conf/describe/words.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <collector/kit/append.h>

#include "conf/field.h"

const char *describe_words_value(const struct mc_option *option, char *out, size_t size)
{
	static const char *const words[] = {
		[MC_BOOL] = "true|false", [MC_INT] = "NUMBER",          [MC_NUMBER] = "NUMBER",
		[MC_TIME] = "SECONDS",    [MC_STRING] = "TEXT",         [MC_STRINGS] = "TEXT...",
		[MC_INTS] = "NUMBER...",  [MC_SELECT] = "NAME|/REGEX/", [MC_BLOCKS] = "",
		[MC_CONFIGS] = "NAME",
	};

	out[0] = '\0';
	if (option->type != MC_WORD) {
		mc_append(out, size, "%s", words[option->type]);
		return out;
	}
	for (size_t i = 0; option->words[i] != NULL; i++)
		mc_append(out, size, "%s%s", i > 0 ? "|" : "", option->words[i]);
	return out;
}

const struct mc_option *describe_words_inner(const struct mc_option *option)
{
	static const struct mc_option none[] = { { 0 } };

	if (option->type == MC_CONFIGS)
		return option->is_line ? NULL : none;
	return option->type == MC_BLOCKS ? option->block->options : NULL;
}

/* The first block with this table, as it is shown. */
static const struct mc_option *first_with(const struct mc_option *all, const struct mc_block *table)
{
	const struct mc_option *found = NULL;

	for (; all->name != NULL && found == NULL; all++) {
		if (all->type != MC_BLOCKS)
			continue;
		found = all->block == table ? all : first_with(all->block->options, table);
	}
	return found;
}

bool describe_words_repeats(const struct mc_option *all, const struct mc_option *block)
{
	return block->type == MC_BLOCKS && first_with(all, block->block) != block;
}

const char *describe_words_arguments(const struct mc_option *block, char *out, size_t size)
{
	const struct mc_option *option = describe_words_inner(block);
	char value[200];

	out[0] = '\0';
	if (block->type == MC_CONFIGS)
		mc_append(out, size, " %s", describe_words_value(block, value, sizeof(value)));
	for (; option->name != NULL; option++) {
		if (option->name[0] != '\0')
			continue;
		describe_words_value(option, value, sizeof(value));
		if (option->required)
			mc_append(out, size, " %s", value);
		else
			mc_append(out, size, " [%s]", value);
	}
	return out;
}

static bool is_text(const struct mc_option *option)
{
	return option->type == MC_STRING || option->type == MC_STRINGS || option->type == MC_SELECT;
}

const char *describe_words_sentences(const struct mc_option *all, const struct mc_option *option,
				     char *out, size_t size)
{
	char expected[300], range[80];
	const char *preset = field_preset(option);

	out[0] = '\0';
	if (option->no_effect)
		mc_append(out, size, "Has no effect. ");
	if (option->help != NULL)
		mc_append(out, size, "%s", option->help);
	field_range(option, range, sizeof(range));
	if (option->type == MC_WORD)
		mc_append(out, size, " Can be %s.",
			  field_expected(option, expected, sizeof(expected)));
	else if (range[0] != '\0' && (option->min != 0 || option->max != 0))
		mc_append(out, size, " %c%s.", toupper((unsigned char)range[0]), range + 1);
	if (preset != NULL && preset[0] != '\0')
		mc_append(out, size, is_text(option) ? " Default: '%s'." : " Default: %s.", preset);
	if (option->required)
		mc_append(out, size, " Required.");
	if (!field_is_scalar(option->type))
		mc_append(out, size, " May be repeated.");
	if (describe_words_repeats(all, option))
		mc_append(out, size, " Options as in <%s> above.",
			  first_with(all, option->block)->name);
	return out[0] == ' ' ? memmove(out, out + 1, strlen(out)) : out;
}

static void add_range(const struct mc_source *source, char *out, size_t size)
{
	if (!isnan(source->min) && !isnan(source->max))
		mc_append(out, size, ", %.15g to %.15g", source->min, source->max);
	else if (!isnan(source->min))
		mc_append(out, size, ", %.15g or more", source->min);
	else if (!isnan(source->max))
		mc_append(out, size, ", %.15g or less", source->max);
}

static bool is_same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool is_alike(const struct mc_source *a, const struct mc_source *b)
{
	return a->kind == b->kind && is_same(a->min, b->min) && is_same(a->max, b->max);
}

const char *describe_words_sources(const struct mc_type *type, char *out, size_t size)
{
	static const char *const kinds[] = {
		[MC_COUNTER] = "COUNTER",
		[MC_GAUGE] = "GAUGE",
		[MC_DERIVE] = "DERIVE",
		[MC_ABSOLUTE] = "ABSOLUTE",
	};

	out[0] = '\0';
	for (unsigned i = 0; i < type->sources_len; i++) {
		const struct mc_source *source = &type->sources[i];

		mc_append(out, size, "%s", source->name);
		if (i + 1 < type->sources_len && is_alike(source, source + 1)) {
			mc_append(out, size, ", ");
			continue;
		}
		mc_append(out, size, ": %s", kinds[source->kind]);
		add_range(source, out, size);
		if (i + 1 < type->sources_len)
			mc_append(out, size, "; ");
	}
	return out;
}

size_t describe_words_line(const char **text, size_t width, const char **line)
{
	const char *start = *text + strspn(*text, " \n");
	const char *end = start;

	for (const char *c = start; *c != '\0';) {
		c += strcspn(c, " \n");
		if ((size_t)(c - start) > width && end > start)
			break;
		end = c;
		c += strspn(c, " \n");
	}
	*line = start;
	*text = end;
	return (size_t)(end - start);
}
