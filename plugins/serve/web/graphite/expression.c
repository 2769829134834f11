/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "Functions" and "The Render URL API". */
#include "expression.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>

struct parser {
	const char *at;
	unsigned depth, nodes;
	const char *why;
};

static struct expression *parse_one(struct parser *);

static void skip_blanks(struct parser *parser)
{
	parser->at += strspn(parser->at, " \t\r\n");
}

static struct expression *fail(struct parser *parser, const char *why)
{
	if (parser->why == NULL)
		parser->why = why;
	return NULL;
}

static char *copy(const char *text, size_t size)
{
	char *out = mc_alloc_zero(size + 1);

	memcpy(out, text, size);
	return out;
}

static struct expression *make(struct parser *parser, enum expression_kind kind, const char *text,
			       size_t size)
{
	struct expression *expression;

	if (++parser->nodes > EXPRESSION_NODES)
		return fail(parser, "the target has too many parts");
	expression = mc_alloc_zero(sizeof(*expression));
	expression->kind = kind;
	expression->text = copy(text, size);
	return expression;
}

/* --- Words --------------------------------------------------------------- */

/* A backslash and what it is before stay in it. */
static struct expression *parse_text(struct parser *parser)
{
	char quote = *parser->at++;
	const char *text = parser->at;
	size_t size = 0;

	while (text[size] != quote && text[size] != '\0')
		size += text[size] == '\\' && text[size + 1] != '\0' ? 2 : 1;
	if (text[size] == '\0')
		return fail(parser, "a text of the target has no end");
	parser->at += size + 1;
	return make(parser, EXPRESSION_TEXT, text, size);
}

/* Commas within braces are part of it. */
static size_t word_size(const char *text)
{
	size_t size = 0;
	bool braces = false;

	for (; text[size] != '\0'; size++) {
		if (text[size] == '{')
			braces = true;
		else if (text[size] == '}')
			braces = false;
		else if (strchr("()'\"| \t\r\n", text[size]) != NULL ||
			 (text[size] == ',' && !braces))
			break;
	}
	return size;
}

static void find_kind(struct expression *word)
{
	const char *text = word->text;

	if (mc_number_double(text, &word->number)) {
		word->kind = EXPRESSION_NUMBER;
	} else if (strcasecmp(text, "true") == 0 || strcasecmp(text, "false") == 0) {
		word->kind = EXPRESSION_BOOLEAN;
		word->number = strcasecmp(text, "true") == 0;
	} else if (strcasecmp(text, "none") == 0) {
		word->kind = EXPRESSION_NONE;
	} else if (strcasecmp(text, "inf") == 0) {
		word->kind = EXPRESSION_NUMBER;
		word->number = INFINITY;
	}
}

/* --- Calls --------------------------------------------------------------- */

/* The size of "keyword=", or 0. */
static size_t keyword_size(const char *text)
{
	size_t size = 0;

	if (!isalpha((unsigned char)*text) && *text != '_')
		return 0;
	while (isalnum((unsigned char)text[size]) || text[size] == '_')
		size++;
	return text[size] == '=' ? size + 1 : 0;
}

static struct expression *parse_argument(struct parser *parser)
{
	const char *keyword = parser->at;
	size_t size = keyword_size(keyword);
	struct expression *argument;

	parser->at += size;
	argument = parse_one(parser);
	if (argument != NULL && size > 0)
		argument->keyword = copy(keyword, size - 1);
	return argument;
}

/* Puts the next ones at 'end'. */
static bool parse_arguments(struct parser *parser, struct expression **end)
{
	skip_blanks(parser);
	while (*parser->at != ')') {
		*end = parse_argument(parser);
		if (*end == NULL)
			return false;
		end = &(*end)->next;
		skip_blanks(parser);
		if (*parser->at == ',') {
			parser->at++;
			skip_blanks(parser);
		} else if (*parser->at != ')') {
			fail(parser, "a ')' is lacking in the target");
			return false;
		}
	}
	parser->at++;
	return true;
}

/* 'piped' is its first argument, unless it is NULL. */
static struct expression *parse_call(struct parser *parser, const char *name, size_t size,
				     struct expression *piped)
{
	struct expression *call = make(parser, EXPRESSION_CALL, name, size);

	if (call == NULL) {
		expression_free(piped);
		return NULL;
	}
	call->first = piped;
	parser->at = name + size + 1;
	if (!parse_arguments(parser, piped != NULL ? &piped->next : &call->first)) {
		expression_free(call);
		return NULL;
	}
	call->source = copy(name, (size_t)(parser->at - name));
	return call;
}

/* A path, a number, or a call. */
static struct expression *parse_word(struct parser *parser)
{
	const char *word = parser->at;
	size_t size = word_size(word);
	struct expression *expression;

	if (size == 0)
		return fail(parser, "a part of the target is lacking");
	if (word[size] == '(')
		return parse_call(parser, word, size, NULL);
	parser->at += size;
	expression = make(parser, EXPRESSION_PATH, word, size);
	if (expression != NULL)
		find_kind(expression);
	return expression;
}

/* "a|scale(2)|alias('x')" is "alias(scale(a,2),'x')". */
static struct expression *parse_pipe(struct parser *parser, struct expression *piped)
{
	unsigned calls = 0;
	size_t size;

	for (skip_blanks(parser); piped != NULL && *parser->at == '|'; skip_blanks(parser)) {
		parser->at++;
		skip_blanks(parser);
		size = word_size(parser->at);
		if (size > 0 && parser->at[size] == '(' && ++calls < EXPRESSION_DEPTH) {
			piped = parse_call(parser, parser->at, size, piped);
		} else {
			expression_free(piped);
			piped = fail(parser, "a function is lacking after '|'");
		}
	}
	return piped;
}

static struct expression *parse_one(struct parser *parser)
{
	struct expression *expression;

	skip_blanks(parser);
	if (++parser->depth > EXPRESSION_DEPTH)
		return fail(parser, "the target is too deep");
	if (*parser->at == '\'' || *parser->at == '"')
		expression = parse_text(parser);
	else
		expression = parse_pipe(parser, parse_word(parser));
	parser->depth--;
	return expression;
}

/* --- The whole ----------------------------------------------------------- */

struct expression *expression_parse(const char *text, const char **why)
{
	struct parser parser = { .at = text };
	struct expression *expression = NULL;

	if (strlen(text) >= EXPRESSION_SIZE)
		fail(&parser, "the target is too long");
	else
		expression = parse_one(&parser);
	skip_blanks(&parser);
	if (expression != NULL && *parser.at != '\0') {
		expression_free(expression);
		expression = fail(&parser, "there is something after the target");
	}
	*why = parser.why;
	return expression;
}

void expression_free(struct expression *expression)
{
	struct expression *next;

	for (; expression != NULL; expression = next) {
		next = expression->next;
		expression_free(expression->first);
		free(expression->text);
		free(expression->source);
		free(expression->keyword);
		free(expression);
	}
}

const char *expression_first_path(const struct expression *expression)
{
	while (expression != NULL && expression->kind == EXPRESSION_CALL)
		expression = expression->first;
	return expression != NULL && expression->kind == EXPRESSION_PATH ? expression->text : NULL;
}
