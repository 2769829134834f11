/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "Functions". */
#include "expression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

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

static struct expression *make(struct parser *parser, enum expression_kind kind, const char *text,
			       size_t size)
{
	struct expression *expression;

	if (++parser->nodes > EXPRESSION_NODES)
		return fail(parser, "the target has too many parts");
	expression = mc_alloc_zero(sizeof(*expression));
	expression->kind = kind;
	expression->text = mc_alloc_zero(size + 1);
	memcpy(expression->text, text, size);
	return expression;
}

static struct expression *parse_text(struct parser *parser)
{
	char quote[2] = { *parser->at++, '\0' };
	size_t size = strcspn(parser->at, quote);
	const char *text = parser->at;

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
		else if (strchr("()'\" \t\r\n", text[size]) != NULL ||
			 (text[size] == ',' && !braces))
			break;
	}
	return size;
}

static struct expression *parse_arguments(struct parser *parser, struct expression *call)
{
	struct expression **end = &call->first;

	skip_blanks(parser);
	while (*parser->at != ')') {
		*end = parse_one(parser);
		if (*end == NULL) {
			expression_free(call);
			return NULL;
		}
		end = &(*end)->next;
		skip_blanks(parser);
		if (*parser->at == ',') {
			parser->at++;
			skip_blanks(parser);
		} else if (*parser->at != ')') {
			expression_free(call);
			return fail(parser, "a ')' is lacking in the target");
		}
	}
	parser->at++;
	return call;
}

/* A path, a number, or a call. */
static struct expression *parse_word(struct parser *parser)
{
	const char *word = parser->at;
	size_t size = word_size(word);
	struct expression *expression;
	char *end;

	if (size == 0)
		return fail(parser, "a part of the target is lacking");
	parser->at += size;
	if (*parser->at == '(') {
		parser->at++;
		expression = make(parser, EXPRESSION_CALL, word, size);
		return expression != NULL ? parse_arguments(parser, expression) : NULL;
	}
	expression = make(parser, EXPRESSION_PATH, word, size);
	if (expression == NULL)
		return NULL;
	expression->number = strtod(expression->text, &end);
	if (*end == '\0' && isfinite(expression->number))
		expression->kind = EXPRESSION_NUMBER;
	return expression;
}

static struct expression *parse_one(struct parser *parser)
{
	struct expression *expression;

	skip_blanks(parser);
	if (++parser->depth > EXPRESSION_DEPTH)
		return fail(parser, "the target is too deep");
	expression =
		*parser->at == '\'' || *parser->at == '"' ? parse_text(parser) : parse_word(parser);
	parser->depth--;
	return expression;
}

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
		free(expression);
	}
}
