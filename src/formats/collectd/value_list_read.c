/* SPDX-License-Identifier: MIT */
#include "formats/collectd/value_list_read.h"

#include <errno.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/json.h>
#include <collector/kit/number.h>

#include "kit/base/decimal.h"

#define DEPTH_MAX 8 /* "meta" has maps of its own. */
#define TEXT_SIZE 256
#define SECONDS_MAX 9e9 /* Of mc_time. */

enum field {
	HOST,
	PLUGIN,
	PLUGIN_INSTANCE,
	TYPE,
	TYPE_INSTANCE,
	TEXTS,
	VALUES = TEXTS,
	DSTYPES,
	TIME,
	INTERVAL,
	OTHER
};

static const char *const fields[] = {
	[HOST] = "host",
	[PLUGIN] = "plugin",
	[PLUGIN_INSTANCE] = "plugin_instance",
	[TYPE] = "type",
	[TYPE_INSTANCE] = "type_instance",
	[VALUES] = "values",
	[DSTYPES] = "dstypes",
	[TIME] = "time",
	[INTERVAL] = "interval",
};

struct reading {
	mc_value_list_taker *take;
	void *argument;
	const char *why;
	unsigned depth, object; /* In maps and lists; at which objects are. */
	bool ended;             /* 'take' wants no more. */

	/* The object: */
	enum field field;
	struct mc_value_list_in list;
	unsigned kinds_len;
	char texts[TEXTS][TEXT_SIZE];
};

static bool is_text(const char *word, const char *text, size_t size)
{
	return strlen(word) == size && memcmp(word, text, size) == 0;
}

/* The first reason stays. */
static bool blame(struct reading *reading, const char *why)
{
	if (reading->list.why == NULL)
		reading->list.why = why;
	return true;
}

/* Whether this item stands where an object should. */
static bool is_stray(struct reading *reading)
{
	if (reading->depth > reading->object)
		return false;
	reading->why = "it has something else than value lists";
	return true;
}

static bool is_item_of(const struct reading *reading, enum field field)
{
	return reading->depth == reading->object + 2 && reading->field == field;
}

/* --- Numbers -------------------------------------------------------------- */

static void read_number(const char *text, size_t size, struct mc_value_list_number *number)
{
	char digits[24];

	*number = (struct mc_value_list_number){ .negative = text[0] == '-' };
	number->known = mc_decimal_read(text, size, &number->number);
	if (size >= sizeof(digits))
		return;
	memcpy(digits, text, size);
	digits[size] = '\0';
	number->whole =
		mc_number_unsigned(digits + number->negative, 10, UINT64_MAX, &number->digits);
}

/* Fractions of a second that a double would lose are kept. */
static bool read_seconds(const char *text, size_t size, mc_time *time)
{
	struct mc_value_list_number number, part;
	const char *point = memchr(text, '.', size);
	mc_time unit = MC_SECOND;

	read_number(text, size, &number);
	if (!number.known || number.number < 0 || number.number > SECONDS_MAX)
		return false;
	*time = (mc_time)(number.number * (double)MC_SECOND);
	if (point == NULL)
		return true;
	read_number(text, (size_t)(point - text), &number);
	read_number(point + 1, size - (size_t)(point + 1 - text), &part);
	if (!number.whole || !part.whole || point + 10 < text + size)
		return true;
	for (const char *digit = point + 1; digit < text + size; digit++)
		unit /= 10;
	*time = (mc_time)number.digits * MC_SECOND + (mc_time)part.digits * unit;
	return true;
}

static bool add_value(struct reading *reading, const struct mc_value_list_number *number)
{
	struct mc_value_list_in *list = &reading->list;

	if (list->values_len == MC_SOURCES_MAX)
		return blame(reading, "it has too many values");
	list->values[list->values_len++] = *number;
	return true;
}

static bool take_number(void *argument, const char *text, size_t size)
{
	struct reading *reading = argument;
	struct mc_value_list_number number;
	bool good = true;

	if (is_stray(reading))
		return false;
	if (is_item_of(reading, VALUES)) {
		read_number(text, size, &number);
		return add_value(reading, &number);
	}
	if (reading->depth == reading->object + 1 && reading->field == TIME)
		good = read_seconds(text, size, &reading->list.time);
	else if (reading->depth == reading->object + 1 && reading->field == INTERVAL)
		good = read_seconds(text, size, &reading->list.interval);
	return good || blame(reading, "its time or interval is invalid");
}

static bool take_null(void *argument)
{
	struct reading *reading = argument;

	if (is_stray(reading))
		return false;
	if (is_item_of(reading, VALUES))
		add_value(reading, &(struct mc_value_list_number){ .known = false });
	return true;
}

static bool take_boolean(void *argument, bool value)
{
	(void)value;
	return !is_stray(argument);
}

/* --- Texts ---------------------------------------------------------------- */

static bool take_kind(struct reading *reading, const char *text, size_t size)
{
	static const char *const kinds[] = {
		[MC_COUNTER] = "counter",
		[MC_GAUGE] = "gauge",
		[MC_DERIVE] = "derive",
		[MC_ABSOLUTE] = "absolute",
	};

	if (reading->kinds_len == MC_SOURCES_MAX)
		return blame(reading, "it has too many dstypes");
	for (unsigned kind = 0; kind < sizeof(kinds) / sizeof(*kinds); kind++)
		if (is_text(kinds[kind], text, size)) {
			reading->list.kinds[reading->kinds_len++] = (enum mc_kind)kind;
			return true;
		}
	return blame(reading, "one of its dstypes is unknown");
}

static bool take_string(void *argument, const char *text, size_t size)
{
	struct reading *reading = argument;

	if (is_stray(reading))
		return false;
	if (is_item_of(reading, DSTYPES))
		return take_kind(reading, text, size);
	if (reading->depth != reading->object + 1 || reading->field >= TEXTS)
		return true;
	if (size >= TEXT_SIZE || memchr(text, '\0', size) != NULL)
		return blame(reading, "a part of its name is too long, or has a zero byte");
	memcpy(reading->texts[reading->field], text, size);
	reading->texts[reading->field][size] = '\0';
	return true;
}

static bool take_key(void *argument, const char *text, size_t size)
{
	struct reading *reading = argument;

	if (reading->depth != reading->object + 1)
		return true;
	for (reading->field = 0; reading->field < OTHER; reading->field++)
		if (is_text(fields[reading->field], text, size))
			break;
	return true;
}

/* --- Objects -------------------------------------------------------------- */

static void begin_object(struct reading *reading)
{
	reading->field = OTHER;
	reading->list = (struct mc_value_list_in){ .values_len = 0 };
	reading->kinds_len = 0;
	for (unsigned i = 0; i < TEXTS; i++)
		reading->texts[i][0] = '\0';
}

static bool begin_map(void *argument)
{
	struct reading *reading = argument;

	if (reading->depth == reading->object)
		begin_object(reading);
	reading->depth++;
	return true;
}

static bool end_object(struct reading *reading)
{
	struct mc_value_list_in *list = &reading->list;

	list->id =
		MC_ID(reading->texts[HOST], reading->texts[PLUGIN], reading->texts[PLUGIN_INSTANCE],
		      reading->texts[TYPE], reading->texts[TYPE_INSTANCE]);
	list->typed = reading->kinds_len > 0;
	if (list->values_len == 0)
		blame(reading, "it has no values");
	else if (list->typed && reading->kinds_len != list->values_len)
		blame(reading, "it has not as many dstypes as values");
	if (list->id.host[0] == '\0' || list->id.plugin[0] == '\0' || list->id.type[0] == '\0')
		blame(reading, "it has no host, plugin or type");
	reading->ended = !reading->take(reading->argument, list);
	return !reading->ended;
}

static bool end_map(void *argument)
{
	struct reading *reading = argument;

	reading->depth--;
	return reading->depth != reading->object || end_object(reading);
}

/* The outermost list may be left out. */
static bool begin_list(void *argument)
{
	struct reading *reading = argument;

	if (reading->depth == 0 && reading->object == 0)
		reading->object = 1;
	else if (is_stray(reading))
		return false;
	reading->depth++;
	return true;
}

static bool end_list(void *argument)
{
	struct reading *reading = argument;

	reading->depth--;
	return true;
}

const char *mc_value_list_read(const void *text, size_t size, mc_value_list_taker *take,
			       void *argument)
{
	static const struct mc_json_calls calls = {
		.null = take_null,
		.boolean = take_boolean,
		.number = take_number,
		.string = take_string,
		.key = take_key,
		.begin_map = begin_map,
		.end_map = end_map,
		.begin_list = begin_list,
		.end_list = end_list,
	};
	struct reading *reading = mc_alloc_zero(sizeof(*reading));
	const char *why = NULL;
	int rc;

	reading->take = take;
	reading->argument = argument;
	rc = mc_json_read(text, size, DEPTH_MAX, &calls, reading);
	if (rc == -ECANCELED)
		why = reading->ended ? NULL : reading->why;
	else if (rc < 0)
		why = rc == -ELOOP ? "it is JSON with too many levels" : "it is not JSON";
	free(reading);
	return why;
}

bool mc_value_list_read_value(const struct mc_value_list_in *list, unsigned source,
			      enum mc_kind kind, union mc_value *value)
{
	const struct mc_value_list_number *number = &list->values[source];

	if (kind == MC_GAUGE) {
		value->gauge = number->known ? number->number : NAN;
		return true;
	}
	if (!number->whole || (number->negative && kind != MC_DERIVE))
		return false;
	if (kind != MC_DERIVE) {
		value->counter = number->digits;
		return true;
	}
	if (number->digits > (uint64_t)INT64_MAX + number->negative)
		return false;
	value->derive = number->negative ? (int64_t)(0 - number->digits) : (int64_t)number->digits;
	return true;
}
