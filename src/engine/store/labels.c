/* SPDX-License-Identifier: MIT */
/* A tree of sets by host.  A set is never changed, only replaced: who shows it
 * holds a reference meanwhile. */
#include "engine/store/labels.h"

#include <collector/label.h>

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/thread.h"
#include "engine/context.h"
#include "engine/store/catalog.h"

struct set {
	const char *host; /* First: sets are compared by it. */
	unsigned references, len;
	struct mc_field items[];
};

struct labels {
	pthread_mutex_t lock; /* Guards all, and the references. */
	void *tree;
	size_t len;
};

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct set *)a)->host,
		      ((const struct set *)b)->host);
}

static size_t cut(const char *text)
{
	return text_fit(text, MC_LABEL_SIZE - 1);
}

static char *copy(char *at, const char *text, size_t size)
{
	memcpy(at, text, size);
	at[size] = '\0';
	return at + size + 1;
}

static struct set *set_new(const char *host, const struct mc_field *items,
			   unsigned len)
{
	size_t size = sizeof(struct set) + len * sizeof(*items);
	size_t texts = strlen(host) + 1;
	struct set *set;
	char *at;

	for (unsigned i = 0; i < len; i++)
		texts += cut(items[i].name) + cut(items[i].value) + 2;
	set = alloc_zero(size + texts);
	at = (char *)set + size;
	set->references = 1;
	set->host = at;
	at = copy(at, host, strlen(host));
	for (unsigned i = 0; i < len; i++) {
		set->items[i].name = at;
		at = copy(at, items[i].name, cut(items[i].name));
		set->items[i].value = at;
		at = copy(at, items[i].value, cut(items[i].value));
	}
	set->len = len;
	return set;
}

/* With the lock held. */
static struct set *find(struct labels *labels, const char *host)
{
	struct set key = { .host = host };
	struct set **found = tfind(&key, &labels->tree, compare);

	return found != NULL ? *found : NULL;
}

static void release(struct set *set)
{
	if (set != NULL && --set->references == 0)
		free(set);
}

struct labels *labels_new(void)
{
	struct labels *labels = alloc_zero(sizeof(*labels));

	pthread_mutex_init(&labels->lock, NULL);
	return labels;
}

void labels_free(struct labels *labels)
{
	if (labels == NULL)
		return;
	while (labels->tree != NULL) {
		struct set *set = *(struct set **)labels->tree;

		tdelete(set, &labels->tree, compare);
		free(set);
	}
	pthread_mutex_destroy(&labels->lock);
	free(labels);
}

bool labels_set(struct labels *labels, const char *host,
		const struct mc_field *items, unsigned len)
{
	struct set *old, *now = NULL;
	bool room;

	if (len > MC_LABELS_MAX)
		len = MC_LABELS_MAX;
	if (len > 0)
		now = set_new(host, items, len);
	pthread_mutex_lock(&labels->lock);
	old = find(labels, host);
	if (old != NULL) {
		tdelete(old, &labels->tree, compare);
		labels->len--;
	}
	room = labels->len < LABELS_HOSTS_MAX;
	if (now != NULL && room && tsearch(now, &labels->tree, compare) != NULL)
		labels->len++;
	else
		release(now);
	release(old);
	pthread_mutex_unlock(&labels->lock);
	return room;
}

unsigned labels_each(struct labels *labels, const char *host,
		     void (*visit)(void *argument, const struct mc_field *),
		     void *argument)
{
	struct set *set;
	unsigned len;

	pthread_mutex_lock(&labels->lock);
	set = find(labels, host);
	if (set != NULL)
		set->references++;
	pthread_mutex_unlock(&labels->lock);
	if (set == NULL)
		return 0;
	len = set->len;
	for (unsigned i = 0; i < len; i++)
		visit(argument, &set->items[i]);
	pthread_mutex_lock(&labels->lock);
	release(set);
	pthread_mutex_unlock(&labels->lock);
	return len;
}

void mc_label(struct mc_ctx *ctx, const char *host,
	      const struct mc_field *labels, unsigned labels_len)
{
	struct context *context = context_of(ctx);

	if (!labels_set(context->catalog->labels, host, labels, labels_len))
		log_once_hint(&context->refusals, ctx->name,
			      "more than %d hosts have labels",
			      LABELS_HOSTS_MAX);
}

unsigned mc_each_label(struct mc_ctx *ctx, const char *host,
		       void (*visit)(void *argument, const struct mc_field *),
		       void *argument)
{
	return labels_each(context_of(ctx)->catalog->labels, host, visit,
			   argument);
}
