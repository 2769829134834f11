/* SPDX-License-Identifier: MIT */
#include "tally.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

static struct tally_host *next_of(const struct tally *tally, const struct tally_host *host)
{
	return (struct tally_host *)mc_map_next(&tally->hosts, host != NULL ? &host->node : NULL);
}

/* NULL: there are too many. */
static struct tally_host *get(struct tally *tally, const char *name)
{
	size_t size = strlen(name);
	struct tally_host *host = (struct tally_host *)mc_map_find(&tally->hosts, name, size);

	if (host != NULL || tally->hosts.len >= TALLY_HOSTS_MAX)
		return host;
	host = mc_alloc_zero(sizeof(*host));
	memcpy(host->name, name, size);
	host->node.key = host->name;
	host->node.key_size = size;
	mc_map_add(&tally->hosts, &host->node);
	return host;
}

void tally_count(struct tally *tally, const char *text, enum moves_verdict verdict)
{
	bool late = verdict == MOVES_LATE || verdict == MOVES_PAST || verdict == MOVES_MERGED;
	bool refused = verdict == MOVES_STRANGE || verdict == MOVES_CROWDED;
	struct tally_host *host;
	struct stream stream;

	if ((!late && !refused) || !stream_parse(text, &stream))
		return;
	host = get(tally, stream.hypervisor);
	if (host == NULL)
		return;
	host->late += late;
	host->refused += refused;
}

struct tally_host *tally_copy(const struct tally *tally, size_t *len)
{
	struct tally_host *copy = mc_alloc_array(tally->hosts.len + 1, sizeof(*copy));

	*len = 0;
	for (const struct tally_host *at = NULL; (at = next_of(tally, at)) != NULL;)
		copy[(*len)++] = *at;
	return copy;
}

void tally_done(struct tally *tally)
{
	for (struct tally_host *at = next_of(tally, NULL), *next; at != NULL; at = next) {
		next = next_of(tally, at);
		mc_map_remove(&tally->hosts, &at->node);
		free(at);
	}
	mc_map_done(&tally->hosts);
}
