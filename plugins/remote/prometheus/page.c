/* SPDX-License-Identifier: MIT */
#include "page.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "kit/base/decimal.h"

#define NAME_WRONG "no name of a metric"
#define TIME_MAX 9.2e9 /* Seconds since 1970 that a mc_time can have. */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_name(char c, bool first)
{
	return isalpha((unsigned char)c) || c == '_' || c == ':' ||
	       (!first && isdigit((unsigned char)c));
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

/* A word: up to a blank, or the end. */
static struct page_text take_word(const char **at, const char *end)
{
	const char *from = skip_blanks(*at, end), *to = from;

	while (to < end && !is_blank(*to))
		to++;
	*at = to;
	return (struct page_text){ from, (size_t)(to - from) };
}

static bool is_text(struct page_text text, const char *other)
{
	return strlen(other) == text.size && memcmp(text.at, other, text.size) == 0;
}

/* --- Lines about a family --------------------------------------------------- */

static enum page_type type_of(struct page_text word)
{
	static const struct {
		const char *word;
		enum page_type type;
	} types[] = {
		{ "counter", PAGE_COUNTER },     { "gauge", PAGE_GAUGE },
		{ "histogram", PAGE_HISTOGRAM }, { "summary", PAGE_SUMMARY },
		{ "stateset", PAGE_GAUGE },      { "info", PAGE_GAUGE },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (is_text(word, types[i].word))
			return types[i].type;
	return PAGE_UNTYPED; /* gaugehistogram, and all others */
}

static struct page_text unquoted(struct page_text word)
{
	if (word.size > 1 && word.at[0] == '"' && word.at[word.size - 1] == '"')
		return (struct page_text){ word.at + 1, word.size - 2 };
	return word;
}

static void begin_family(struct page *page, struct page_text name)
{
	if (name.size == page->family.size && memcmp(name.at, page->family.at, name.size) == 0)
		return;
	page->family = name;
	page->help = (struct page_text){ "", 0 };
	page->type = PAGE_UNTYPED;
}

/* "# TYPE name word", "# HELP name text"; other comments are passed over. */
static void read_comment(struct page *page, const char *at, const char *end)
{
	struct page_text word;
	bool is_type;

	at++;
	word = take_word(&at, end);
	if (page->openmetrics && is_text(word, "EOF")) {
		page->ended = true;
		return;
	}
	is_type = is_text(word, "TYPE");
	if (!is_type && !is_text(word, "HELP"))
		return;
	begin_family(page, unquoted(take_word(&at, end)));
	if (is_type) {
		page->type = type_of(take_word(&at, end));
	} else {
		at = skip_blanks(at, end);
		page->help = (struct page_text){ at, (size_t)(end - at) };
	}
}

/* --- Samples ---------------------------------------------------------------- */

/* The end of what begins with '{'; NULL without one. */
static const char *end_of_labels(const char *at, const char *end)
{
	bool quoted = false;

	for (; at < end; at++) {
		if (*at == '\\' && quoted)
			at++;
		else if (*at == '"')
			quoted = !quoted;
		else if (*at == '}' && !quoted)
			return at + 1;
	}
	return NULL;
}

/* The end of the series; NULL without one. */
static const char *end_of_series(const char *at, const char *end)
{
	const char *name = at, *labels;

	while (at < end && is_name(*at, at == name))
		at++;
	labels = skip_blanks(at, end);
	if (labels < end && *labels == '{')
		return end_of_labels(labels, end);
	return at > name && at < end && is_blank(*at) ? at : NULL;
}

bool page_number_read(struct page_text text, double *number)
{
	bool is_signed = text.size > 0 && (text.at[0] == '-' || text.at[0] == '+');
	const char *at = text.at + is_signed;
	size_t size = text.size - is_signed;

	if (mc_decimal_read(text.at, text.size, number))
		return true;
	if (size == 3 && strncasecmp(at, "nan", 3) == 0)
		*number = NAN;
	else if ((size == 3 && strncasecmp(at, "inf", 3) == 0) ||
		 (size == 8 && strncasecmp(at, "infinity", 8) == 0))
		*number = text.at[0] == '-' ? -INFINITY : INFINITY;
	else
		return false;
	return true;
}

/* Seconds with a fraction in OpenMetrics, else milliseconds. */
static bool read_time(const struct page *page, struct page_text word, mc_time *time)
{
	double number;

	if (!page_number_read(word, &number) || !isfinite(number))
		return false;
	if (!page->openmetrics)
		number /= 1000;
	if (number < -TIME_MAX || number > TIME_MAX)
		return false;
	*time = (mc_time)(number * 1000) * MC_MILLISECOND;
	return true;
}

static const char *read_rest(const struct page *page, const char *at, const char *end,
			     struct page_sample *sample)
{
	struct page_text word;

	sample->number = take_word(&at, end);
	if (!page_number_read(sample->number, &sample->value))
		return "no number";
	sample->time = 0;
	word = take_word(&at, end);
	if (word.size > 0 && !(page->openmetrics && word.at[0] == '#')) {
		if (!read_time(page, word, &sample->time))
			return "no time";
		word = take_word(&at, end);
	}
	if (word.size == 0 || (page->openmetrics && is_text(word, "#"))) /* An exemplar. */
		return NULL;
	return "more than a time after the number";
}

static bool is_guess(const struct page_text *guess, const char *at, const char *end)
{
	return guess != NULL && guess->size < (size_t)(end - at) && is_blank(at[guess->size]) &&
	       memcmp(at, guess->at, guess->size) == 0;
}

static const char *read_sample(const struct page *page, const struct page_text *guess,
			       struct page_text line, struct page_sample *sample)
{
	const char *end = line.at + line.size;
	const char *after =
		is_guess(guess, line.at, end) ? line.at + guess->size : end_of_series(line.at, end);

	if (after == NULL)
		return NAME_WRONG;
	sample->series = (struct page_text){ line.at, (size_t)(after - line.at) };
	return read_rest(page, after, end, sample);
}

void page_open(struct page *page, const char *text, size_t size, bool openmetrics)
{
	*page = (struct page){
		.family = { "", 0 },
		.help = { "", 0 },
		.openmetrics = openmetrics,
		.at = text,
		.end = text + size,
	};
}

bool page_next(struct page *page, const struct page_text *guess, struct page_sample *sample)
{
	while (page->error == NULL && page->at < page->end && !page->ended) {
		const char *newline = memchr(page->at, '\n', (size_t)(page->end - page->at));
		const char *end = newline != NULL ? newline : page->end;
		const char *at = skip_blanks(page->at, end);

		page->at = newline != NULL ? newline + 1 : page->end;
		page->line++;
		if (at == end)
			continue;
		if (*at == '#') {
			read_comment(page, at, end);
			continue;
		}
		page->error = read_sample(page, guess, (struct page_text){ at, (size_t)(end - at) },
					  sample);
		return page->error == NULL;
	}
	if (page->error == NULL && page->openmetrics && !page->ended)
		page->error = "the end of a page without '# EOF'";
	return false;
}

/* --- What a sample is of ------------------------------------------------------ */

struct page_role page_role_of(const struct page *page, const char *name)
{
	struct page_role none = { PAGE_UNTYPED, MC_METRIC_VALUE, strlen(name) };
	struct page_role role = { page->type, MC_METRIC_VALUE, page->family.size };
	const char *suffix = name + page->family.size;
	bool distribution = page->type == PAGE_HISTOGRAM || page->type == PAGE_SUMMARY;

	if (page->type == PAGE_UNTYPED || page->family.size > none.name_size ||
	    memcmp(name, page->family.at, page->family.size) != 0)
		return none;
	if (*suffix == '\0' && page->type == PAGE_SUMMARY)
		role.part = MC_METRIC_QUANTILE;
	else if (distribution && strcmp(suffix, "_count") == 0)
		role.part = MC_METRIC_COUNT;
	else if (distribution && strcmp(suffix, "_sum") == 0)
		role.part = MC_METRIC_SUM;
	else if (page->type == PAGE_HISTOGRAM && strcmp(suffix, "_bucket") == 0)
		role.part = MC_METRIC_BUCKET;
	else if (page->type == PAGE_COUNTER && (*suffix == '\0' || strcmp(suffix, "_total") == 0))
		role.name_size = none.name_size;
	else if (page->type != PAGE_GAUGE || *suffix != '\0')
		return none;
	return role;
}

void page_help_read(struct page_text help, char *out, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < help.size && len + 1 < size; i++) {
		char c = help.at[i];

		if (c == '\\' && i + 1 < help.size &&
		    (help.at[i + 1] == '\\' || help.at[i + 1] == '"'))
			c = help.at[++i];
		else if (c == '\\' && i + 1 < help.size && help.at[i + 1] == 'n') {
			c = '\n';
			i++;
		}
		out[len++] = c;
	}
	out[len] = '\0';
}
