/* SPDX-License-Identifier: MIT */
/* Any bytes as a request in JSON: what is made of them is protobuf, which is
 * within its limits, and whose memory is given back. */
#include <assert.h>
#include <stdint.h>

#include "formats/otlp/otlp.h"

#include "formats/otlp/json.h"

#define SIZE_MAX_OUT 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const struct mc_inflated *request, bool logs)
{
	enum mc_otlp_item item;
	struct mc_otlp otlp;

	mc_otlp_open(&otlp, request->bytes, request->size, logs, "caller");
	while ((item = mc_otlp_next(&otlp)) != MC_OTLP_END)
		assert(item != MC_OTLP_FAULT);
}

static void convert(const uint8_t *data, size_t size, bool logs)
{
	atomic_size_t pool = 0;
	const struct mc_inflate_limits limits = {
		.size_max = SIZE_MAX_OUT,
		.pool = &pool,
		.pool_max = SIZE_MAX_OUT,
	};
	struct mc_inflated request = { 0 };
	const char *why = NULL;
	enum mc_inflate_result result =
		json_convert(&(struct json_request){ data, size, logs }, &limits, &request, &why);

	if (result == MC_INFLATE_OKAY) {
		assert(request.size <= SIZE_MAX_OUT);
		read_all(&request, logs);
		mc_inflate_free(&limits, &request);
	} else {
		assert(why != NULL);
	}
	assert(pool == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	convert(data, size, false);
	convert(data, size, true);
	return 0;
}
