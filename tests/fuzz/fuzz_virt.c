/* SPDX-License-Identifier: MIT */
/* Any bytes as typed parameters: a type, eight bytes of value, a name that ends
 * with a newline, or not at all.  A string is what is left of the input. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"

#define PARAMS_MAX 512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Takes one parameter; how many bytes that was. */
static size_t take(virTypedParameter *param, const char *data, size_t size)
{
	const char *end;
	size_t name;

	memset(param, 0, sizeof(*param));
	if (size < 10)
		return size;
	param->type = data[0] % 10;
	memcpy(&param->value, data + 1, 8);
	end = memchr(data + 9, '\n', size - 9);
	name = end != NULL ? (size_t)(end - data) - 9 : size - 9;
	memcpy(param->field, data + 9, name < sizeof(param->field) ? name : sizeof(param->field));
	if (param->type == VIR_TYPED_PARAM_STRING)
		param->value.s = (char *)data + 9;
	return 9 + name + (end != NULL);
}

static void check(const struct decode_devices *devices)
{
	assert(devices->len <= DECODE_DEVICES_MAX);
	for (size_t i = 0; i < devices->len; i++) {
		const struct decode_device *device = &devices->items[i];

		assert(device->index < DECODE_DEVICES_MAX);
		assert(device->name == NULL || strlen(device->name) <= DECODE_NAME_MAX);
		assert(device->path == NULL || strlen(device->path) <= DECODE_NAME_MAX);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	virTypedParameter *params = calloc(PARAMS_MAX, sizeof(*params));
	struct decode decode = { 0 };
	char *text = calloc(1, size + 1);
	size_t at = 0, len = 0;

	if (params == NULL || text == NULL)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	while (at < size && len < PARAMS_MAX)
		at += take(&params[len++], text + at, size - at);
	for (int times = 0; times < 2; times++)
		decode_params(&decode, params, len);
	check(&decode.disks);
	check(&decode.nics);
	check(&decode.vcpus);
	assert(decode.extras_len <= len);
	decode_done(&decode);
	free(text);
	free(params);
	return 0;
}
