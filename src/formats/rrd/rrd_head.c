/* SPDX-License-Identifier: MIT */
#include "formats/rrd/rrd_head.h"

#include <string.h>

#include "formats/rrd/rrd_bytes.h"

/* The word is at 20 in the definition of a source. */
static char kind_of(const uint8_t *source)
{
	static const char *const words[] = { "GAUGE", "DERIVE", "COUNTER", "ABSOLUTE" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (memcmp(source + 20, words[i], strlen(words[i]) + 1) == 0)
			return "gdca"[i];
	return 0;
}

bool mc_rrd_head(const uint8_t *data, size_t size, struct mc_rrd_head *head)
{
	static const double cookie = MC_RRD_COOKIE;
	uint64_t sources_len, archives_len, step, last;
	size_t at;

	if (size < MC_RRD_FIXED || memcmp(data, "RRD", 4) != 0 ||
	    memcmp(data + 16, &cookie, sizeof(cookie)) != 0)
		return false;
	sources_len = mc_rrd_number_at(data + 24);
	archives_len = mc_rrd_number_at(data + 32);
	step = mc_rrd_number_at(data + 40);
	if (sources_len == 0 || sources_len > MC_RRD_LEN_MAX || archives_len > MC_RRD_LEN_MAX ||
	    step == 0 || step > INT32_MAX)
		return false;
	at = MC_RRD_FIXED + sources_len * MC_RRD_SOURCE + archives_len * MC_RRD_ARCHIVE;
	if (size < at + sizeof(last))
		return false;
	last = mc_rrd_number_at(data + at);
	if (last > UINT32_MAX)
		return false;
	*head = (struct mc_rrd_head){ (int64_t)step, (int64_t)last, (int64_t)sources_len,
				      kind_of(data + MC_RRD_FIXED) };
	return true;
}
