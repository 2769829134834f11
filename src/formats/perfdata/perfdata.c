/* SPDX-License-Identifier: MIT */
#include "formats/perfdata/perfdata.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "kit/base/decimal.h"
#include <collector/kit/hash.h>
#include <collector/kit/number.h>

#define NUMBER_SIZE 64
#define DIGITS "0123456789"
#define FIELDS_MAX 4
#define SUM_SIZE 9 /* Of a label that was cut: "~01234567". */

/* --- The output of a check ------------------------------------------------ */

const char *mc_check_output_line(struct mc_check_output *output, const char *line)
{
	const char *bar = strchr(line, '|');
	size_t size = bar != NULL ? (size_t)(bar - line) : strlen(line);

	if (output->only_data)
		return line;
	if (output->begun) {
		output->only_data = bar != NULL;
	} else {
		while (size > 0 && (line[size - 1] == ' ' || line[size - 1] == '\t'))
			size--;
		snprintf(output->text, sizeof(output->text), "%.*s", (int)size, line);
		output->begun = true;
	}
	return bar != NULL ? bar + 1 : NULL;
}

/* --- Units ---------------------------------------------------------------- */

struct unit {
	const char *name, *type, *base;
	double factor;
};

/* Without case.  Of time m is the minute.  Nobody means bits by "kb". */
static const struct unit units[] = {
	{ "%", "percent", "percent", 1 },      { "s", "duration", "seconds", 1 },
	{ "ms", "duration", "seconds", 1e-3 }, { "us", "duration", "seconds", 1e-6 },
	{ "b", "bytes", "bytes", 1 },          { "kb", "bytes", "bytes", 1e3 },
	{ "mb", "bytes", "bytes", 1e6 },       { "gb", "bytes", "bytes", 1e9 },
	{ "tb", "bytes", "bytes", 1e12 },      { "pb", "bytes", "bytes", 1e15 },
	{ "kib", "bytes", "bytes", 0x1p10 },   { "mib", "bytes", "bytes", 0x1p20 },
	{ "gib", "bytes", "bytes", 0x1p30 },   { "tib", "bytes", "bytes", 0x1p40 },
	{ "pib", "bytes", "bytes", 0x1p50 },   { "ns", "duration", "seconds", 1e-9 },
	{ "m", "duration", "seconds", 60 },    { "h", "duration", "seconds", 3600 },
	{ "d", "duration", "seconds", 86400 },
};
static const struct unit no_unit = { "", "gauge", "", 1 };
static const struct unit counter = { "c", "derive", "", 1 };

static const struct unit *find_unit(struct mc_word word)
{
	if (word.size == 0)
		return &no_unit;
	if (word.size == 1 && word.text[0] == 'c') /* C is Celsius. */
		return &counter;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strncasecmp(units[i].name, word.text, word.size) == 0 &&
		    units[i].name[word.size] == '\0')
			return &units[i];
	return &no_unit;
}

/* --- Labels --------------------------------------------------------------- */

static bool is_end(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
}

static const char *skip_blanks(const char *at)
{
	while (*at != '\0' && is_end(*at))
		at++;
	return at;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A label while it is put together. */
struct label {
	struct mc_perfdata_item *item;
	uint64_t sum; /* Of all of it. */
	size_t size;  /* Size of all of it. */
};

static void add(struct label *label, const char *text, size_t size)
{
	size_t room = MC_PERFDATA_LABEL_SIZE - 1 - label->item->label_size;
	size_t taken = size < room ? size : room;

	memcpy(label->item->label + label->item->label_size, text, taken);
	label->item->label_size += taken;
	label->sum = mc_hash_bytes(label->sum, text, size);
	label->size += size;
}

/* Ends a label; one that is too long keeps whole characters of UTF-8. */
static void finish(struct label *label)
{
	struct mc_perfdata_item *item = label->item;

	if (label->size >= MC_PERFDATA_LABEL_SIZE) {
		item->label_size -= SUM_SIZE;
		while (item->label_size > 0 && (item->label[item->label_size] & 0xc0) == 0x80)
			item->label_size--;
		item->label_size += (size_t)snprintf(item->label + item->label_size, SUM_SIZE + 1,
						     "~%08" PRIx32, (uint32_t)label->sum);
	}
	item->label[item->label_size] = '\0';
}

/* Size of the part before the last name of "host::check_load::load1", which begins a block of
 * check_multi; 0 for other labels. */
static size_t prefix_of(const char *text, size_t size)
{
	const char *first = memmem(text, size, "::", 2), *last = NULL, *at;

	if (first == NULL)
		return 0;
	for (at = first + 2; (at = memmem(at, size - (size_t)(at - text), "::", 2)) != NULL;
	     at += 2)
		last = at;
	if (last == NULL || first == text || last == first + 2 || last + 2 == text + size)
		return 0;
	return (size_t)(last + 2 - text);
}

/* After the quote that ends a label; NULL without one. */
static const char *closing(const char *at)
{
	while ((at = strchr(at, '\'')) != NULL && at[1] == '\'')
		at += 2;
	return at;
}

static void add_quoted(struct label *label, const char *at, const char *end)
{
	while (at < end) {
		const char *quote = memchr(at, '\'', (size_t)(end - at));
		size_t size = (size_t)((quote != NULL ? quote + 1 : end) - at);

		add(label, at, size);
		at += size + (quote != NULL);
	}
}

/* Takes a label, in quotes, where two are one, or up to a blank or '='; where
 * it ends.  False: it has no end. */
static bool take_label(struct mc_perfdata *data, struct mc_perfdata_item *item)
{
	const char *start = data->at, *end = start;
	struct label label = { .item = item, .sum = mc_hash_start() };
	bool quoted = *start == '\'';
	size_t prefix;

	item->label_size = 0;
	if (quoted) {
		end = closing(++start);
		if (end == NULL)
			return false;
	} else {
		while (!is_end(*end) && *end != '=')
			end++;
	}
	data->at = end + quoted;
	prefix = prefix_of(start, (size_t)(end - start));
	if (prefix > 0) {
		data->prefix = start;
		data->prefix_size = prefix;
	} else if (data->prefix_size > 0 && end > start) {
		add_quoted(&label, data->prefix, data->prefix + data->prefix_size);
	}
	if (quoted)
		add_quoted(&label, start, end);
	else
		add(&label, start, (size_t)(end - start));
	finish(&label);
	return true;
}

/* --- Values --------------------------------------------------------------- */

/* How many bytes at the start of a text are a number, in which a comma may be
 * the point: then '*comma' is where it is. */
static size_t number_size(const char *text, size_t *comma)
{
	size_t at = *text == '+' || *text == '-', start = at, exponent;

	*comma = 0;
	while (is_digit(text[at]))
		at++;
	if ((text[at] == '.' || (text[at] == ',' && at > start)) && is_digit(text[at + 1])) {
		*comma = text[at] == ',' ? at : 0;
		do
			at++;
		while (is_digit(text[at]));
	}
	if ((text[at] | 0x20) == 'e' && at > start) {
		exponent = at + 1;
		exponent += text[exponent] == '+' || text[exponent] == '-';
		if (is_digit(text[exponent]))
			at = exponent + strspn(text + exponent, DIGITS);
		else if (exponent > at + 1 || is_end(text[exponent]) || text[exponent] == ';')
			return 0;
	}
	return at < NUMBER_SIZE ? at : 0;
}

/* The number at the start of a text: how many bytes it has, or 0. */
static size_t take_number(const char *text, struct mc_perfdata_item *item)
{
	char number[NUMBER_SIZE];
	const char *digits = text;
	size_t comma, size = number_size(text, &comma);

	if (comma > 0 && size > 0) {
		item->tolerated = true;
		memcpy(number, text, size);
		number[comma] = '.';
		text = number;
	}
	if (size == 0 || !mc_decimal_read(text, size, &item->value))
		return 0;
	item->whole = is_digit(*digits) && mc_number_take(&digits, 10, &item->digits) &&
		      digits == text + size;
	return size;
}

/* After a value, up to ';' or a blank. */
static bool take_value(const char **at, struct mc_perfdata_item *item)
{
	const struct unit *unit;
	size_t size = take_number(*at, item);
	const char *text = *at + size;

	if (size == 0)
		return false;
	item->unit = (struct mc_word){ text, strcspn(text, "; \t\r\n") };
	/* Text that goes on after a number makes it invalid: 1.2.3, 0x10. */
	if (item->unit.size > 0 && strcspn(text, DIGITS ".,+-\"'=") < item->unit.size)
		return false;
	*at = text + item->unit.size;
	unit = find_unit(item->unit);
	item->type = unit->type;
	item->base = unit->base;
	item->factor = unit->factor;
	return isfinite(item->value * item->factor);
}

/* The fields after a value.  False: there are too many. */
static bool take_fields(const char **at, struct mc_perfdata_item *item)
{
	struct mc_word *const fields[] = { &item->warning, &item->critical, &item->min,
					   &item->max };
	size_t len = 0;

	while (**at == ';') {
		const char *start = *at + 1;
		size_t size = 0;

		while (!is_end(start[size]) && start[size] != ';')
			size++;
		if (len < FIELDS_MAX)
			*fields[len] = (struct mc_word){ start, size };
		else if (size > 0 || len > FIELDS_MAX)
			return false;
		len++;
		*at = start + size;
	}
	return true;
}

static const char *skip_word(const char *at)
{
	while (!is_end(*at))
		at++;
	return at;
}

static enum mc_perfdata_found take_item(const char **at, struct mc_perfdata_item *item)
{
	const char *text = *at;

	if (*text == 'U' && (text[1] == ';' || is_end(text[1]))) {
		*at = skip_word(text);
		return MC_PERFDATA_UNKNOWN;
	}
	if (is_end(*text) || *text == ';') {
		*at = skip_word(text);
		return MC_PERFDATA_NO_VALUE;
	}
	if (!take_value(&text, item)) {
		*at = skip_word(text);
		return MC_PERFDATA_NO_NUMBER;
	}
	*at = text;
	if (take_fields(at, item))
		return MC_PERFDATA_ITEM;
	*at = skip_word(*at);
	return MC_PERFDATA_FIELDS;
}

/* After '=': a blank does not belong there, but a value after it counts. */
static const char *find_value(const char *at, struct mc_perfdata_item *item)
{
	const char *word = skip_blanks(at);

	if (word == at)
		return at;
	if (!is_digit(*word) && strchr("+-.U", *word) == NULL)
		return at;
	if (*word == '\0')
		return at;
	item->tolerated = true;
	return word;
}

enum mc_perfdata_found mc_perfdata_next(struct mc_perfdata *data, struct mc_perfdata_item *item)
{
	enum mc_perfdata_found found;
	const char *sign;

	data->at = skip_blanks(data->at);
	if (*data->at == '\0')
		return MC_PERFDATA_END;
	item->tolerated = false;
	item->warning = item->critical = item->min = item->max = (struct mc_word){ "", 0 };
	item->label[0] = '\0';
	if (!take_label(data, item)) {
		data->at = skip_word(data->at);
		return MC_PERFDATA_NO_LABEL;
	}
	sign = skip_blanks(data->at);
	if (*sign != '=') /* A word that is not an item; the next one may be. */
		return MC_PERFDATA_NO_VALUE;
	item->tolerated = sign != data->at;
	data->at = find_value(sign + 1, item);
	found = take_item(&data->at, item);
	return item->label_size > 0 ? found : MC_PERFDATA_NO_LABEL;
}

/* --- Thresholds ----------------------------------------------------------- */

/* A number of a range, from 'at' to 'end', which "" and "~" are not. */
static bool take_bound(const char *at, const char *end, double *bound)
{
	size_t size = (size_t)(end - at), comma;
	char text[NUMBER_SIZE];

	if (size == 0 || (size == 1 && *at == '~')) {
		*bound = NAN;
		return true;
	}
	if (number_size(at, &comma) != size)
		return false;
	memcpy(text, at, size);
	if (comma > 0)
		text[comma] = '.';
	return mc_decimal_read(text, size, bound);
}

bool mc_perfdata_range(struct mc_word word, struct mc_bounds *bounds, bool *inverted)
{
	const char *end = word.text + word.size, *colon;
	struct mc_bounds found = { 0, NAN };
	bool at = word.size > 0 && word.text[0] == '@';

	word.text += at;
	word.size -= at;
	if (word.size == 0)
		return false;
	colon = memchr(word.text, ':', word.size);
	if (colon != NULL && !take_bound(word.text, colon, &found.min))
		return false;
	if (!take_bound(colon != NULL ? colon + 1 : word.text, end, &found.max))
		return false;
	if (isnan(found.min) && isnan(found.max))
		return false;
	*bounds = found;
	*inverted = at;
	return true;
}

/* A value on a limit is good, and of an inverted range bad. */
static bool is_beyond(double value, const struct mc_bounds *bounds, bool inverted)
{
	if (isnan(value) || (isnan(bounds->min) && isnan(bounds->max)))
		return false;
	return (value < bounds->min || value > bounds->max) != inverted;
}

bool mc_perfdata_contradicts(const struct mc_metadata *metadata, double value,
			     enum mc_severity state)
{
	if (state == MC_FAILURE)
		return false;
	return is_beyond(value, &metadata->failure, metadata->failure_inverted) ||
	       (state == MC_OKAY &&
		is_beyond(value, &metadata->warning, metadata->warning_inverted));
}

void mc_perfdata_unlimit(struct mc_metadata *metadata)
{
	metadata->warning = metadata->failure = (struct mc_bounds){ NAN, NAN };
	metadata->warning_inverted = metadata->failure_inverted = false;
}

/* --- Metadata ------------------------------------------------------------- */

static void scale(struct mc_bounds *bounds, double factor)
{
	bounds->min *= factor;
	bounds->max *= factor;
}

struct mc_metadata mc_perfdata_describe(const struct mc_perfdata_item *item, bool raw,
					char unit[MC_METADATA_LABEL_SIZE])
{
	struct mc_metadata metadata = { .label = item->label,
					.warning = { NAN, NAN },
					.failure = { NAN, NAN } };
	struct mc_word word = item->unit;

	if (strcmp(item->type, "derive") == 0)
		return metadata;
	if (!raw && item->base[0] != '\0')
		word = (struct mc_word){ item->base, strlen(item->base) };
	snprintf(unit, MC_METADATA_LABEL_SIZE, "%.*s",
		 (int)(word.size < MC_METADATA_LABEL_SIZE ? word.size : 0), word.text);
	metadata.unit = unit;
	mc_perfdata_range(item->warning, &metadata.warning, &metadata.warning_inverted);
	mc_perfdata_range(item->critical, &metadata.failure, &metadata.failure_inverted);
	if (!raw) {
		scale(&metadata.warning, item->factor);
		scale(&metadata.failure, item->factor);
	}
	return metadata;
}
