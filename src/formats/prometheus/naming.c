/* SPDX-License-Identifier: MIT */
/* A name is taken apart at all characters that it cannot have, and joined by '_'. */
#include "formats/prometheus/naming.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TOKENS_MAX (MC_METRIC_NAME_SIZE / 2 + 3)

struct token {
	const char *at;
	size_t size;
};

struct tokens {
	struct token items[TOKENS_MAX];
	unsigned len;
};

/* --- Units --------------------------------------------------------------- */

struct spelling {
	const char *unit, *word;
};

static const struct spelling units[] = {
	{ "d", "days" },
	{ "h", "hours" },
	{ "min", "minutes" },
	{ "s", "seconds" },
	{ "ms", "milliseconds" },
	{ "us", "microseconds" },
	{ "ns", "nanoseconds" },
	{ "By", "bytes" },
	{ "KiBy", "kibibytes" },
	{ "MiBy", "mebibytes" },
	{ "GiBy", "gibibytes" },
	{ "TiBy", "tibibytes" }, /* Prometheus spells it so. */
	{ "KBy", "kilobytes" },
	{ "MBy", "megabytes" },
	{ "GBy", "gigabytes" },
	{ "TBy", "terabytes" },
	{ "m", "meters" },
	{ "V", "volts" },
	{ "A", "amperes" },
	{ "J", "joules" },
	{ "W", "watts" },
	{ "g", "grams" },
	{ "Cel", "celsius" },
	{ "Hz", "hertz" },
	{ "1", "" },
	{ "%", "percent" },
	{ NULL, NULL },
};

static const struct spelling per_units[] = {
	{ "s", "second" }, { "m", "minute" }, { "h", "hour" }, { "d", "day" },
	{ "w", "week" },   { "mo", "month" }, { "y", "year" }, { NULL, NULL },
};

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Whether it is a byte of a character other than its first one. */
static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The word for a unit, or itself, as far as it can be part of a name; "" for a count of things,
 * which stands in braces. */
static void read_unit(char out[NAMING_SIZE], struct token unit, const struct spelling *known)
{
	size_t size = 0;

	while (unit.size > 0 && *unit.at == ' ') {
		unit.at++;
		unit.size--;
	}
	while (unit.size > 0 && unit.at[unit.size - 1] == ' ')
		unit.size--;
	out[0] = '\0';
	if (memchr(unit.at, '{', unit.size) != NULL || memchr(unit.at, '}', unit.size) != NULL)
		return;
	for (; known->unit != NULL; known++)
		if (strlen(known->unit) == unit.size &&
		    memcmp(known->unit, unit.at, unit.size) == 0)
			unit = (struct token){ known->word, strlen(known->word) };
	for (size_t i = 0; i < unit.size && size < NAMING_SIZE - 1; i++) {
		bool kept = is_plain(unit.at[i]) || unit.at[i] == ':';

		if (kept || (size > 0 && out[size - 1] != '_'))
			out[size++] = kept ? unit.at[i] : '_';
	}
	out[size] = '\0';
}

struct unit {
	char main[NAMING_SIZE], per[NAMING_SIZE];
};

static void trim(char *text)
{
	size_t size = strlen(text);

	if (size > 0 && text[size - 1] == '_')
		text[size - 1] = '\0';
}

static void split_unit(struct unit *out, const char *unit)
{
	const char *slash = strchr(unit, '/');
	size_t size = slash != NULL ? (size_t)(slash - unit) : strlen(unit);
	char per[NAMING_SIZE] = "";

	read_unit(out->main, (struct token){ unit, size }, units);
	if (slash != NULL)
		read_unit(per, (struct token){ slash + 1, strlen(slash + 1) }, per_units);
	trim(per);
	out->per[0] = '\0';
	if (per[0] != '\0' && snprintf(out->per, sizeof(out->per), "per_%s", per) >= NAMING_SIZE)
		out->per[0] = '\0';
	if (out->per[0] != '\0')
		trim(out->main);
}

void naming_unit(char out[NAMING_SIZE], const char *unit)
{
	struct unit parts;
	bool both;

	split_unit(&parts, unit);
	both = parts.main[0] != '\0' && parts.per[0] != '\0';
	if (snprintf(out, NAMING_SIZE, "%s%s%s", parts.main, both ? "_" : "", parts.per) >=
	    NAMING_SIZE)
		out[0] = '\0';
	trim(out);
}

bool naming_is_seconds(const struct mc_type *type)
{
	return type->sources[0].kind == MC_DERIVE && strcmp(type->name, OTLP_TYPE_SECONDS) == 0;
}

void naming_sent_unit(char out[OTLP_UNIT_SIZE], const struct mc_type *type,
		      const struct mc_metadata *metadata)
{
	const struct mc_metadata of_type = { .unit = type->unit != NULL ? type->unit : "" };
	bool has_unit = metadata != NULL && metadata->unit[0] != '\0';
	bool spelled = mc_metadata_attribute(metadata, OTLP_UNIT_SPELLING) != NULL;
	size_t size = otlp_unit_of_metadata(out, has_unit || spelled ? metadata : &of_type,
					    type->sources[0].kind != MC_GAUGE);

	out[size] = '\0';
}

/* --- Names of metrics ----------------------------------------------------- */

void naming_collectd(char out[NAMING_SIZE], const char *plugin, const struct mc_type *type,
		     unsigned source)
{
	const char *name = type->sources[source].name;
	bool same = strcmp(plugin, type->name) == 0;
	bool only = strcmp(name, "value") == 0;

	snprintf(out, NAMING_SIZE, "collectd_%s%s%s%s%s%s", plugin, same ? "" : "_",
		 same ? "" : type->name, only ? "" : "_", only ? "" : name,
		 naming_is_counter(type->sources[source].kind) ? "_total" : "");
	for (char *at = out; *at != '\0'; at++)
		*at = naming_character(*at, at == out);
}

const char *naming_suffix(enum mc_metric_part part)
{
	static const char *const suffixes[] = {
		[MC_METRIC_VALUE] = "",    [MC_METRIC_COUNT] = "_count",
		[MC_METRIC_SUM] = "_sum",  [MC_METRIC_MIN] = "_min",
		[MC_METRIC_MAX] = "_max",  [MC_METRIC_BUCKET] = "_bucket",
		[MC_METRIC_QUANTILE] = "",
	};

	return suffixes[part];
}

static bool is_token(const struct token *token, const char *text)
{
	return strlen(text) == token->size && memcmp(token->at, text, token->size) == 0;
}

static bool has_token(const struct tokens *tokens, const char *text)
{
	for (unsigned i = 0; i < tokens->len; i++)
		if (is_token(&tokens->items[i], text))
			return true;
	return false;
}

static void add_token(struct tokens *tokens, const char *at, size_t size)
{
	if (size > 0 && tokens->len < TOKENS_MAX)
		tokens->items[tokens->len++] = (struct token){ at, size };
}

/* Moves it to the end. */
static void add_last(struct tokens *tokens, const char *text)
{
	unsigned len = 0;

	for (unsigned i = 0; i < tokens->len; i++)
		if (!is_token(&tokens->items[i], text))
			tokens->items[len++] = tokens->items[i];
	tokens->len = len;
	add_token(tokens, text, strlen(text));
}

static void split_name(struct tokens *tokens, const char *name)
{
	while (*name != '\0') {
		const char *from = name;

		while (is_plain(*name) || *name == ':')
			name++;
		add_token(tokens, from, (size_t)(name - from));
		name += *name != '\0';
	}
}

static void join(char out[NAMING_SIZE], const struct tokens *tokens)
{
	size_t size = 0;

	if (tokens->len > 0 && *tokens->items[0].at >= '0' && *tokens->items[0].at <= '9')
		out[size++] = '_';
	for (unsigned i = 0; i < tokens->len; i++) {
		const struct token *token = &tokens->items[i];

		if (size + 1 + token->size >= NAMING_SIZE)
			break;
		if (i > 0)
			out[size++] = '_';
		memcpy(out + size, token->at, token->size);
		size += token->size;
	}
	out[size] = '\0';
}

bool naming_metric(char out[NAMING_SIZE], const struct mc_metric *metric, const char *unit)
{
	struct tokens tokens = { .len = 0 };
	struct unit parts;

	split_name(&tokens, metric->name);
	split_unit(&parts, unit);
	if (!has_token(&tokens, parts.main))
		add_token(&tokens, parts.main, strlen(parts.main));
	add_token(&tokens, parts.per, strlen(parts.per));
	if (metric->kind == MC_METRIC_COUNTER && !metric->delta)
		add_last(&tokens, "total");
	if (metric->kind == MC_METRIC_GAUGE && strcmp(unit, "1") == 0)
		add_last(&tokens, "ratio");
	join(out, &tokens);
	return out[0] != '\0';
}

bool naming_has_name(const struct mc_metric *metric)
{
	const char *at = metric->name;

	while (*at != '\0' && !is_plain(*at) && *at != ':')
		at++;
	return *at != '\0';
}

/* --- Labels --------------------------------------------------------------- */

bool naming_label(char out[NAMING_SIZE], const char *label)
{
	char text[NAMING_SIZE - 4];
	const char *prefix = "";
	size_t size = 0;
	bool any = false;

	for (const char *at = label; *at != '\0' && size < sizeof(text) - 1; at++) {
		if (is_continuation(*at))
			continue;
		any |= is_plain(*at);
		text[size++] = is_plain(*at) ? *at : '_';
	}
	text[size] = '\0';
	if (text[0] >= '0' && text[0] <= '9')
		prefix = "key_";
	else if ((text[0] == '_' && text[1] != '_') || strcmp(text, "__name__") == 0)
		prefix = "key";
	snprintf(out, NAMING_SIZE, "%s%s", prefix, text);
	return any;
}

bool naming_is_label(const char *name)
{
	size_t i = 0;

	while (name[i] != '\0' && naming_character(name[i], i == 0) == name[i])
		i++;
	return i > 0 && name[i] == '\0' && strncmp(name, "__", 2) != 0;
}

/* --- Bounds ----------------------------------------------------------------- */

/* Digits, and where the point is after the first of them. */
static int print_digits(char out[32], double number)
{
	char text[32];
	char *exponent;
	size_t size = 0;

	for (int precision = 0; precision <= 16; precision++) {
		snprintf(text, sizeof(text), "%.*e", precision, number);
		if (strtod(text, NULL) == number)
			break;
	}
	exponent = strchr(text, 'e');
	for (const char *at = text; at < exponent; at++)
		if (*at != '.')
			out[size++] = *at;
	while (size > 1 && out[size - 1] == '0')
		size--;
	out[size] = '\0';
	return (int)strtol(exponent + 1, NULL, 10);
}

void naming_bound(char out[NAMING_BOUND_SIZE], double bound)
{
	char digits[32];
	int at, size = 0, len;

	if (!isfinite(bound)) {
		snprintf(out, NAMING_BOUND_SIZE, "%s",
			 isnan(bound) ? "NaN"
			 : bound > 0  ? "+Inf"
				      : "-Inf");
		return;
	}
	at = print_digits(digits, fabs(bound));
	len = (int)strlen(digits);
	if (bound < 0)
		out[size++] = '-';
	if (at < 0) {
		size += snprintf(out + size, 3, "0.");
		while (++at < 0)
			out[size++] = '0';
		snprintf(out + size, NAMING_BOUND_SIZE - (size_t)size, "%s", digits);
		return;
	}
	for (int i = 0; i < len || i <= at; i++) {
		if (i == at + 1)
			out[size++] = '.';
		out[size++] = i < len ? digits[i] : '0';
	}
	out[size] = '\0';
}
