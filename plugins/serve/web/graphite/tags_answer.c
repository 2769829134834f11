/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "Graphite Tag Support", and answers of graphite-web 1.1.10. */
#include "tags_answer.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/number.h>
#include <collector/kit/regex.h>

#include "answer.h"
#include "parameters.h"
#include "tags.h"
#include "texts.h"
#include "web.h"

#define TEXTS_MAX 10000     /* Of one answer. */
#define COMPLETIONS_MAX 100 /* Without a limit. */

struct search {
	struct parameters parameters;
	struct tags_query query;
	struct mc_regex *filter; /* NULL: all. */
	const char *tag;         /* Whose values are collected; NULL: tags, or paths. */
	const char *prefix;      /* Of them; NULL: any. */
	uint64_t limit;
	bool is_full;
	struct texts found;
};

/* --- The search -------------------------------------------------------------- */

static const char *read_limit(struct search *search, uint64_t otherwise)
{
	const char *limit = parameters_get(&search->parameters, "limit", 0);

	search->limit = otherwise;
	if (limit != NULL && !mc_number_unsigned(limit, 10, TEXTS_MAX, &search->limit))
		return "limit is not a number up to 10000";
	return NULL;
}

static const char *read_filter(struct search *search, char why[TAGS_WHY])
{
	const char *filter = parameters_get(&search->parameters, "filter", 0);
	struct mc_buffer whole = { 0 };

	if (filter == NULL)
		return NULL;
	mc_buffer_add(&whole, filter[0] == '^' ? "(" : "^(", filter[0] == '^' ? 1 : 2);
	mc_buffer_add(&whole, filter, strlen(filter));
	mc_buffer_add(&whole, ")", 1);
	search->filter = mc_regex_new(whole.at, why, TAGS_WHY);
	mc_buffer_free(&whole);
	return search->filter != NULL ? NULL : why;
}

static const char *read_expressions(struct search *search, char why[TAGS_WHY])
{
	static const char *const names[] = { "expr", "expr[]" };

	for (unsigned i = 0; i < 2; i++) {
		const char *text;

		for (unsigned j = 0;
		     (text = parameters_get(&search->parameters, names[i], j)) != NULL; j++)
			if (!tags_query_add(&search->query, text, why))
				return why;
	}
	return NULL;
}

/* False, and refused. */
static bool begin(struct search *search, struct mc_httpd_request *request, uint64_t limit)
{
	char text[TAGS_WHY];
	const char *why;

	if (!parameters_init(&search->parameters, request))
		return false;
	why = read_limit(search, limit);
	if (why == NULL)
		why = read_filter(search, text);
	if (why == NULL)
		why = read_expressions(search, text);
	if (why != NULL)
		answer_refuse(request, 400, why);
	return why == NULL;
}

static void end(struct search *search)
{
	texts_done(&search->found);
	mc_regex_free(search->filter);
	tags_query_done(&search->query);
	parameters_done(&search->parameters);
}

static bool add(struct search *search, const char *text, size_t size)
{
	if (search->filter != NULL && mc_regex_match(search->filter, text, size) != 1)
		return true;
	if (search->prefix != NULL && strncmp(text, search->prefix, strlen(search->prefix)) != 0)
		return true;
	search->is_full = !texts_add(&search->found, text, size, TEXTS_MAX);
	return !search->is_full;
}

/* --- What it collects ---------------------------------------------------------- */

static bool collect_path(void *argument, const struct tags_one *one)
{
	return add(argument, one->path, strlen(one->path));
}

static bool is_asked_for(const struct tags_query *query, const char *tag, size_t size)
{
	for (unsigned i = 0; i < query->len; i++)
		if (strlen(query->matchers[i].tag) == size &&
		    memcmp(query->matchers[i].tag, tag, size) == 0)
			return true;
	return false;
}

static bool collect_tags(void *argument, const struct tags_one *one)
{
	struct search *search = argument;
	bool goes_on = true;

	for (const char *tag = one->tags; goes_on && *tag != '\0'; tag += strlen(tag) + 1) {
		size_t size = strcspn(tag, "=");

		if (!is_asked_for(&search->query, tag, size))
			goes_on = add(search, tag, size);
	}
	return goes_on;
}

static bool collect_values(void *argument, const struct tags_one *one)
{
	struct search *search = argument;
	const char *value = tags_value(one->tags, search->tag);

	return value == NULL || add(search, value, strlen(value));
}

/* --- Answers ------------------------------------------------------------------ */

static void print_text(struct mc_json *json, const struct texts_one *one)
{
	mc_json_text(json, NULL, one->text);
}

static void print_tag(struct mc_json *json, const struct texts_one *one)
{
	mc_json_map(json, NULL);
	mc_json_text(json, "tag", one->text);
	mc_json_map_end(json);
}

static void print_value(struct mc_json *json, const struct texts_one *one)
{
	mc_json_map(json, NULL);
	mc_json_text(json, "value", one->text);
	mc_json_unsigned(json, "count", one->count);
	mc_json_map_end(json);
}

static void print_list(struct mc_json *json, const char *key, const struct search *search,
		       void (*print)(struct mc_json *, const struct texts_one *))
{
	struct texts_one **all = texts_sorted(&search->found);

	mc_json_list(json, key);
	for (size_t i = 0; i < search->found.map.len && i < search->limit; i++)
		print(json, all[i]);
	mc_json_list_end(json);
	free(all);
}

static void answer(struct mc_httpd_request *request, struct mc_json *json)
{
	size_t size;
	const char *bytes = mc_json_bytes(json, &size);

	answer_bytes(request, "application/json", bytes, size);
	mc_json_free(json);
}

static void answer_list(struct mc_httpd_request *request, struct search *search,
			bool (*collect)(void *argument, const struct tags_one *),
			void (*print)(struct mc_json *, const struct texts_one *))
{
	struct mc_json *json;

	tags_each(web_ctx(request), &search->query, collect, search);
	if (search->is_full) {
		answer_refuse(request, 400, "there are more than 10000: narrow the search");
		return;
	}
	json = mc_json_new(false);
	print_list(json, NULL, search, print);
	answer(request, json);
}

void tags_answer(struct mc_httpd_request *request)
{
	struct search search = { .tag = NULL };

	if (begin(&search, request, TEXTS_MAX))
		answer_list(request, &search, collect_tags, print_tag);
	end(&search);
}

void tags_answer_one(struct mc_httpd_request *request)
{
	struct search search = { .tag = mc_httpd_path(request) + strlen(TAGS_ANSWER_PATH) };
	struct mc_json *json;

	if (begin(&search, request, TEXTS_MAX)) {
		tags_each(web_ctx(request), &search.query, collect_values, &search);
		json = mc_json_new(false);
		mc_json_map(json, NULL);
		mc_json_text(json, "tag", search.tag);
		print_list(json, "values", &search, print_value);
		mc_json_map_end(json);
		answer(request, json);
	}
	end(&search);
}

void tags_answer_find(struct mc_httpd_request *request)
{
	struct search search = { .tag = NULL };

	if (begin(&search, request, TEXTS_MAX)) {
		if (search.query.len == 0)
			answer_refuse(request, 400, "'expr' is lacking, such as name=cpu");
		else
			answer_list(request, &search, collect_path, print_text);
	}
	end(&search);
}

void tags_answer_complete_tags(struct mc_httpd_request *request)
{
	struct search search = { .tag = NULL };

	if (begin(&search, request, COMPLETIONS_MAX)) {
		search.prefix = parameters_get(&search.parameters, "tagPrefix", 0);
		answer_list(request, &search, collect_tags, print_text);
	}
	end(&search);
}

void tags_answer_complete_values(struct mc_httpd_request *request)
{
	struct search search = { .tag = NULL };

	if (begin(&search, request, COMPLETIONS_MAX)) {
		search.tag = parameters_get(&search.parameters, "tag", 0);
		search.prefix = parameters_get(&search.parameters, "valuePrefix", 0);
		if (search.tag == NULL)
			answer_refuse(request, 400, "'tag' is lacking");
		else
			answer_list(request, &search, collect_values, print_text);
	}
	end(&search);
}
