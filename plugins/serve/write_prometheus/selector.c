/* SPDX-License-Identifier: MIT */
/* Facts: prometheus.io/docs, "Querying basics", Instant vector selectors; its
 * expressions match the whole of a label. */
#include "selector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>
#include <collector/kit/regex.h>

#define NAME_SIZE 128
#define BLANKS " \t\n"

struct matcher {
	char label[NAME_SIZE];
	bool negative;
	char *text;
	struct mc_regex *regex; /* NULL: the text itself. */
};

struct selector {
	struct matcher matchers[SELECTOR_MATCHERS_MAX];
	unsigned len;
};

void selector_free(struct selector *selector)
{
	if (selector == NULL)
		return;
	for (unsigned i = 0; i < selector->len; i++) {
		free(selector->matchers[i].text);
		mc_regex_free(selector->matchers[i].regex);
	}
	free(selector);
}

static bool fail(char *why, const char *text)
{
	snprintf(why, SELECTOR_WHY, "%s", text);
	return false;
}

static size_t name_size(const char *text)
{
	return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
			    "WXYZ0123456789_:");
}

static void skip(const char **at)
{
	*at += strspn(*at, BLANKS);
}

/* The next matcher, of that label; NULL: there are too many. */
static struct matcher *add(struct selector *selector, const char *label, size_t size)
{
	struct matcher *matcher;

	if (selector->len == SELECTOR_MATCHERS_MAX || size >= NAME_SIZE)
		return NULL;
	matcher = &selector->matchers[selector->len++];
	memcpy(matcher->label, label, size);
	return matcher;
}

/* "text", with '\\' in front of what is meant as it is. */
static char *read_text(const char **at)
{
	struct mc_buffer text = { 0 };
	const char *from = *at;
	char quote = *from++;

	mc_buffer_add(&text, "", 0);
	for (; *from != quote; from++) {
		bool escaped = *from == '\\' && from[1] != '\0';

		from += escaped;
		if (*from == '\0') {
			mc_buffer_free(&text);
			return NULL;
		}
		mc_buffer_add(&text, escaped && *from == 'n' ? "\n" : from, 1);
	}
	*at = from + 1;
	return text.at;
}

static bool compile(struct matcher *matcher, char *why)
{
	struct mc_buffer whole = { 0 };

	mc_buffer_add(&whole, "^(", 2);
	mc_buffer_add(&whole, matcher->text, strlen(matcher->text));
	mc_buffer_add(&whole, ")$", 2);
	matcher->regex = mc_regex_new(whole.at, why, SELECTOR_WHY);
	mc_buffer_free(&whole);
	return matcher->regex != NULL;
}

/* LABEL OP "TEXT" */
static bool read_matcher(struct selector *selector, const char **at, char *why)
{
	size_t size = name_size(*at);
	struct matcher *matcher = add(selector, *at, size);
	bool expression;

	if (size == 0)
		return fail(why, "the name of a label is lacking");
	if (matcher == NULL)
		return fail(why, "there is too much in a selector");
	*at += size;
	skip(at);
	matcher->negative = **at == '!';
	expression = (*at)[0] != '\0' && (*at)[1] == '~';
	if (strncmp(*at, "=", 1) != 0 && strncmp(*at, "!=", 2) != 0 && strncmp(*at, "!~", 2) != 0)
		return fail(why, "one of = != =~ !~ is lacking");
	*at += matcher->negative || expression ? 2 : 1;
	skip(at);
	if (**at != '"' && **at != '\'')
		return fail(why, "the text of a label is lacking");
	matcher->text = read_text(at);
	if (matcher->text == NULL)
		return fail(why, "the text of a label has no end");
	return !expression || compile(matcher, why);
}

static bool read_matchers(struct selector *selector, const char **at, char *why)
{
	for (skip(at); **at != '}'; skip(at)) {
		if (!read_matcher(selector, at, why))
			return false;
		skip(at);
		if (**at == ',')
			++*at;
		else if (**at != '}')
			return fail(why, "a '}' is lacking");
	}
	++*at;
	return true;
}

static bool read_all(struct selector *selector, const char *at, char *why)
{
	struct matcher *name;
	size_t size;

	skip(&at);
	size = name_size(at);
	if (size > 0) {
		name = add(selector, "__name__", strlen("__name__"));
		name->text = mc_alloc_zero(size + 1);
		memcpy(name->text, at, size);
		at += size;
		skip(&at);
	}
	if (*at == '{') {
		at++;
		if (!read_matchers(selector, &at, why))
			return false;
		skip(&at);
	}
	if (*at != '\0')
		return fail(why, "there is something after a selector");
	return selector->len > 0 || fail(why, "a selector has nothing in it");
}

struct selector *selector_new(const char *text, char why[SELECTOR_WHY])
{
	struct selector *selector = mc_alloc_zero(sizeof(*selector));

	if (read_all(selector, text, why))
		return selector;
	selector_free(selector);
	return NULL;
}

static bool is_matched(const struct matcher *matcher, const char *value)
{
	if (matcher->regex != NULL)
		return mc_regex_match(matcher->regex, value, strlen(value)) == 1;
	return strcmp(matcher->text, value) == 0;
}

bool selector_matches(const struct selector *selector,
		      const char *(*value)(const void *argument, const char *label),
		      const void *argument)
{
	for (unsigned i = 0; i < selector->len; i++) {
		const struct matcher *matcher = &selector->matchers[i];

		if (is_matched(matcher, value(argument, matcher->label)) == matcher->negative)
			return false;
	}
	return true;
}
