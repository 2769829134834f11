/* SPDX-License-Identifier: MIT */
#include "kit/net/http_server/http_dictionaries.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/http_server.h>

#define KEY_SIZE (MC_HTTPD_NAME_SIZE + 16)

struct http_dictionary {
	struct mc_lru_node node;
	char key[KEY_SIZE]; /* "1a2b3c4d client" */
	size_t size;
	unsigned char bytes[];
};

void http_dictionaries_init(struct http_dictionaries *all, size_t size_max)
{
	*all = (struct http_dictionaries){ .size_max = size_max };
	pthread_mutex_init(&all->lock, NULL);
}

void http_dictionaries_done(struct http_dictionaries *all)
{
	mc_lru_free(&all->kept);
	pthread_mutex_destroy(&all->lock);
}

static void make_key(char key[KEY_SIZE], const char *client, uint32_t number)
{
	snprintf(key, KEY_SIZE, "%08" PRIx32 " %s", number, client);
}

static size_t memory_of(const struct http_dictionary *dictionary)
{
	return sizeof(*dictionary) + dictionary->size;
}

static void remove_from(struct http_dictionaries *all, struct http_dictionary *dictionary)
	MC_REQUIRES(all->lock)
{
	mc_lru_remove(&all->kept, &dictionary->node);
	all->size -= memory_of(dictionary);
}

static struct http_dictionary *take(struct http_dictionaries *all, const char *key)
	MC_REQUIRES(all->lock)
{
	struct http_dictionary *dictionary =
		(struct http_dictionary *)mc_lru_find(&all->kept, key, strlen(key));

	if (dictionary != NULL)
		remove_from(all, dictionary);
	return dictionary;
}

struct http_dictionary *http_dictionaries_take(struct http_dictionaries *all, const char *client,
					       uint32_t number)
{
	struct http_dictionary *dictionary;
	char key[KEY_SIZE];

	make_key(key, client, number);
	pthread_mutex_lock(&all->lock);
	dictionary = take(all, key);
	pthread_mutex_unlock(&all->lock);
	atomic_fetch_add(dictionary != NULL ? &all->used : &all->missed, 1);
	return dictionary;
}

const void *http_dictionaries_bytes(const struct http_dictionary *dictionary, size_t *size)
{
	*size = dictionary->size;
	return dictionary->bytes;
}

void http_dictionaries_keep(struct http_dictionaries *all, const char *client, uint32_t number,
			    const void *bytes, size_t size)
{
	struct http_dictionary *made = mc_alloc(sizeof(*made) + size), *oldest;

	*made = (struct http_dictionary){ .size = size };
	memcpy(made->bytes, bytes, size);
	make_key(made->key, client, number);
	pthread_mutex_lock(&all->lock);
	free(take(all, made->key));
	mc_lru_add(&all->kept, &made->node, made->key, strlen(made->key));
	all->size += memory_of(made);
	while (all->size > all->size_max) {
		oldest = (struct http_dictionary *)all->kept.oldest;
		remove_from(all, oldest);
		free(oldest);
	}
	pthread_mutex_unlock(&all->lock);
}
