/* SPDX-License-Identifier: MIT */
/* Facts: yajl_parse.h. */
#include <collector/kit/json.h>

#include <errno.h>
#include <stdlib.h>

#include <yajl/yajl_parse.h>

#include <collector/kit/alloc.h>

struct reader {
	const struct mc_json_calls *calls;
	void *argument;
	unsigned depth, depth_max;
	bool too_deep;
};

static int take_null(void *argument)
{
	const struct reader *reader = argument;

	return reader->calls->null == NULL || reader->calls->null(reader->argument);
}

static int take_boolean(void *argument, int value)
{
	const struct reader *reader = argument;

	return reader->calls->boolean == NULL ||
	       reader->calls->boolean(reader->argument, value != 0);
}

static int take_number(void *argument, const char *text, size_t size)
{
	const struct reader *reader = argument;

	return reader->calls->number == NULL || reader->calls->number(reader->argument, text, size);
}

static int take_string(void *argument, const unsigned char *text, size_t size)
{
	const struct reader *reader = argument;

	return reader->calls->string == NULL ||
	       reader->calls->string(reader->argument, (const char *)text, size);
}

static int take_key(void *argument, const unsigned char *text, size_t size)
{
	const struct reader *reader = argument;

	return reader->calls->key == NULL ||
	       reader->calls->key(reader->argument, (const char *)text, size);
}

static int deeper(struct reader *reader, bool (*call)(void *))
{
	reader->too_deep = reader->depth == reader->depth_max;
	if (reader->too_deep)
		return 0;
	reader->depth++;
	return call == NULL || call(reader->argument);
}

static int back(struct reader *reader, bool (*call)(void *))
{
	reader->depth--;
	return call == NULL || call(reader->argument);
}

static int begin_map(void *argument)
{
	struct reader *reader = argument;

	return deeper(reader, reader->calls->begin_map);
}

static int end_map(void *argument)
{
	struct reader *reader = argument;

	return back(reader, reader->calls->end_map);
}

static int begin_list(void *argument)
{
	struct reader *reader = argument;

	return deeper(reader, reader->calls->begin_list);
}

static int end_list(void *argument)
{
	struct reader *reader = argument;

	return back(reader, reader->calls->end_list);
}

static const yajl_callbacks callbacks = {
	.yajl_null = take_null,
	.yajl_boolean = take_boolean,
	.yajl_number = take_number,
	.yajl_string = take_string,
	.yajl_start_map = begin_map,
	.yajl_map_key = take_key,
	.yajl_end_map = end_map,
	.yajl_start_array = begin_list,
	.yajl_end_array = end_list,
};

int mc_json_read(const void *text, size_t size, unsigned depth_max,
		 const struct mc_json_calls *calls, void *argument)
{
	struct reader reader = {
		.calls = calls,
		.argument = argument,
		.depth_max = depth_max,
	};
	yajl_handle parser =
		mc_alloc_checked(yajl_alloc(&callbacks, NULL, &reader), sizeof(reader));
	yajl_status status = yajl_parse(parser, text, size);

	if (status == yajl_status_ok)
		status = yajl_complete_parse(parser);
	yajl_free(parser);
	if (status == yajl_status_ok)
		return 0;
	if (reader.too_deep)
		return -ELOOP;
	return status == yajl_status_client_canceled ? -ECANCELED : -EINVAL;
}
