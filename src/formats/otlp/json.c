/* SPDX-License-Identifier: MIT */
/* Facts: the OTLP specification, "JSON Protobuf Encoding"; protobuf.dev, "ProtoJSON Format", for
 * numbers that are strings and names of enumerations, and "Encoding".
 *
 * Protobuf is written as JSON comes, in one walk.  Of a message the size comes first and is known
 * last: a byte is left for it, and if that is too few what is in the message is moved. */
#include "formats/otlp/json.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/json.h>
#include <collector/kit/number.h>

#include "formats/otlp/json_fields.h"

enum { VARINT, FIXED64, BYTES }; /* Types of the wire. */
#define VARINT_SIZE 10
#define NUMBER_SIZE 64 /* Of a number as text; none needs half of that. */

#define LEVELS_MAX (2 * JSON_DEPTH_MAX) /* Each message may be in a list. */

#define NO_JSON "not in the form of JSON"
#define WRONG_KIND "JSON that has another kind of value where OTLP has one"
#define TOO_DEEP "JSON nested too deep"

struct frame { /* A message that is open. */
	enum json_message message;
	const struct json_field *field; /* The last key; NULL: not read. */
	bool list;                      /* In a list of that field. */
	size_t begin;                   /* Where its content begins. */
};

struct writer {
	const struct mc_inflate_limits *limits;
	struct mc_inflated out;
	enum json_message root;
	struct frame frames[JSON_DEPTH_MAX];
	unsigned depth;   /* How many are open. */
	unsigned skipped; /* Open brackets in a value that is not read. */
	bool begun;
	enum mc_inflate_result result;
	const char *why;
};

static int fail(struct writer *writer, enum mc_inflate_result result, const char *why)
{
	writer->result = result;
	writer->why = why;
	return 0;
}

/* --- Protobuf ------------------------------------------------------------- */

/* NULL, and the walk is to end, if there is no more memory. */
static unsigned char *reserve(struct writer *writer, size_t size)
{
	enum mc_inflate_result result = mc_inflate_reserve(writer->limits, &writer->out, size);

	if (result == MC_INFLATE_OKAY)
		return writer->out.bytes + writer->out.size;
	fail(writer, result, result == MC_INFLATE_TOO_BIG ? "too large" : "too much at once");
	return NULL;
}

static size_t put_varint(unsigned char *at, uint64_t number)
{
	size_t size = 0;

	for (; number >= 0x80; number >>= 7)
		at[size++] = (unsigned char)(number | 0x80);
	at[size++] = (unsigned char)number;
	return size;
}

static int put(struct writer *writer, unsigned number, unsigned wire, const void *bytes,
	       size_t size)
{
	unsigned char *at = reserve(writer, 1 + VARINT_SIZE + size);
	unsigned char *begin = at;

	if (at == NULL)
		return 0;
	*at++ = (unsigned char)(number << 3 | wire);
	if (wire == BYTES)
		at += put_varint(at, size);
	memcpy(at, bytes, size);
	writer->out.size += (size_t)(at - begin) + size;
	return 1;
}

static int put_fixed(struct writer *writer, unsigned number, uint64_t bits)
{
	bits = htole64(bits);
	return put(writer, number, FIXED64, &bits, sizeof(bits));
}

static int put_number(struct writer *writer, unsigned number, uint64_t value)
{
	unsigned char bytes[VARINT_SIZE];

	return put(writer, number, VARINT, bytes, put_varint(bytes, value));
}

static int open_message(struct writer *writer, const struct json_field *field)
{
	if (put(writer, field->number, BYTES, "", 0) == 0)
		return 0;
	writer->frames[writer->depth++] = (struct frame){
		.message = field->message,
		.begin = writer->out.size,
	};
	return 1;
}

static int close_message(struct writer *writer)
{
	size_t begin = writer->frames[--writer->depth].begin;
	size_t size = writer->out.size - begin;
	unsigned char bytes[VARINT_SIZE];
	size_t more = put_varint(bytes, size) - 1;

	if (writer->depth == 0)
		return 1; /* The request has no head. */
	if (more > 0) {
		if (reserve(writer, more) == NULL)
			return 0;
		memmove(writer->out.bytes + begin + more, writer->out.bytes + begin, size);
		writer->out.size += more;
	}
	memcpy(writer->out.bytes + begin - 1, bytes, more + 1);
	return 1;
}

/* --- Numbers -------------------------------------------------------------- */

/* The bits of a whole number, with a sign or without; as "1e3", too. */
static bool read_integer(const char *text, uint64_t *bits)
{
	double number;
	int64_t negative;

	if (mc_number_unsigned(text, 10, UINT64_MAX, bits))
		return true;
	if (mc_number_signed(text, INT64_MIN, 0, &negative)) {
		*bits = (uint64_t)negative;
		return true;
	}
	if (strpbrk(text, ".eE") == NULL || !mc_number_double(text, &number) ||
	    number != floor(number) || fabs(number) >= 0x1p63)
		return false;
	*bits = (uint64_t)(int64_t)number;
	return true;
}

static int put_digits(struct writer *writer, const struct json_field *field, const char *text)
{
	double number;
	uint64_t bits;

	if (field->kind == JSON_DOUBLE) {
		if (!mc_number_double(text, &number))
			return fail(writer, MC_INFLATE_BROKEN, WRONG_KIND);
		memcpy(&bits, &number, sizeof(bits));
		return put_fixed(writer, field->number, bits);
	}
	if (!read_integer(text, &bits))
		return fail(writer, MC_INFLATE_BROKEN, WRONG_KIND);
	switch (field->kind) {
	case JSON_FIXED:
		return put_fixed(writer, field->number, bits);
	case JSON_NUMBER:
	case JSON_TEMPORALITY:
	case JSON_SEVERITY:
		return put_number(writer, field->number, bits);
	case JSON_SIGNED:
		if ((int64_t)bits < INT32_MIN || (int64_t)bits > INT32_MAX)
			break;
		return put_number(writer, field->number,
				  bits << 1 ^ (uint64_t)((int64_t)bits >> 63));
	default:
		break;
	}
	return fail(writer, MC_INFLATE_BROKEN, WRONG_KIND);
}

/* A number according to yajl, or the content of a string. */
static bool copy_digits(char out[NUMBER_SIZE], const char *text, size_t size)
{
	if (size == 0 || size >= NUMBER_SIZE)
		return false;
	memcpy(out, text, size);
	out[size] = '\0';
	return strspn(out, "0123456789+-.eE") == size && strspn(out, "0123456789-") > 0;
}

/* --- Strings -------------------------------------------------------------- */

static bool is(const char *text, size_t size, const char *word)
{
	return strlen(word) == size && memcmp(text, word, size) == 0;
}

static int put_double_word(struct writer *writer, const struct json_field *field, const char *text,
			   size_t size)
{
	double number = NAN;
	uint64_t bits;

	if (is(text, size, "Infinity"))
		number = INFINITY;
	else if (is(text, size, "-Infinity"))
		number = -INFINITY;
	else if (!is(text, size, "NaN"))
		return fail(writer, MC_INFLATE_BROKEN, WRONG_KIND);
	memcpy(&bits, &number, sizeof(bits));
	return put_fixed(writer, field->number, bits);
}

static int put_temporality(struct writer *writer, const struct json_field *field, const char *text,
			   size_t size)
{
	static const char *const names[] = {
		"AGGREGATION_TEMPORALITY_UNSPECIFIED",
		"AGGREGATION_TEMPORALITY_DELTA",
		"AGGREGATION_TEMPORALITY_CUMULATIVE",
	};

	for (unsigned i = 0; i < 3; i++)
		if (is(text, size, names[i]))
			return put_number(writer, field->number, i);
	return fail(writer, MC_INFLATE_BROKEN, WRONG_KIND);
}

/* SEVERITY_NUMBER_TRACE is 1, TRACE2 2, TRACE3 3, TRACE4 4, DEBUG 5, ... */
static int put_severity(struct writer *writer, const struct json_field *field, const char *text,
			size_t size)
{
	static const char *const words[] = { "TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL" };
	char name[32];

	if (is(text, size, "SEVERITY_NUMBER_UNSPECIFIED"))
		return put_number(writer, field->number, 0);
	for (unsigned i = 0; i < 24; i++) {
		snprintf(name, sizeof(name), "SEVERITY_NUMBER_%s%.0u", words[i / 4],
			 i % 4 == 0 ? 0 : i % 4 + 1);
		if (is(text, size, name))
			return put_number(writer, field->number, i + 1);
	}
	return fail(writer, MC_INFLATE_BROKEN, WRONG_KIND);
}

static int put_string(struct writer *writer, const struct json_field *field, const char *text,
		      size_t size)
{
	char digits[NUMBER_SIZE];

	if (field->kind == JSON_TEXT)
		return put(writer, field->number, BYTES, text, size);
	if (field->kind == JSON_BOOL || field->kind == JSON_MESSAGE)
		return fail(writer, MC_INFLATE_BROKEN, WRONG_KIND);
	if (copy_digits(digits, text, size))
		return put_digits(writer, field, digits);
	if (field->kind == JSON_DOUBLE)
		return put_double_word(writer, field, text, size);
	if (field->kind == JSON_TEMPORALITY)
		return put_temporality(writer, field, text, size);
	if (field->kind == JSON_SEVERITY)
		return put_severity(writer, field, text, size);
	return fail(writer, MC_INFLATE_BROKEN, WRONG_KIND);
}

/* --- The walk ------------------------------------------------------------- */

/* The field whose value comes now; NULL: it is not read. */
static const struct json_field *current(const struct writer *writer)
{
	if (writer->skipped > 0 || writer->depth == 0)
		return NULL;
	return writer->frames[writer->depth - 1].field;
}

static bool take_null(void *argument)
{
	struct writer *writer = argument; /* As if it were not there. */

	return writer->depth > 0 || fail(writer, MC_INFLATE_BROKEN, WRONG_KIND);
}

static bool take_boolean(void *argument, bool value)
{
	struct writer *writer = argument;
	const struct json_field *field = current(writer);

	if (field == NULL)
		return take_null(writer);
	if (field->kind != JSON_BOOL)
		return fail(writer, MC_INFLATE_BROKEN, WRONG_KIND);
	return put_number(writer, field->number, value);
}

static bool take_number(void *argument, const char *text, size_t size)
{
	struct writer *writer = argument;
	const struct json_field *field = current(writer);
	char digits[NUMBER_SIZE];

	if (field == NULL)
		return take_null(writer);
	if (field->kind == JSON_TEXT || !copy_digits(digits, text, size))
		return fail(writer, MC_INFLATE_BROKEN, WRONG_KIND);
	return put_digits(writer, field, digits);
}

static bool take_string(void *argument, const char *text, size_t size)
{
	struct writer *writer = argument;
	const struct json_field *field = current(writer);

	if (field == NULL)
		return take_null(writer);
	return put_string(writer, field, text, size);
}

static bool take_key(void *argument, const char *name, size_t size)
{
	struct writer *writer = argument;
	struct frame *frame = &writer->frames[writer->depth - 1];

	if (writer->skipped == 0)
		frame->field = json_fields_find(frame->message, name, size);
	return true;
}

static bool begin_object(void *argument)
{
	struct writer *writer = argument;
	const struct json_field *field = current(writer);

	if (writer->depth + writer->skipped == JSON_DEPTH_MAX)
		return fail(writer, MC_INFLATE_BROKEN, TOO_DEEP);
	if (!writer->begun) {
		writer->begun = true;
		writer->frames[writer->depth++] = (struct frame){ .message = writer->root };
		return true;
	}
	if (field == NULL) {
		writer->skipped++;
		return true;
	}
	if (field->kind != JSON_MESSAGE)
		return fail(writer, MC_INFLATE_BROKEN, WRONG_KIND);
	return open_message(writer, field);
}

static bool end_object(void *argument)
{
	struct writer *writer = argument;

	if (writer->skipped == 0)
		return close_message(writer);
	writer->skipped--;
	return true;
}

static bool begin_list(void *argument)
{
	struct writer *writer = argument;
	struct frame *frame;

	if (writer->depth + writer->skipped == JSON_DEPTH_MAX)
		return fail(writer, MC_INFLATE_BROKEN, TOO_DEEP);
	if (writer->depth == 0)
		return fail(writer, MC_INFLATE_BROKEN, WRONG_KIND);
	if (current(writer) == NULL) {
		writer->skipped++;
		return true;
	}
	frame = &writer->frames[writer->depth - 1];
	if (frame->list)
		return fail(writer, MC_INFLATE_BROKEN, WRONG_KIND);
	frame->list = true;
	return true;
}

static bool end_list(void *argument)
{
	struct writer *writer = argument;

	if (writer->skipped > 0)
		writer->skipped--;
	else
		writer->frames[writer->depth - 1].list = false;
	return true;
}

static const struct mc_json_calls calls = {
	.null = take_null,
	.boolean = take_boolean,
	.number = take_number,
	.string = take_string,
	.key = take_key,
	.begin_map = begin_object,
	.end_map = end_object,
	.begin_list = begin_list,
	.end_list = end_list,
};

enum mc_inflate_result json_convert(const struct json_request *request,
				    const struct mc_inflate_limits *limits, struct mc_inflated *out,
				    const char **why)
{
	struct writer writer = {
		.limits = limits,
		.root = request->logs ? JSON_LOGS_REQUEST : JSON_METRICS_REQUEST,
		.result = MC_INFLATE_OKAY,
	};
	int rc = mc_json_read(request->text, request->size, LEVELS_MAX, &calls, &writer);

	if (writer.result == MC_INFLATE_OKAY && rc < 0)
		fail(&writer, MC_INFLATE_BROKEN, rc == -ELOOP ? TOO_DEEP : NO_JSON);
	if (writer.result != MC_INFLATE_OKAY) {
		*why = writer.why;
		mc_inflate_free(limits, &writer.out);
		return writer.result;
	}
	*out = writer.out;
	return MC_INFLATE_OKAY;
}

/* --- Replies -------------------------------------------------------------- */

/* Copies what needs no escape. */
static const char *plain(char out[JSON_REPLY_SIZE / 2], const char *why)
{
	snprintf(out, JSON_REPLY_SIZE / 2, "%s", why);
	for (char *at = out; *at != '\0'; at++)
		if (*at < ' ' || *at > '~' || *at == '"' || *at == '\\')
			*at = '?';
	return out;
}

size_t json_reply(char out[JSON_REPLY_SIZE], bool logs, uint64_t rejected, const char *why)
{
	char text[JSON_REPLY_SIZE / 2];

	if (rejected == 0)
		return (size_t)snprintf(out, JSON_REPLY_SIZE, "{}");
	return (size_t)snprintf(
		out, JSON_REPLY_SIZE,
		"{\"partialSuccess\":{\"%s\":\"%" PRIu64 "\",\"errorMessage\":\"%s\"}}",
		logs ? "rejectedLogRecords" : "rejectedDataPoints", rejected, plain(text, why));
}

size_t json_error(char out[JSON_REPLY_SIZE], const char *why)
{
	char text[JSON_REPLY_SIZE / 2];

	return (size_t)snprintf(out, JSON_REPLY_SIZE, "{\"message\":\"%s\"}", plain(text, why));
}
