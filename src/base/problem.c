/* SPDX-License-Identifier: MIT */
/* Collects the mistakes in a file, so that all of them can be shown. */
#include "base/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void problem_init(struct problems *problems)
{
	*problems = (struct problems){ 0 };
	arena_init(&problems->arena, 1024);
}

void problem_done(struct problems *problems)
{
	arena_done(&problems->arena);
	free(problems->items);
	*problems = (struct problems){ 0 };
}

static void add(struct problems *problems, enum mc_level level, struct place place, const char *fmt,
		va_list args)
{
	char text[512];

	if (level == MC_ERROR)
		problems->errors++;
	else if (level == MC_WARN)
		problems->warnings++;
	else
		problems->infos++;
	if (problems->len == PROBLEMS_MAX)
		return;
	vsnprintf(text, sizeof(text), fmt, args);
	if (place.file != NULL)
		place.file = arena_copy(&problems->arena, place.file, strlen(place.file));
	problems->items =
		alloc_resize(problems->items, problems->len + 1, sizeof(*problems->items));
	problems->items[problems->len++] = (struct problem){
		.level = level,
		.place = place,
		.text = arena_copy(&problems->arena, text, strlen(text)),
	};
}

void problem_error(struct problems *problems, struct place place, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add(problems, MC_ERROR, place, fmt, args);
	va_end(args);
}

void problem_warn(struct problems *problems, struct place place, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add(problems, problems->strict ? MC_ERROR : MC_WARN, place, fmt, args);
	va_end(args);
}

void problem_info(struct problems *problems, struct place place, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add(problems, MC_INFO, place, fmt, args);
	va_end(args);
}

static bool has(const struct problems *problems, const struct problem *wanted)
{
	for (size_t i = 0; problems != NULL && i < problems->len; i++) {
		const struct problem *problem = &problems->items[i];

		if (problem->place.line == wanted->place.line &&
		    problem->place.column == wanted->place.column &&
		    problem->level == wanted->level && strcmp(problem->text, wanted->text) == 0)
			return true;
	}
	return false;
}

void problem_mark_host(struct problems *problems, size_t first, const struct problems *others)
{
	for (size_t i = first; i < problems->len; i++)
		problems->items[i].of_host = !has(others, &problems->items[i]);
}

void problem_format(const struct problem *problem, char *out, size_t size)
{
	const struct place *place = &problem->place;
	const char *level = problem->level == MC_ERROR  ? "error"
			    : problem->level == MC_WARN ? "warning"
							: "info";

	if (place->file == NULL)
		snprintf(out, size, "%s: %s", level, problem->text);
	else if (place->line == 0)
		snprintf(out, size, "%s: %s: %s", place->file, level, problem->text);
	else if (place->column == 0)
		snprintf(out, size, "%s:%u: %s: %s", place->file, place->line, level,
			 problem->text);
	else
		snprintf(out, size, "%s:%u:%u: %s: %s", place->file, place->line, place->column,
			 level, problem->text);
}
