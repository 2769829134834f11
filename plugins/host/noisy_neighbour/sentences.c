/* SPDX-License-Identifier: MIT */
#include "sentences.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

void sentences_init(struct sentences *sentences)
{
	pthread_mutex_init(&sentences->lock, NULL);
}

void sentences_clear(struct sentences *sentences)
{
	pthread_mutex_lock(&sentences->lock);
	for (size_t i = 0; i < sentences->len; i++) {
		free(sentences->items[i].host);
		free(sentences->items[i].instance);
		free(sentences->items[i].text);
	}
	sentences->len = 0;
	pthread_mutex_unlock(&sentences->lock);
}

void sentences_done(struct sentences *sentences)
{
	sentences_clear(sentences);
	pthread_mutex_lock(&sentences->lock);
	free(sentences->items);
	sentences->items = NULL;
	sentences->room = 0;
	pthread_mutex_unlock(&sentences->lock);
	pthread_mutex_destroy(&sentences->lock);
}

void sentences_add(struct sentences *sentences, const char *host, const char *instance,
		   const char *text)
{
	pthread_mutex_lock(&sentences->lock);
	MC_ARRAY_GROW(sentences->items, sentences->len, sentences->room);
	sentences->items[sentences->len++] =
		(struct sentence){ mc_alloc_copy(host), mc_alloc_copy(instance),
				   mc_alloc_copy(text) };
	pthread_mutex_unlock(&sentences->lock);
}

char *sentences_find(struct sentences *sentences, const char *host, const char *instance)
{
	char *text = NULL;

	pthread_mutex_lock(&sentences->lock);
	for (size_t i = 0; i < sentences->len && text == NULL; i++)
		if (strcmp(sentences->items[i].host, host) == 0 &&
		    strcmp(sentences->items[i].instance, instance) == 0)
			text = mc_alloc_copy(sentences->items[i].text);
	pthread_mutex_unlock(&sentences->lock);
	return text;
}
