/* SPDX-License-Identifier: MIT */
#include "store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <collector/kit/condition.h>
#include <collector/writer.h>

#define LONGEST (60 * MC_SECOND) /* That a store without an answer is left alone. */
#define LOOK MC_SECOND           /* While a thread waits for its turn: whether it is to go on. */

int store_start(struct store *store, struct mc_ctx *ctx, const struct mc_http_settings *settings,
		size_t size_max)
{
	int rc = 0;

	store->ctx = ctx;
	store->settings = settings;
	store->protocol = (struct mc_http_protocol){ .reply_max = size_max, .whole_replies = true };
	pthread_mutex_init(&store->lock, NULL);
	mc_condition_init(&store->given_back);
	store->started = true;
	for (unsigned i = 0; i < STORE_TURNS && rc == 0; i++) {
		struct store_turn *turn = &store->turns[i];

		turn->stream.backoff.longest = LONGEST;
		rc = mc_http_client_new(ctx, settings, &store->protocol, &turn->client);
	}
	return rc;
}

void store_stop(struct store *store) MC_NO_LOCK
{
	if (!store->started)
		return;
	for (unsigned i = 0; i < STORE_TURNS; i++)
		mc_http_client_free(store->turns[i].client);
	pthread_cond_destroy(&store->given_back);
	pthread_mutex_destroy(&store->lock);
}

/* The clients do not change. */
void store_renew(struct store *store) MC_NO_LOCK
{
	for (unsigned i = 0; i < STORE_TURNS; i++)
		mc_http_client_renew(store->turns[i].client);
}

/* --- Turns ------------------------------------------------------------------ */

/* Whether it may go on; if not 'why' says so. */
static int goes_on(const struct store *store, const struct store_question *question, char *why)
{
	if (mc_stopping(store->ctx) ||
	    (question->is_wanted != NULL && !question->is_wanted(question->argument))) {
		snprintf(why, STORE_WHY, "nobody waits for the values any more");
		return -ECANCELED;
	}
	if (question->until > 0 && mc_now() >= question->until) {
		snprintf(why, STORE_WHY, "too many requests are under way");
		return -ETIMEDOUT;
	}
	return 0;
}

static struct store_turn *free_turn(struct store *store) MC_REQUIRES(store->lock)
{
	for (unsigned i = 0; i < STORE_TURNS; i++)
		if (!store->turns[i].taken)
			return &store->turns[i];
	return NULL;
}

/* NULL with '*rc' and 'why': it is not to go on. */
static struct store_turn *take_turn(struct store *store, const struct store_question *question,
				    int *rc, char *why)
{
	struct store_turn *turn;

	pthread_mutex_lock(&store->lock);
	while ((turn = free_turn(store)) == NULL && (*rc = goes_on(store, question, why)) == 0) {
		struct timespec until = mc_condition_until(LOOK);

		pthread_cond_timedwait(&store->given_back, &store->lock, &until);
	}
	if (turn != NULL)
		turn->taken = true;
	pthread_mutex_unlock(&store->lock);
	return turn;
}

static void give_turn_back(struct store *store, struct store_turn *turn)
{
	pthread_mutex_lock(&store->lock);
	turn->taken = false;
	pthread_cond_signal(&store->given_back);
	pthread_mutex_unlock(&store->lock);
}

/* --- Questions --------------------------------------------------------------- */

static void say_why(const struct mc_http_reply *reply, char *why)
{
	if (reply->status == 0)
		snprintf(why, STORE_WHY, "'%.100s' does not answer: %.100s", reply->url,
			 reply->why);
	else
		snprintf(why, STORE_WHY, "'%.100s' answers with status %ld", reply->url,
			 reply->status);
}

static int take_all(const struct mc_http_exchange *exchanges, size_t len, store_take *take,
		    void *argument, char *why)
{
	for (size_t i = 0; i < len; i++) {
		const struct mc_http_reply *reply = &exchanges[i].reply;
		char reason[STORE_WHY];

		say_why(reply, why);
		if (reply->status == 0)
			return -EIO;
		if (!take(argument, i, reply, reason)) {
			size_t size = strlen(why);

			snprintf(why + size, STORE_WHY - size, ": %s", reason);
			return -EIO;
		}
	}
	return 0;
}

/* The end of a question that nobody waits for says nothing of the store: it is asked again at once.
 */
static int ask(struct store *store, struct store_turn *turn, const struct store_question *question,
	       struct mc_http_exchange *exchanges, char *why)
{
	const struct mc_backoff before = turn->stream.backoff;
	int rc;

	for (size_t i = 0; i < question->len; i++)
		exchanges[i].request = (struct mc_http_request){
			.path = question->path,
			.content_type = "application/x-www-form-urlencoded",
			.body = question->forms[i].at,
			.size = question->forms[i].size,
			.is_wanted = question->is_wanted,
			.argument = question->argument,
			.until = question->until,
		};
	mc_http_send_all(turn->client, &turn->stream, exchanges, question->len);
	if (question->until > 0 && mc_now() >= question->until)
		return 0;
	rc = goes_on(store, question, why);
	if (rc < 0)
		turn->stream.backoff = before;
	return rc;
}

static void report(struct store *store, int rc, const char *why)
{
	pthread_mutex_lock(&store->lock);
	if (rc < 0)
		mc_complain(store->ctx, &store->trouble, 0, "%s", why);
	else
		mc_works(store->ctx, &store->trouble, "'%s' answers again",
			 store->settings->urls.items[0]);
	pthread_mutex_unlock(&store->lock);
}

int store_ask(struct store *store, const struct store_question *question, store_take *take,
	      void *argument, char *why)
{
	struct mc_http_exchange exchanges[STORE_REQUESTS] = { 0 };
	struct store_turn *turn;
	int rc = 0;

	turn = take_turn(store, question, &rc, why);
	if (turn == NULL)
		return rc;
	if (!mc_http_ready(turn->client, &turn->stream)) {
		say_why(&turn->stream.reply, why);
		give_turn_back(store, turn);
		return -EIO;
	}
	rc = ask(store, turn, question, exchanges, why);
	if (rc == 0)
		rc = take_all(exchanges, question->len, take, argument, why);
	give_turn_back(store, turn);
	if (rc != -ECANCELED)
		report(store, rc, why);
	return rc;
}

void store_add_field(struct mc_buffer *form, const char *name, const char *text, size_t size)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~";

	if (form->size > 0)
		mc_buffer_add(form, "&", 1);
	mc_buffer_add(form, name, strlen(name));
	mc_buffer_add(form, "=", 1);
	for (size_t i = 0; i < size; i++) {
		char hex[4];

		if (text[i] != '\0' && strchr(plain, text[i]) != NULL) {
			mc_buffer_add(form, &text[i], 1);
		} else {
			snprintf(hex, sizeof(hex), "%%%02X", (unsigned char)text[i]);
			mc_buffer_add(form, hex, 3);
		}
	}
}
