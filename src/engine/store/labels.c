/* SPDX-License-Identifier: MIT */
/* A tree of sets by host, each with all providers of its labels.  A set is never changed, only
 * replaced: a reader holds a reference meanwhile. */
#include "engine/store/labels.h"

#include <collector/label.h>
#include <collector/private/stream.h>

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/thread.h"
#include "engine/context.h"
#include "engine/store/registry.h"

#define JOURNAL "" /* The provider of labels from records. */

struct item {
	const char *giver;
	struct mc_field field;
};

struct set {
	const char *host; /* First: sets are compared by it. */
	unsigned references, len;
	struct item items[]; /* The newest last. */
};

struct labels {
	_Atomic bool end_streams;
	pthread_mutex_t lock; /* Guards all else, and the references. */
	void *tree;
	size_t len;
};

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct set *)a)->host, ((const struct set *)b)->host);
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

static struct set *set_new(const char *host, const struct item *items, unsigned len)
{
	size_t size = sizeof(struct set) + len * sizeof(*items);
	size_t texts = strlen(host) + 1;
	struct set *set;
	char *at;

	for (unsigned i = 0; i < len; i++)
		texts += strlen(items[i].giver) + cut(items[i].field.name) +
			 cut(items[i].field.value) + 3;
	set = alloc_zero(size + texts);
	at = (char *)set + size;
	set->references = 1;
	set->host = at;
	at = copy(at, host, strlen(host));
	for (unsigned i = 0; i < len; i++) {
		const struct mc_field *field = &items[i].field;

		set->items[i].giver = at;
		at = copy(at, items[i].giver, strlen(items[i].giver));
		set->items[i].field.name = at;
		at = copy(at, field->name, cut(field->name));
		set->items[i].field.value = at;
		at = copy(at, field->value, cut(field->value));
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

/* The set of 'old', which may be NULL, with these instead of what the giver has
 * given before, and of what records say; NULL: it is empty. */
static struct set *merge(const struct set *old, const char *giver, const char *host,
			 const struct mc_field *fields, unsigned fields_len)
{
	struct item items[MC_LABELS_MAX];
	unsigned len = 0;

	for (unsigned i = 0; old != NULL && i < old->len; i++)
		if (strcmp(old->items[i].giver, giver) != 0 &&
		    strcmp(old->items[i].giver, JOURNAL) != 0 && len + fields_len < MC_LABELS_MAX)
			items[len++] = old->items[i];
	for (unsigned i = 0; i < fields_len; i++)
		items[len++] = (struct item){ giver, fields[i] };
	return len > 0 ? set_new(host, items, len) : NULL;
}

/* Puts one set in the place of another; both may be NULL.  With the lock held.
 * False if there is no room. */
static bool replace(struct labels *labels, struct set *old, struct set *now)
{
	bool room;

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
	return room;
}

bool labels_set(struct labels *labels, const char *giver, const char *host,
		const struct mc_field *items, unsigned len)
{
	struct set *old;
	bool room;

	if (len > MC_LABELS_MAX)
		len = MC_LABELS_MAX;
	pthread_mutex_lock(&labels->lock);
	old = find(labels, host);
	room = replace(labels, old, merge(old, giver, host, items, len));
	pthread_mutex_unlock(&labels->lock);
	return room;
}

/* Whether they are of records, and others than these. */
static bool is_outdated(const struct set *set, const struct mc_field *items, unsigned len)
{
	bool same = set->len == len;

	if (strcmp(set->items[0].giver, JOURNAL) != 0)
		return false;
	for (unsigned i = 0; i < len && same; i++)
		same = strcmp(set->items[i].field.name, items[i].name) == 0 &&
		       strcmp(set->items[i].field.value, items[i].value) == 0;
	return !same;
}

void labels_recall(struct labels *labels, const char *host, const struct mc_field *items,
		   unsigned len)
{
	struct set *old;

	if (len == 0 || len > MC_LABELS_MAX)
		return;
	pthread_mutex_lock(&labels->lock);
	old = find(labels, host);
	if (old == NULL ? labels->len < LABELS_HOSTS_MAX / 2 : is_outdated(old, items, len))
		replace(labels, old, merge(NULL, JOURNAL, host, items, len));
	pthread_mutex_unlock(&labels->lock);
}

static bool is_kept(const struct labels *labels, const char *name, bool hidden)
{
	if (!hidden)
		return name[0] == MC_LABEL_HIDDEN;
	return labels->end_streams && strcmp(name, MC_STREAM_LABEL) == 0;
}

bool labels_end_streams(const struct labels *labels)
{
	return labels->end_streams;
}

void mc_end_streams(struct mc_ctx *ctx, bool end)
{
	context_of(ctx)->registry->labels->end_streams = end;
}

/* Of several of one name the newest counts. */
static bool is_shown(const struct set *set, unsigned number)
{
	const char *name = set->items[number].field.name;

	for (unsigned i = number + 1; i < set->len; i++)
		if (strcmp(set->items[i].field.name, name) == 0 &&
		    strcmp(set->items[i].giver, set->items[number].giver) != 0)
			return false;
	return true;
}

unsigned labels_each(struct labels *labels, const char *host, bool hidden,
		     void (*visit)(void *argument, const struct mc_field *), void *argument)
{
	struct set *set;
	unsigned len = 0;

	pthread_mutex_lock(&labels->lock);
	set = find(labels, host);
	if (set != NULL)
		set->references++;
	pthread_mutex_unlock(&labels->lock);
	if (set == NULL)
		return 0;
	for (unsigned i = 0; i < set->len; i++) {
		if (!is_shown(set, i) || is_kept(labels, set->items[i].field.name, hidden))
			continue;
		visit(argument, &set->items[i].field);
		len++;
	}
	pthread_mutex_lock(&labels->lock);
	release(set);
	pthread_mutex_unlock(&labels->lock);
	return len;
}

void mc_label(struct mc_ctx *ctx, const char *host, const struct mc_field *labels,
	      unsigned labels_len)
{
	struct context *context = context_of(ctx);

	if (!labels_set(context->registry->labels, ctx->name, host, labels, labels_len))
		log_once_hint(&context->refusals, ctx->name, "labels",
			      "more than %d hosts have labels", LABELS_HOSTS_MAX);
}

unsigned mc_each_label(struct mc_ctx *ctx, const char *host,
		       void (*visit)(void *argument, const struct mc_field *), void *argument)
{
	return labels_each(context_of(ctx)->registry->labels, host, false, visit, argument);
}

unsigned mc_each_sent_label(struct mc_ctx *ctx, const char *host,
			    void (*visit)(void *argument, const struct mc_field *), void *argument)
{
	return labels_each(context_of(ctx)->registry->labels, host, true, visit, argument);
}
