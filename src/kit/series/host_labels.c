/* SPDX-License-Identifier: MIT */
/* A sum of the labels is kept, not the labels: most requests bring the same as
 * those before, and then nothing is to be done. */
#include "kit/series/host_labels.h"

#include <collector/label.h>

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <collector/kit/alloc.h>
#include <collector/private/stream.h>

#include "kit/series/tenant.h"

#define HOST_SIZE 128

struct host {
	struct mc_lru_node node;
	uint64_t sum;
	mc_time heard;
	char name[HOST_SIZE];
};

void mc_host_labels_init(struct mc_host_labels *labels, struct mc_ctx *ctx)
{
	*labels = (struct mc_host_labels){ .ctx = ctx };
	pthread_mutex_init(&labels->telling, NULL);
	pthread_mutex_init(&labels->lock, NULL);
}

void mc_host_labels_done(struct mc_host_labels *labels) MC_NO_LOCK
{
	mc_lru_free(&labels->names);
	pthread_mutex_destroy(&labels->lock);
	pthread_mutex_destroy(&labels->telling);
}

static struct host *take_oldest(struct mc_host_labels *labels) MC_REQUIRES(labels->lock)
{
	struct host *host = (struct host *)labels->names.oldest;

	mc_lru_remove(&labels->names, &host->node);
	return host;
}

static struct host *add(struct mc_host_labels *labels, struct mc_otlp_text name)
	MC_REQUIRES(labels->lock)
{
	struct host *host = mc_alloc_zero(sizeof(*host));

	memcpy(host->name, name.at, name.size);
	mc_lru_add(&labels->names, &host->node, host->name, name.size);
	return host;
}

/* Whether the labels are those of before; then they have been heard. */
static bool is_known(struct mc_host_labels *labels, struct mc_otlp_text name, uint64_t sum)
{
	struct host *host;
	bool known;

	pthread_mutex_lock(&labels->lock);
	host = (struct host *)mc_lru_find(&labels->names, name.at, name.size);
	known = host != NULL && host->sum == sum;
	if (known) {
		host->heard = mc_now();
		mc_lru_use(&labels->names, &host->node);
	}
	pthread_mutex_unlock(&labels->lock);
	return known;
}

/* Whether the labels are others than before; then they are those of now.
 * *forgotten is the host that has made room for a new one. */
static bool is_news(struct mc_host_labels *labels, struct mc_otlp_text name, uint64_t sum,
		    struct host **forgotten) MC_REQUIRES(labels->telling)
{
	struct host *host;
	bool news = false;

	pthread_mutex_lock(&labels->lock);
	host = (struct host *)mc_lru_find(&labels->names, name.at, name.size);
	if (host == NULL) {
		if (labels->names.map.len >= MC_HOST_LABELS_MAX)
			*forgotten = take_oldest(labels);
		host = add(labels, name);
		news = true;
	}
	news |= host->sum != sum;
	host->sum = sum;
	host->heard = mc_now();
	mc_lru_use(&labels->names, &host->node);
	pthread_mutex_unlock(&labels->lock);
	return news;
}

static void forget(struct mc_host_labels *labels, struct host *host)
{
	if (host != NULL)
		mc_label(labels->ctx, host->name, NULL, 0);
	free(host);
}

static uint64_t sum_of(const struct mc_otlp_labels *read, const char *tenant)
{
	size_t size = 0;

	for (unsigned i = 0; i < read->len; i++)
		size += strlen(read->items[i].name) + 1 + strlen(read->items[i].value) + 1;
	return XXH3_64bits_withSeed(read->texts, size,
				    tenant != NULL ? XXH3_64bits(tenant, strlen(tenant)) : 0);
}

/* Whose it is says the tenant, not the sender. */
static void set_tenant(struct mc_otlp_labels *read, const char *tenant)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < read->len; i++)
		if (strcmp(read->items[i].name, MC_TENANT_LABEL) != 0)
			read->items[kept++] = read->items[i];
	if (tenant[0] == '\0') {
		read->len = kept;
		return;
	}
	if (kept == MC_LABELS_MAX)
		kept--;
	read->items[kept++] = (struct mc_field){ MC_TENANT_LABEL, tenant };
	read->len = kept;
}

/* --- Streams -------------------------------------------------------------------- */

struct stream {
	struct mc_map_node node; /* By the host, in the request. */
	uint64_t hash;           /* Of its text. */
};

/* Whether it is the only one of the host. */
static bool add_stream(struct mc_map *hosts, struct mc_otlp_text host, const char *text)
{
	struct stream *stream = (struct stream *)mc_map_find(hosts, host.at, host.size);
	uint64_t hash = XXH3_64bits(text, strlen(text));

	if (stream != NULL)
		return stream->hash == hash;
	stream = mc_alloc_zero(sizeof(*stream));
	stream->node.key = host.at;
	stream->node.key_size = host.size;
	stream->hash = hash;
	mc_map_add(hosts, &stream->node);
	return true;
}

void mc_host_streams_done(struct mc_host_streams *streams)
{
	struct mc_map_node *at = mc_map_next(&streams->hosts, NULL), *next;

	for (; at != NULL; at = next) {
		next = mc_map_next(&streams->hosts, at);
		free(at);
	}
	mc_map_done(&streams->hosts);
}

/* The label goes on to other collectors, too. */
static bool set_stream(struct mc_host_streams *streams, struct mc_otlp_text host, const char *name,
		       const struct mc_otlp_labels *read)
{
	for (unsigned i = 0; i < read->len; i++) {
		const struct mc_field *item = &read->items[i];

		if (strcmp(item->name, MC_STREAM_LABEL) != 0)
			continue;
		if (!add_stream(&streams->hosts, host, item->value))
			return false;
		mc_set_stream(streams->batch, name, item->value);
	}
	return true;
}

/* --- Labels --------------------------------------------------------------------- */

bool mc_host_labels_learn(struct mc_host_labels *labels, struct mc_host_streams *streams,
			  const struct mc_otlp_resource *resource, const char *tenant)
{
	struct host *forgotten = NULL;
	struct mc_otlp_labels read;
	char name[HOST_SIZE];
	uint64_t sum;

	if (resource->host.size == 0 || resource->host.size >= sizeof(name))
		return true;
	read.len = 0;
	if (resource->own)
		mc_otlp_labels(resource, &read);
	if (read.len == 0 && (tenant == NULL || tenant[0] == '\0'))
		return true;
	memcpy(name, resource->host.at, resource->host.size);
	name[resource->host.size] = '\0';
	if (!set_stream(streams, resource->host, name, &read))
		return false;
	sum = sum_of(&read, tenant);
	if (is_known(labels, resource->host, sum))
		return true;
	if (tenant != NULL)
		set_tenant(&read, tenant);
	pthread_mutex_lock(&labels->telling);
	if (is_news(labels, resource->host, sum, &forgotten)) {
		forget(labels, forgotten);
		mc_label(labels->ctx, name, read.items, read.len);
	}
	pthread_mutex_unlock(&labels->telling);
	return true;
}

/* The one longest without news, if that is too long; else NULL. */
static struct host *take_forgotten(struct mc_host_labels *labels, mc_time now)
{
	struct host *host;

	pthread_mutex_lock(&labels->lock);
	host = (struct host *)labels->names.oldest;
	if (host != NULL && now - host->heard > MC_HOST_LABELS_FORGET)
		take_oldest(labels);
	else
		host = NULL;
	pthread_mutex_unlock(&labels->lock);
	return host;
}

void mc_host_labels_forget(struct mc_host_labels *labels)
{
	mc_time now = mc_now();
	struct host *host;

	pthread_mutex_lock(&labels->telling);
	while ((host = take_forgotten(labels, now)) != NULL)
		forget(labels, host);
	pthread_mutex_unlock(&labels->telling);
}
