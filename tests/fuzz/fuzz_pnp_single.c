/* SPDX-License-Identifier: MIT */
/* Any bytes as the head of an RRD file, and as the .xml that PNP4Nagios has put beside it. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/rrd/pnp_single.h"
#include "formats/rrd/pnp_xml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1), why[MC_PNP_SINGLE_WHY];
	const char *at = text;
	struct mc_pnp_xml_source label;
	struct mc_pnp_xml service;
	struct mc_pnp_single file;
	int source;

	if (text == NULL)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	if (mc_pnp_single_read(text, size, &file))
		assert(file.sources_len > 0 && file.sources_len <= MC_SOURCES_MAX);
	mc_pnp_xml_read(text, &service);
	assert(memchr(service.host, '\0', sizeof(service.host)) != NULL);
	while (mc_pnp_xml_next(&at, &label))
		assert(memchr(label.label, '\0', sizeof(label.label)) != NULL);
	source = mc_pnp_single_source(text, 2, "a", why);
	assert(source < 2);
	assert(source >= 0 || strlen(why) < sizeof(why));
	free(text);
	return 0;
}
