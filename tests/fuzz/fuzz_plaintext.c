/* SPDX-License-Identifier: MIT */
/* Any bytes as a request of the plain text protocol.  What is accepted is used
 * up, and a PUTVAL that is written out again must be read back the same. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <collector/serve.h>

#include "formats/plaintext/plaintext.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SOURCE(ident, kind)                                                                        \
	{                                                                                          \
		ident, kind, NAN, NAN                                                              \
	}
static const struct mc_type gauge = { .name = "gauge",
				      .sources_len = 1,
				      .sources = { SOURCE("v", MC_GAUGE) } };
static const struct mc_type mixed = { .name = "mixed",
				      .sources_len = 3,
				      .sources = { SOURCE("d", MC_DERIVE), SOURCE("c", MC_COUNTER),
						   SOURCE("g", MC_GAUGE) } };

static const struct mc_type *find(void *argument, const char *name)
{
	(void)argument;
	if (strcmp(name, "gauge") == 0)
		return &gauge;
	return strcmp(name, "mixed") == 0 ? &mixed : NULL;
}

static const struct mc_type *known(void *argument, const char *name, size_t size)
{
	static const char text[] = "h/p-a b/gauge-c";

	(void)argument;
	return size == sizeof(text) - 1 && memcmp(name, text, size) == 0 ? &gauge : NULL;
}

static const struct mc_plain_context context = {
	.now = 1700000000 * MC_SECOND,
	.interval = 10 * MC_SECOND,
	.find = find,
	.known = known,
};

static void check_name(const struct mc_name_parts *name)
{
	size_t size = name->host_size + 1 + name->plugin_size + 1 + name->type_size;

	if (name->plugin_instance_size > 0)
		size += name->plugin_instance_size + 1;
	if (name->type_instance_size > 0)
		size += name->type_instance_size + 1;
	assert(strlen(name->name) == size);
	assert(name->name[name->host_size] == '/');
}

static void write_and_read(const struct mc_plain *request)
{
	struct mc_plain again;
	char line[4096];
	size_t size = mc_plain_put(line, sizeof(line), request->name.name, request->type,
				   request->stamp, request->values);

	for (const char *c = request->name.name; *c != '\0'; c++) {
		if ((unsigned char)*c < ' ' || *c == '\x7f')
			return; /* Such a name is written with blanks. */
	}
	assert(size > 0);
	assert(mc_plain_parse(&again, line, size, &context));
	assert(strcmp(again.name.name, request->name.name) == 0);
	assert(mc_plain_next(&again));
	assert(again.stamp.time == request->stamp.time);
	assert(again.stamp.interval == request->stamp.interval);
	for (unsigned i = 0; i < request->type->sources_len; i++) {
		if (request->type->sources[i].kind == MC_GAUGE && isnan(request->values[i].gauge))
			assert(isnan(again.values[i].gauge));
		else
			assert(again.values[i].counter == request->values[i].counter);
	}
}

static void use(struct mc_plain *request)
{
	const char *at = NULL;
	unsigned lists_len = 0;

	switch (request->verb) {
	case MC_PLAIN_PUTVAL:
		if (!request->known)
			check_name(&request->name);
		for (; mc_plain_next(request); lists_len++)
			write_and_read(request);
		assert(lists_len == request->lists_len);
		break;
	case MC_PLAIN_GETVAL:
		assert(request->type != NULL);
		check_name(&request->name);
		break;
	case MC_PLAIN_GETTHRESHOLD:
	case MC_PLAIN_DESCRIBE:
	case MC_PLAIN_EXPLAIN:
		check_name(&request->name);
		break;
	case MC_PLAIN_HISTORY:
		check_name(&request->name);
		assert(request->span.from >= 0 && request->span.to >= 0);
		assert(request->span.step >= 0 && request->span.points <= MC_PLAIN_POINTS_MAX);
		break;
	case MC_PLAIN_FLUSH:
		assert(request->age >= 0);
		while ((at = mc_plain_plugin(request, at)) != NULL)
			;
		while ((at = mc_plain_identifier(request, at)) != NULL)
			assert(strchr(at, '/') != NULL);
		break;
	case MC_PLAIN_PUTNOTIF:
		assert(request->notification.message[0] != '\0');
		assert(request->notification.time > 0);
		break;
	case MC_PLAIN_ACK:
	case MC_PLAIN_SILENCE:
	case MC_PLAIN_UNSILENCE:
		assert(request->glob != NULL && request->reason != NULL);
		assert((request->lasting > 0) == (request->verb == MC_PLAIN_SILENCE));
		break;
	case MC_PLAIN_FORGET:
		assert(request->glob != NULL);
		break;
	case MC_PLAIN_LISTVAL:
	case MC_PLAIN_LISTENDED:
	case MC_PLAIN_LISTKEEPERS:
	case MC_PLAIN_SCAN:
	case MC_PLAIN_STATUS:
	case MC_PLAIN_ALERTS:
	case MC_PLAIN_PASTALERTS:
	case MC_PLAIN_SILENCES:
	case MC_PLAIN_TAP:
	case MC_PLAIN_RELOAD:
	case MC_PLAIN_DUMP:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *start = (const char *)data, *end;
	struct mc_plain request;

	/* Lines, each in a block of its own size. */
	while (size > 0) {
		end = memchr(start, '\n', size);

		size_t line_size = end == NULL ? size : (size_t)(end - start);
		char *line = malloc(line_size + 1);

		memcpy(line, start, line_size);
		if (mc_plain_parse(&request, line, line_size, &context))
			use(&request);
		else
			assert(strlen(request.error) > 0);
		free(line);
		line_size += end != NULL;
		start += line_size;
		size -= line_size;
	}
	return 0;
}
