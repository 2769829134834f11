/* SPDX-License-Identifier: MIT */
#include "stats.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *type, *type_instance;
} figures[] = {
	{ "QueueLength", "queue_length", NULL },
	{ "UpdatesReceived", "operations", "receive-update" },
	{ "FlushesReceived", "operations", "receive-flush" },
	{ "UpdatesWritten", "operations", "write-updates" },
	{ "DataSetsWritten", "operations", "write-data_sets" },
	{ "TreeNodesNumber", "gauge", "tree_nodes" },
	{ "TreeDepth", "gauge", "tree_depth" },
	{ "JournalBytes", "counter", "journal-bytes" },
	{ "JournalRotate", "counter", "journal-rotates" },
};

bool stats_read(const char *line, struct mc_id *id, uint64_t *number)
{
	const char *colon = strchr(line, ':');

	if (colon == NULL || colon[1 + strspn(colon + 1, " ")] < '0' ||
	    colon[1 + strspn(colon + 1, " ")] > '9')
		return false;
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		if (strlen(figures[i].name) != (size_t)(colon - line) ||
		    memcmp(figures[i].name, line, (size_t)(colon - line)) != 0)
			continue;
		id->type = figures[i].type;
		id->type_instance = figures[i].type_instance;
		*number = strtoull(colon + 1, NULL, 10);
		return true;
	}
	return false;
}
