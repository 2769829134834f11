/* SPDX-License-Identifier: MIT */
/* Any bytes as a datagram of rtnetlink: links, their virtual functions, traffic control. */
#include <assert.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

#include "link.h"
#include "traffic.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int visit(void *argument, uint16_t type, struct mc_netlink_part body)
{
	size_t *functions = argument;
	struct traffic traffic;
	struct link link;

	if (type == RTM_NEWLINK && link_parse(body, &link)) {
		struct link_function function;

		assert(link.index > 0 && link.name[0] != '\0');
		assert(strnlen(link.name, sizeof(link.name)) < sizeof(link.name));
		while (link_next_function(&link.functions, &function))
			(*functions)++;
	}
	if (traffic_parse(body, &traffic))
		assert(strnlen(traffic.kind, sizeof(traffic.kind)) < sizeof(traffic.kind));
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes = malloc(size > 0 ? size : 1); /* So that no byte beyond it is read. */
	size_t functions = 0;
	int rc;

	if (bytes == NULL)
		abort();
	if (size > 0)
		memcpy(bytes, data, size);
	rc = mc_netlink_walk((struct mc_netlink_part){ bytes, size }, 1, visit, &functions);
	assert(rc <= 1 && rc > -4096 && functions <= size / 4);
	free(bytes);
	return 0;
}
