/* SPDX-License-Identifier: MIT */
/* Any bytes as what the agent of a guest says: see fuzz_virt.c for their form. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent_facts.h"

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

static void check(const struct agent_facts *facts)
{
	assert(facts->file_systems_len <= AGENT_FILE_SYSTEMS_MAX);
	for (size_t i = 0; i < facts->file_systems_len; i++) {
		const struct agent_file_system *at = &facts->file_systems[i];

		assert(at->used <= at->total && at->total > 0);
		assert(at->name[0] != '\0' && strchr(at->name, '/') == NULL);
		for (const char *c = at->name; *c != '\0'; c++)
			assert((unsigned char)*c >= ' ' && *c != 0x7f);
	}
	assert(facts->addresses[strspn(facts->addresses, "0123456789abcdefABCDEF.: ")] == '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	virTypedParameter *params = calloc(PARAMS_MAX, sizeof(*params));
	char *text = calloc(1, size + 1);
	struct agent_facts facts;
	size_t at = 0, len = 0;

	if (params == NULL || text == NULL)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	while (at < size && len < PARAMS_MAX)
		at += take(&params[len++], text + at, size - at);
	agent_facts_init(&facts);
	agent_facts_take(&facts, params, len);
	agent_facts_end(&facts);
	check(&facts);
	agent_facts_free(&facts);
	free(params);
	free(text);
	return 0;
}
