/* SPDX-License-Identifier: MIT */
/* All is asked at once; replies come in the same order: that of AUTH on a new connection, INFO,
 * INFO commandstats, and of each query that of SELECT and its own. */
#include "node.h"

#include <stdlib.h>

#include <collector/kit/alloc.h>
#include <collector/serve.h>

#include "put.h"
#include "resp.h"

/* --- Questions -------------------------------------------------------------- */

static void send(struct dialogue *dialogue, struct mc_buffer *request)
{
	dialogue_ask(dialogue, request->at, request->size);
	mc_buffer_free(request);
}

static void log_in(struct dialogue *dialogue)
{
	struct node *node = dialogue_argument(dialogue);
	const char *words[] = { "AUTH", node->user, node->password };
	struct mc_buffer request = { 0 };

	node->before = node->password != NULL;
	if (node->password == NULL)
		return;
	if (node->user == NULL)
		words[1] = node->password;
	resp_ask(&request, words, node->user != NULL ? 3 : 2);
	send(dialogue, &request);
}

static void ask(struct dialogue *dialogue)
{
	struct node *node = dialogue_argument(dialogue);
	const struct node_query *queries = node->queries.items;
	struct mc_buffer request = { 0 };

	node->replies = 0;
	resp_ask_text(&request, "INFO");
	if (node->report_command_stats)
		resp_ask_text(&request, "INFO commandstats");
	for (size_t i = 0; i < node->queries.len; i++) {
		char *selection = mc_alloc_printf("SELECT %lld", (long long)queries[i].database);

		resp_ask_text(&request, selection);
		resp_ask_text(&request, queries[i].text);
		free(selection);
	}
	send(dialogue, &request);
}

/* --- Replies ---------------------------------------------------------------- */

static void complain(struct dialogue *dialogue, struct node_query *query, const char *why,
		     const struct resp_reply *reply)
{
	int size = reply->size < 200 ? (int)reply->size : 200;

	mc_complain(dialogue_ctx(dialogue), &query->trouble, 0, "'%s': query '%s' %s%.*s",
		    dialogue_name(dialogue), query->text, why, size, reply->text);
}

static void take_query(struct dialogue *dialogue, struct node_query *query, bool selects,
		       const struct resp_reply *reply)
{
	static const struct resp_reply nothing = { .text = "" };

	if (selects) {
		query->selected = reply->type == RESP_STATUS;
		if (!query->selected)
			complain(dialogue, query, "has no database: ", reply);
		return;
	}
	if (!query->selected)
		return; /* It was asked of another database. */
	if (reply->type == RESP_ERROR)
		complain(dialogue, query, "fails: ", reply);
	else if (reply->type == RESP_ARRAY)
		complain(dialogue, query, "returns an array, not a number", &nothing);
	else if (reply->type == RESP_NULL)
		complain(dialogue, query, "returns nothing", &nothing);
	else if (!put_query(dialogue, query, reply))
		complain(dialogue, query, "returns no number: ", reply);
	else
		mc_works(dialogue_ctx(dialogue), &query->trouble, "'%s': query '%s' works again",
			 dialogue_name(dialogue), query->text);
}

/* False: nothing more is to be done with this connection. */
static bool take_info(struct dialogue *dialogue, bool commands, const struct resp_reply *reply)
{
	if (reply->type == RESP_ERROR)
		dialogue_fail(dialogue, "%.*s", reply->size < 200 ? (int)reply->size : 200,
			      reply->text);
	else if (reply->type != RESP_TEXT)
		dialogue_fail(dialogue, "its answer to INFO is not a text");
	else if (commands)
		put_commands(dialogue, reply);
	else
		put_info(dialogue, reply);
	return reply->type == RESP_TEXT;
}

/* False as above. */
static bool take_reply(struct dialogue *dialogue, const struct resp_reply *reply)
{
	struct node *node = dialogue_argument(dialogue);
	struct node_query *queries = node->queries.items;
	size_t infos = 1 + node->report_command_stats, number;

	if (node->before > 0) {
		node->before--;
		if (reply->type == RESP_STATUS)
			return true;
		dialogue_fail(dialogue, "it does not take the password: %.*s",
			      reply->size < 200 ? (int)reply->size : 200, reply->text);
		return false;
	}
	number = node->replies++;
	if (number < infos) {
		if (!take_info(dialogue, number > 0, reply))
			return false;
	} else {
		number -= infos;
		take_query(dialogue, &queries[number / 2], number % 2 == 0, reply);
	}
	if (node->replies < infos + 2 * node->queries.len)
		return true;
	dialogue_answered(dialogue);
	return false;
}

static size_t take(struct dialogue *dialogue, char *bytes, size_t size)
{
	struct resp_reply reply;
	size_t done = 0;
	ssize_t taken;

	while (done < size) {
		taken = resp_take(bytes + done, size - done, &reply);
		if (taken < 0) {
			dialogue_fail(dialogue, "its answer is not one of Redis");
			return size;
		}
		if (taken == 0)
			break;
		done += (size_t)taken;
		if (!take_reply(dialogue, &reply))
			return done;
	}
	return done;
}

const struct dialogue_kind node_kind = {
	.opened = log_in,
	.ask = ask,
	.take = take,
	.answer_max = DIALOGUE_SIZE_MAX,
};
