/* SPDX-License-Identifier: MIT */
#include "sentences.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

void sentences_init(struct sentences *sentences)
{
	pthread_mutex_init(&sentences->lock, NULL);
}

static void free_sentence(struct sentence *sentence)
{
	free(sentence->host);
	free(sentence->instance);
	free(sentence->text);
}

void sentences_clear(struct sentences *sentences, unsigned resource)
{
	size_t len = 0;

	pthread_mutex_lock(&sentences->lock);
	for (size_t i = 0; i < sentences->len; i++)
		if (sentences->items[i].resource == resource)
			free_sentence(&sentences->items[i]);
		else
			sentences->items[len++] = sentences->items[i];
	sentences->len = len;
	pthread_mutex_unlock(&sentences->lock);
}

void sentences_done(struct sentences *sentences)
{
	pthread_mutex_lock(&sentences->lock);
	for (size_t i = 0; i < sentences->len; i++)
		free_sentence(&sentences->items[i]);
	free(sentences->items);
	sentences->items = NULL;
	sentences->len = sentences->room = 0;
	pthread_mutex_unlock(&sentences->lock);
	pthread_mutex_destroy(&sentences->lock);
}

static bool is_about(const struct sentence *sentence, unsigned resource, const char *host,
		     const char *instance)
{
	return sentence->resource == resource && strcmp(sentence->host, host) == 0 &&
	       strcmp(sentence->instance, instance) == 0;
}

/* That about the guest and resource; NULL without one. */
static struct sentence *find(struct sentences *sentences, unsigned resource, const char *host,
			     const char *instance) MC_REQUIRES(sentences->lock)
{
	for (size_t i = 0; i < sentences->len; i++)
		if (is_about(&sentences->items[i], resource, host, instance))
			return &sentences->items[i];
	return NULL;
}

void sentences_set(struct sentences *sentences, unsigned resource, const char *host,
		   const char *instance, const char *text)
{
	struct sentence *sentence;

	pthread_mutex_lock(&sentences->lock);
	sentence = find(sentences, resource, host, instance);
	if (sentence != NULL) {
		free(sentence->text);
		sentence->text = mc_alloc_copy(text);
	} else {
		MC_ARRAY_GROW(sentences->items, sentences->len, sentences->room);
		sentences->items[sentences->len++] =
			(struct sentence){ resource, mc_alloc_copy(host), mc_alloc_copy(instance),
					   mc_alloc_copy(text) };
	}
	pthread_mutex_unlock(&sentences->lock);
}

void sentences_remove(struct sentences *sentences, unsigned resource, const char *host,
		      const char *instance)
{
	struct sentence *sentence;

	pthread_mutex_lock(&sentences->lock);
	sentence = find(sentences, resource, host, instance);
	if (sentence != NULL) {
		free_sentence(sentence);
		*sentence = sentences->items[--sentences->len];
	}
	pthread_mutex_unlock(&sentences->lock);
}

char *sentences_find(struct sentences *sentences, unsigned resource, const char *host,
		     const char *instance)
{
	const struct sentence *sentence;
	char *text = NULL;

	pthread_mutex_lock(&sentences->lock);
	sentence = find(sentences, resource, host, instance);
	if (sentence != NULL)
		text = mc_alloc_copy(sentence->text);
	pthread_mutex_unlock(&sentences->lock);
	return text;
}
