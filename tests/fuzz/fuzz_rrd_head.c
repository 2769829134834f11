/* SPDX-License-Identifier: MIT */
/* Any bytes as the head of an RRD file. */
#include <assert.h>

#include "formats/rrd/rrd_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mc_rrd_head head;

	if (mc_rrd_head(data, size, &head)) {
		assert(head.step > 0 && head.last >= 0 && head.sources_len > 0);
		assert(!mc_rrd_head(data, 127, &head));
	}
	return 0;
}
