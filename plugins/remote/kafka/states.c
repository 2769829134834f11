/* SPDX-License-Identifier: MIT */
#include "states.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#include "kit/net/kafka_handle.h"
#include "state_log.h"

#define HEARD_SIZE_MAX ((size_t)16 << 20)
#define KNOWN_MAX 1000000
#define READ_MS 10000

struct heard { /* From a judge; texts are in 'bytes'. */
	struct heard *next;
	size_t size;
	const char *judge, *series, *text; /* 'text' NULL: nothing stands. */
	char bytes[];
};

struct state_node { /* What stands, as far as this member knows. */
	struct mc_map_node node;
	const struct partition *partition;
	const char *judge, *series;
	char key[];
};

/* --- Life ----------------------------------------------------------------- */

static void on_answer(rd_kafka_t *handle, const rd_kafka_message_t *message, void *argument)
{
	struct states *states = argument;

	(void)handle;
	if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR)
		mc_works(states->ctx, &states->once, "states are written again");
	else
		mc_complain(states->ctx, &states->once, 0,
			    "cannot write states to topic '%s', so a member that takes partition "
			    "%d over reports them again: %s",
			    rd_kafka_topic_name(message->rkt), message->partition,
			    rd_kafka_err2str(message->err));
}

static rd_kafka_t *make(struct states *states, rd_kafka_type_t type, char why[MC_KAFKA_WHY_SIZE])
{
	static const char *const writer[][2] = {
		{ "enable.idempotence", "true" },          { "message.timeout.ms", "0" },
		{ "queue.buffering.max.kbytes", "16384" }, { "linger.ms", "0" },
		{ "compression.codec", "none" },
	};
	static const char *const reader[][2] = {
		{ "enable.auto.commit", "false" },   { "enable.partition.eof", "true" },
		{ "fetch.wait.max.ms", "20" },       { "queued.max.messages.kbytes", "16384" },
		{ "auto.offset.reset", "earliest" }, /* Its begin moves while it is read. */
	};
	const char *const(*words)[2] = type == RD_KAFKA_PRODUCER ? writer : reader;
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	bool good = mc_kafka_set_all(conf, states->options->properties, why);
	rd_kafka_t *handle;

	for (size_t i = 0; good && i < sizeof(writer) / sizeof(*writer); i++)
		good = mc_kafka_set(conf, words[i][0], words[i][1], why);
	rd_kafka_conf_set_opaque(conf, states);
	if (type == RD_KAFKA_PRODUCER)
		rd_kafka_conf_set_dr_msg_cb(conf, on_answer);
	mc_kafka_be_silent(conf);
	handle = good ? rd_kafka_new(type, conf, why, MC_KAFKA_WHY_SIZE) : NULL;
	if (handle == NULL)
		rd_kafka_conf_destroy(conf);
	return handle;
}

int states_start(struct states *states, struct mc_ctx *ctx, const struct states_options *options)
{
	char why[MC_KAFKA_WHY_SIZE] = "";

	pthread_mutex_init(&states->lock, NULL);
	states->ctx = ctx;
	states->options = options;
	states->producer = make(states, RD_KAFKA_PRODUCER, why);
	if (states->producer != NULL)
		states->reader = make(states, RD_KAFKA_CONSUMER, why);
	if (states->reader == NULL)
		return mc_fail(ctx, 0, "cannot share states: %s", why);
	return 0;
}

static struct heard *take_heard(struct states *states)
{
	struct heard *heard;

	pthread_mutex_lock(&states->lock);
	heard = states->first;
	if (heard != NULL) {
		states->first = heard->next;
		states->heard_size -= heard->size;
	}
	pthread_mutex_unlock(&states->lock);
	return heard;
}

static void forget(struct states *states, struct state_node *node)
{
	mc_map_remove(&states->known, &node->node);
	free(node);
}

void states_stop(struct states *states)
{
	struct mc_map_node *node;
	struct heard *heard;

	if (states->ctx == NULL)
		return;
	if (states->producer != NULL) {
		rd_kafka_purge(states->producer, RD_KAFKA_PURGE_F_QUEUE |
							 RD_KAFKA_PURGE_F_INFLIGHT |
							 RD_KAFKA_PURGE_F_NON_BLOCKING);
		rd_kafka_destroy(states->producer);
	}
	if (states->reader != NULL)
		rd_kafka_destroy(states->reader);
	while ((heard = take_heard(states)) != NULL)
		free(heard);
	while ((node = mc_map_next(&states->known, NULL)) != NULL)
		forget(states, (struct state_node *)node);
	mc_map_done(&states->known);
	pthread_mutex_destroy(&states->lock);
	states->ctx = NULL;
}

/* --- From judges ---------------------------------------------------------- */

static const char *copy(char **at, const char *text)
{
	size_t size;
	char *begin = *at;

	if (text == NULL)
		return NULL;
	size = strlen(text) + 1;
	memcpy(begin, text, size);
	*at += size;
	return begin;
}

static size_t size_of(const char *text)
{
	return text != NULL ? strlen(text) + 1 : 0;
}

void states_hear(struct states *states, const struct mc_judge_state *state)
{
	static const uint64_t one = 1;
	size_t size = sizeof(struct heard) + size_of(state->judge) + size_of(state->series) +
		      size_of(state->text);
	struct heard *heard = mc_alloc_zero(size);
	char *at = heard->bytes;
	bool first, room;

	heard->size = size;
	heard->judge = copy(&at, state->judge);
	heard->series = copy(&at, state->series);
	heard->text = copy(&at, state->text);
	pthread_mutex_lock(&states->lock);
	first = states->first == NULL;
	room = states->heard_size + size <= HEARD_SIZE_MAX;
	states->lost += !room;
	if (room) {
		if (first)
			states->first = heard;
		else
			states->last->next = heard;
		states->last = heard;
		states->heard_size += size;
	}
	pthread_mutex_unlock(&states->lock);
	if (!room)
		free(heard);
	if (first && write(states->options->wake, &one, sizeof(one)) < 0)
		return; /* It can be read already. */
}

/* Whether it is taken: the queue of librdkafka may be full. */
static bool produce(struct states *states, const struct partition *partition,
		    const struct heard *heard)
{
	char key[STATE_KEY_SIZE];
	size_t size = state_key_write(key, states->options->group, heard->judge, heard->series);
	size_t text_size = heard->text != NULL ? strlen(heard->text) : 0;
	rd_kafka_resp_err_t error;

	if (size == 0 || text_size >= STATE_TEXT_SIZE)
		return true;
	error = rd_kafka_producev(states->producer, RD_KAFKA_V_TOPIC(partition->state_topic),
				  RD_KAFKA_V_PARTITION(partition->number),
				  RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
				  RD_KAFKA_V_KEY(key, size),
				  RD_KAFKA_V_VALUE((void *)heard->text, text_size), RD_KAFKA_V_END);
	if (error != RD_KAFKA_RESP_ERR_NO_ERROR && error != RD_KAFKA_RESP_ERR__QUEUE_FULL)
		mc_complain(states->ctx, &states->once, 0, "cannot write states to topic '%s': %s",
			    partition->state_topic, rd_kafka_err2str(error));
	return error != RD_KAFKA_RESP_ERR__QUEUE_FULL;
}

/* --- What stands ---------------------------------------------------------- */

static void know(struct states *states, const struct partition *partition,
		 const struct mc_judge_state *state)
{
	char key[STATE_KEY_SIZE];
	size_t size = state_key_write(key, states->options->group, state->judge, state->series);
	struct state_node *node = (struct state_node *)mc_map_find(&states->known, key, size);
	char *judge, *series;

	if (size == 0 || (node == NULL && state->text == NULL))
		return;
	if (state->text == NULL) {
		forget(states, node);
		return;
	}
	if (node == NULL && states->known.len >= KNOWN_MAX)
		return;
	if (node == NULL) {
		node = mc_alloc_zero(sizeof(*node) + 2 * (size + 1));
		memcpy(node->key, key, size + 1);
		judge = node->key + size + 1;
		memcpy(judge, key, size + 1);
		judge += strlen(states->options->group) + 1;
		series = judge + strlen(state->judge) + 1;
		series[-1] = '\0';
		node->judge = judge;
		node->series = series;
		node->node.key = node->key;
		node->node.key_size = size;
		mc_map_add(&states->known, &node->node);
	}
	node->partition = partition;
}

static const struct partition *partition_of(const struct states *states, const char *series)
{
	return hosts_find(states->options->hosts, series, strcspn(series, "/"));
}

/* Series of this host, and those of partitions that other members have, are not published. */
static bool publish(struct states *states, const struct heard *heard)
{
	const struct partition *partition = partition_of(states, heard->series);

	if (partition == NULL || !partition->assigned || partition->state_topic == NULL)
		return true;
	if (!produce(states, partition, heard))
		return false;
	know(states, partition,
	     &(struct mc_judge_state){ heard->judge, heard->series, heard->text });
	return true;
}

static void put_back(struct states *states, struct heard *heard)
{
	pthread_mutex_lock(&states->lock);
	heard->next = states->first;
	if (states->first == NULL)
		states->last = heard;
	states->first = heard;
	states->heard_size += heard->size;
	pthread_mutex_unlock(&states->lock);
}

void states_write(struct states *states)
{
	struct heard *heard;
	uint64_t lost;

	if (states->ctx == NULL)
		return;
	while ((heard = take_heard(states)) != NULL) {
		if (!publish(states, heard)) {
			put_back(states, heard);
			break;
		}
		free(heard);
	}
	rd_kafka_poll(states->producer, 0);
	pthread_mutex_lock(&states->lock);
	lost = states->lost;
	states->lost = 0;
	pthread_mutex_unlock(&states->lock);
	if (lost > 0)
		refused_count(states->options->refused, REFUSED_STATES, lost, "has no room",
			      "for states that Kafka does not take");
}

void states_flush(struct states *states, int milliseconds)
{
	if (states->ctx == NULL)
		return;
	states_write(states);
	rd_kafka_flush(states->producer, milliseconds);
}

void states_leave(struct states *states, const struct partition *partition)
{
	struct mc_map_node *node = mc_map_next(&states->known, NULL), *next;

	for (; node != NULL; node = next) {
		struct state_node *one = (struct state_node *)node;

		next = mc_map_next(&states->known, node);
		if (one->partition != partition)
			continue;
		mc_adopt_state(states->ctx,
			       &(struct mc_judge_state){ one->judge, one->series, NULL });
		forget(states, one);
	}
}

/* --- From the topic ------------------------------------------------------- */

struct found { /* The last record of a key. */
	struct mc_map_node node;
	const struct state_log *log;
	char *text; /* NULL: nothing stands. */
	char key[];
};

struct search {
	struct states *states;
	struct mc_map found;
};

static void refuse(struct states *states, const rd_kafka_message_t *message, const char *why)
{
	char what[400];

	snprintf(what, sizeof(what),
		 "offset %" PRId64 " of topic '%s', partition %" PRId32 ", is left out:",
		 message->offset, rd_kafka_topic_name(message->rkt), message->partition);
	refused_count(states->options->refused, REFUSED_STATES, 1, what, why);
}

static void keep(struct search *search, const struct state_log *log,
		 const rd_kafka_message_t *message)
{
	struct found *found =
		(struct found *)mc_map_find(&search->found, message->key, message->key_len);

	if (found == NULL && search->found.len >= KNOWN_MAX) {
		refuse(search->states, message, "there are too many states");
		return;
	}
	if (found == NULL) {
		found = mc_alloc_zero(sizeof(*found) + message->key_len);
		memcpy(found->key, message->key, message->key_len);
		found->node.key = found->key;
		found->node.key_size = message->key_len;
		mc_map_add(&search->found, &found->node);
	}
	free(found->text);
	found->log = log;
	found->text = message->len > 0 ? mc_alloc_printf("%.*s", (int)message->len,
							 (const char *)message->payload)
				       : NULL;
}

static void take(void *argument, const struct state_log *log, const rd_kafka_message_t *message)
{
	struct search *search = argument;
	struct states *states = search->states;
	struct state_key key;

	switch (state_key_read(message->key, message->key_len, states->options->group, &key)) {
	case STATE_KEY_FOREIGN:
		refuse(states, message, "its key is not that of a state");
		break;
	case STATE_KEY_OTHERS:
		break;
	case STATE_KEY_OURS:
		if (message->len >= STATE_TEXT_SIZE)
			refuse(states, message, "it is too large");
		else if (message->len > 0 && memchr(message->payload, '\0', message->len) != NULL)
			refuse(states, message, "it is not a text");
		else
			keep(search, log, message);
		break;
	}
}

/* Those of partitions of other members are dropped. */
static void adopt(struct states *states, const struct found *found, struct hosts *hosts)
{
	struct partition *partition = found->log->owner;
	struct state_key key;
	struct mc_judge_state state;
	char host[STATE_KEY_SIZE];

	state_key_read(found->key, found->node.key_size, states->options->group, &key);
	state = (struct mc_judge_state){ key.judge, key.series,
					 partition != NULL ? found->text : NULL };
	if (mc_adopt_state(states->ctx, &state) == -EINVAL)
		refused_count(states->options->refused, REFUSED_STATES, 1, key.series,
			      "has a state that the judge here does not know: of another version");
	if (partition == NULL)
		return;
	snprintf(host, sizeof(host), "%.*s", (int)strcspn(key.series, "/"), key.series);
	hosts_note(hosts, host, partition);
	know(states, partition, &state);
}

static void adopt_all(struct states *states, struct search *search, struct hosts *hosts)
{
	struct mc_map_node *node;

	while ((node = mc_map_next(&search->found, NULL)) != NULL) {
		struct found *found = (struct found *)node;

		adopt(states, found, hosts);
		mc_map_remove(&search->found, node);
		free(found->text);
		free(found);
	}
	mc_map_done(&search->found);
}

static void complain(struct states *states, const char *why)
{
	mc_complain(
		states->ctx, &states->blind, 0,
		"cannot read states, so what stands in partitions taken over is reported again: %s",
		why);
}

/* Both topics have as many partitions; else some have no place for their states. */
static bool check_partitions(struct states *states, const struct partition *partition)
{
	char why[MC_KAFKA_WHY_SIZE];
	int len = state_log_partitions(states->reader, partition->topic, why);
	int states_len =
		len < 0 ? -1 : state_log_partitions(states->reader, partition->state_topic, why);

	if (states_len == len && len >= 0)
		return true;
	if (states_len >= 0)
		snprintf(why, sizeof(why), "topic '%.80s' has %d partitions, topic '%.80s' %d",
			 partition->state_topic, states_len, partition->topic, len);
	complain(states, why);
	return false;
}

static struct partition *find(struct partition *const *partitions, size_t len, const char *topic,
			      int32_t number)
{
	for (size_t i = 0; i < len; i++)
		if (partitions[i]->number == number && strcmp(partitions[i]->topic, topic) == 0)
			return partitions[i];
	return NULL;
}

/* Adds the fresh partitions of the topic of 'first', or all of its partitions. */
static void add_logs(struct states *states, struct state_logs *logs,
		     struct partition *const *partitions, size_t len, const struct partition *first)
{
	char why[MC_KAFKA_WHY_SIZE];
	int all = state_log_partitions(states->reader, first->state_topic, why);

	for (int32_t i = 0; i < all; i++) {
		struct partition *one = find(partitions, len, first->topic, i);
		bool own = one != NULL && one->assigned;

		if (states->looked && !(own && one->fresh))
			continue;
		logs->items = mc_alloc_resize(logs->items, logs->len + 1, sizeof(*logs->items));
		logs->items[logs->len++] = (struct state_log){
			.topic = first->state_topic,
			.number = i,
			.owner = own ? one : NULL,
		};
	}
}

static bool is_first_of_topic(struct partition *const *partitions, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (partitions[i]->fresh &&
		    strcmp(partitions[i]->topic, partitions[at]->topic) == 0)
			return false;
	return true;
}

void states_read(struct states *states, struct partition *const *partitions, size_t len,
		 struct hosts *hosts)
{
	struct state_logs logs = { .ctx = states->ctx, .milliseconds = READ_MS };
	struct search search = { .states = states };
	bool good = true;

	if (states->ctx == NULL)
		return;
	for (size_t i = 0; i < len; i++) {
		const struct partition *one = partitions[i];

		if (!one->fresh || one->state_topic == NULL || !is_first_of_topic(partitions, i))
			continue;
		if (check_partitions(states, one))
			add_logs(states, &logs, partitions, len, one);
		else
			good = false;
	}
	if (!state_log_read(states->reader, &logs, take, &search)) {
		complain(states, logs.why);
		good = false;
	}
	states->looked |= logs.len > 0;
	adopt_all(states, &search, hosts);
	free(logs.items);
	if (good && logs.len > 0)
		mc_works(states->ctx, &states->blind, "states can be read again");
	for (size_t i = 0; i < len; i++)
		partitions[i]->fresh = false;
}
