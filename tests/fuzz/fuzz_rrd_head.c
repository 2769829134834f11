/* SPDX-License-Identifier: MIT */
/* Any bytes as the head of an RRD file, and as a file that gets another layout. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "formats/rrd/rrd_head.h"
#include "formats/rrd/rrd_relayout.h"

#define SIZE_MAX_HERE (1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void relayout(const uint8_t *data, size_t size)
{
	static const struct mc_rrd_rules rules = { .program = MC_RRD_COMPACT, .xff = 0.1 };
	char why[MC_RRD_RELAYOUT_WHY] = "";
	size_t made = mc_rrd_relayout_size(data, size, &rules, why);
	uint8_t *out;

	if (made == 0)
		assert(why[0] != '\0' && memchr(why, '\0', sizeof(why)) != NULL);
	if (made == 0 || made > SIZE_MAX_HERE)
		return;
	out = malloc(made); /* Of exactly that size. */
	if (out == NULL)
		abort();
	memset(out, 0, made);
	mc_rrd_relayout(data, size, &rules, out);
	assert(mc_rrd_relayout_is_done(out, made, &rules));
	assert(mc_rrd_relayout_size(out, made, &rules, why) == made);
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mc_rrd_head head;

	if (mc_rrd_head(data, size, &head)) {
		assert(head.step > 0 && head.last >= 0 && head.sources_len > 0);
		assert(!mc_rrd_head(data, 127, &head));
	}
	relayout(data, size);
	return 0;
}
