/* SPDX-License-Identifier: MIT */
/* Shows all that is wrong with a configuration: errors are found in several
 * passes, but read from top to bottom. */
#include "daemon/config/report.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"

struct entry {
	const struct problem *problem;
	size_t file;  /* Index of the first problem of the same file. */
	size_t index; /* Of this one: equal places keep their order. */
};

static bool same_file(const struct place *a, const struct place *b)
{
	if (a->file == NULL || b->file == NULL)
		return a->file == b->file;
	return strcmp(a->file, b->file) == 0;
}

static int compare(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

static int by_place(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;
	int order = compare(left->file, right->file);

	if (order == 0)
		order = compare(left->problem->place.line, right->problem->place.line);
	if (order == 0)
		order = compare(left->problem->place.column, right->problem->place.column);
	return order != 0 ? order : compare(left->index, right->index);
}

/* In the order to be shown; freed by the caller. */
static struct entry *sort(const struct problems *problems)
{
	struct entry *entries = alloc_array(problems->len, sizeof(*entries));

	for (size_t i = 0; i < problems->len; i++) {
		const struct problem *problem = &problems->items[i];
		size_t first = 0;

		while (!same_file(&problems->items[first].place, &problem->place))
			first++;
		entries[i] = (struct entry){ problem, first, i };
	}
	qsort(entries, problems->len, sizeof(*entries), by_place);
	return entries;
}

/* How many are only counted. */
static size_t more_than_shown(const struct problems *problems)
{
	return problems->errors + problems->warnings + problems->infos - problems->len;
}

static bool any_of_host(const struct problems *problems)
{
	for (size_t i = 0; i < problems->len; i++)
		if (problems->items[i].of_host)
			return true;
	return false;
}

static void print(const struct entry *entries, size_t len, bool of_host, FILE *out)
{
	char text[2048];

	for (size_t i = 0; i < len; i++) {
		if (entries[i].problem->of_host != of_host)
			continue;
		problem_format(entries[i].problem, text, sizeof(text));
		fprintf(out, "%s\n", text);
	}
}

unsigned report_errors_of_host(const struct problems *problems)
{
	unsigned errors = 0;

	for (size_t i = 0; i < problems->len; i++)
		errors += problems->items[i].of_host && problems->items[i].level == MC_ERROR;
	return errors;
}

void report_problems(const struct problems *problems, FILE *out)
{
	struct entry *entries = sort(problems);

	print(entries, problems->len, false, out);
	if (any_of_host(problems))
		fputs("On this host, which --no-environment leaves out:\n", out);
	print(entries, problems->len, true, out);
	if (more_than_shown(problems) > 0)
		fprintf(out, "and %zu more\n", more_than_shown(problems));
	free(entries);
}

void report_log(const struct problems *problems)
{
	struct entry *entries = sort(problems);

	for (size_t i = 0; i < problems->len; i++) {
		const struct problem *problem = entries[i].problem;
		enum mc_level level = problem->level;

		if (problem->place.file != NULL)
			log_all(level, "%s:%u: %s", problem->place.file, problem->place.line,
				problem->text);
		else
			log_all(level, "%s", problem->text);
	}
	if (more_than_shown(problems) > 0)
		log_warn("and %zu more", more_than_shown(problems));
	free(entries);
}
