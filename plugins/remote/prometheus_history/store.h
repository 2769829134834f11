/* SPDX-License-Identifier: MIT */
/* The store, asked by HTTP: by threads of any number, of which few have requests under way. */
#pragma once

#include <pthread.h>

#include <collector/kit/buffer.h>
#include <collector/kit/http_client.h>
#include <collector/kit/lock.h>
#include <collector/kit/once.h>

#define STORE_TURNS 2    /* Threads that ask at once; ... */
#define STORE_REQUESTS 3 /* ... each has as many requests under way. */
#define STORE_WHY 256

struct store_turn { /* Of a thread. */
	struct mc_http_client *client;
	struct mc_http_stream stream;
	bool taken;
};

struct store {
	struct mc_ctx *ctx;
	const struct mc_http_settings *settings;
	struct mc_http_protocol protocol;
	pthread_mutex_t lock;
	pthread_cond_t given_back;
	struct store_turn turns[STORE_TURNS] MC_GUARDED_BY(lock); /* 'taken'. */
	struct mc_once trouble MC_GUARDED_BY(lock);
	bool started;
};

/* Answers have 'size_max' bytes at most.  0, or what mc_fail() returned. */
int store_start(struct store *, struct mc_ctx *, const struct mc_http_settings *, size_t size_max);
void store_stop(struct store *); /* One that was not started is fine. */
void store_renew(struct store *);

struct store_question {
	const char *path;                       /* After the URL. */
	struct mc_buffer forms[STORE_REQUESTS]; /* Bodies of POST. */
	size_t len;
	mc_time until; /* 0: no limit but that of the options. */
	bool (*is_wanted)(void *argument);
	void *argument;
};

/* Asks, and calls take() for each answer, in their order, until it returns false with 'why'.  Waits
 * for a turn, and for the answers.  0, or a negative errno with 'why', of STORE_WHY bytes; that is
 * logged once.  -ECANCELED: nobody waits any more.  Thread: any. */
typedef bool store_take(void *argument, size_t number, const struct mc_http_reply *reply,
			char *why);
int store_ask(struct store *, const struct store_question *, store_take *take, void *argument,
	      char *why);

/* Adds "&NAME=TEXT" to a form, the text encoded. */
void store_add_field(struct mc_buffer *form, const char *name, const char *text, size_t size);
