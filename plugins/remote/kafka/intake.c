/* SPDX-License-Identifier: MIT */
#include "intake.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/journal.h>
#include <collector/kit/hash.h>
#include <collector/private/alerts.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include "formats/journal/dedup_id.h"

#define COMMIT_LIMIT (10 * MC_SECOND)
#define BACKOFF_LONGEST (60 * MC_SECOND)
#define BATCH_SAMPLES 5000
#define BATCH_SIZE ((size_t)256 << 10)
#define PENDING_MAX 2048
#define PENDING_SIZE_MAX ((size_t)8 << 20)
#define SENDERS_MAX 65536
#define HOSTS_MAX 65536

void intake_init(struct intake *intake)
{
	pthread_mutex_init(&intake->lock, NULL);
	intake->backoff.longest = BACKOFF_LONGEST;
	dedup_init(&intake->dedup, SENDERS_MAX);
	hosts_init(&intake->hosts, HOSTS_MAX);
	record_init(&intake->records, intake->ctx, intake->template_bytes);
	refused_init(&intake->refused, intake->ctx, intake->refused_max);
}

void intake_done(struct intake *intake)
{
	dedup_done(&intake->dedup);
	hosts_done(&intake->hosts);
	record_done(&intake->records);
	refused_done(&intake->refused);
	pthread_mutex_destroy(&intake->lock);
}

bool intake_has_room(const struct intake *intake)
{
	return intake->pending < PENDING_MAX && intake->pending_size < PENDING_SIZE_MAX &&
	       mc_now() >= intake->backoff.until;
}

/* --- Hosts ---------------------------------------------------------------- */

static void expect_silence(void *intake, const char *host)
{
	mc_expect_end(((struct intake *)intake)->ctx, &(struct mc_id){ .host = host, .plugin = "" },
		      true);
}

static void expect_values(void *intake, const char *host)
{
	mc_expect_end(((struct intake *)intake)->ctx, &(struct mc_id){ .host = host, .plugin = "" },
		      false);
}

void intake_expect_silence(struct intake *intake, const struct partition *partition, bool expected)
{
	if (expected)
		hosts_leave(&intake->hosts, partition, expect_silence, intake);
	else
		hosts_return(&intake->hosts, partition, expect_values, intake);
}

static void note_hosts(struct intake *intake, const struct mc_batch *batch)
{
	const char *last = "";

	MC_FOR_EACH_SAMPLE (sample, batch) {
		const char *host = mc_host(sample->series);

		if (strcmp(host, last) == 0)
			continue;
		last = host;
		if (hosts_note(&intake->hosts, host, intake->partition))
			expect_values(intake, host);
	}
}

/* --- Pieces --------------------------------------------------------------- */

/* The journal's answer, by any thread. */
static void committed(void *argument, int rc)
{
	struct piece *piece = argument;
	struct intake *intake = piece->intake;
	static const uint64_t one = 1;
	bool first;

	piece->rc = rc;
	pthread_mutex_lock(&intake->lock);
	first = intake->done == NULL;
	piece->next_done = intake->done;
	intake->done = piece;
	pthread_mutex_unlock(&intake->lock);
	if (first && write(intake->wake, &one, sizeof(one)) < 0)
		return; /* It can be read already. */
}

static struct piece *take_done(struct intake *intake)
{
	struct piece *done;

	pthread_mutex_lock(&intake->lock);
	done = intake->done;
	intake->done = NULL;
	pthread_mutex_unlock(&intake->lock);
	return done;
}

static void finish(struct intake *intake, struct piece *piece)
{
	const struct partition *partition = piece->partition;
	char what[160], why[MC_REJECTED_SERIES_SIZE + 64];

	intake->pending--;
	intake->pending_size -= piece->size;
	if (!partition_is_stored(piece)) {
		if (mc_now() >= intake->backoff.until)
			mc_backoff_failed(&intake->backoff, mc_now(), 0);
	} else if (piece->id.number > 0) {
		mc_backoff_done(&intake->backoff);
		dedup_store(&intake->dedup, &piece->id);
	}
	if (piece->late.samples > 0) {
		snprintf(what, sizeof(what), "rejects values of topic '%.100s':", partition->topic);
		snprintf(why, sizeof(why), "a value of '%s' %s", piece->late.series,
			 piece->late.why);
		refused_count(&intake->refused, REFUSED_LATE, piece->late.samples, what, why);
	}
	free(piece);
}

void intake_settle(struct intake *intake, struct partition *const *partitions, size_t len)
{
	struct piece *next;

	for (struct piece *piece = take_done(intake); piece != NULL; piece = piece->next_done)
		piece->done = true;
	for (size_t i = 0; i < len; i++) {
		struct piece *piece = partition_settle(partitions[i]);

		for (; piece != NULL; piece = next) {
			next = piece->next;
			finish(intake, piece);
		}
	}
}

/* --- Batches -------------------------------------------------------------- */

void intake_commit(struct intake *intake)
{
	struct mc_batch *batch = intake->batch;
	struct piece *piece = intake->piece;

	if (batch == NULL)
		return;
	intake->batch = NULL;
	intake->piece = NULL;
	atomic_fetch_add(&intake->samples_len, intake->samples);
	if (intake->samples == 0) {
		mc_discard(batch);
		piece->id.number = 0;
		piece->done = true;
		return;
	}
	if (intake->shares)
		note_hosts(intake, batch);
	mc_set_dedup_id(batch, &piece->id);
	mc_count_rejected(batch, &piece->late);
	mc_commit_then(batch, COMMIT_LIMIT, committed, piece);
}

static void begin_batch(struct intake *intake, struct topic *topic, size_t size)
{
	intake->piece = partition_begin(intake->partition);
	intake->piece->intake = intake;
	intake->piece->size = size;
	intake->pending++;
	intake->pending_size += size;
	intake->samples = 0;
	intake->batch = mc_begin(intake->ctx);
	mc_charge(intake->batch, topic->quota);
}

/* --- Records -------------------------------------------------------------- */

/* The name of the id of records without a number: the run that the journal knows, or a new one.
 * Of another cluster offsets mean other records. */
static void name_partition(struct intake *intake, struct partition *partition)
{
	uint64_t place = mc_hash_text(mc_hash_start(), intake->ctx->name);
	uint64_t what = mc_hash_text(mc_hash_start(), partition->topic);
	char *cluster = rd_kafka_clusterid(intake->handle, 0);
	const struct mc_dedup_id *id;
	char sender[33];

	place = mc_hash_text(place, intake->group);
	place = mc_hash_text(place, cluster != NULL ? cluster : "");
	what = mc_hash_bytes(what, &partition->number, sizeof(partition->number));
	snprintf(sender, sizeof(sender), "%016" PRIx64 "%016" PRIx64, place, what);
	id = partition->anew ? NULL : dedup_stored(&intake->dedup, sender);
	if (id != NULL)
		memcpy(partition->id, id->name, sizeof(partition->id));
	else
		snprintf(partition->id, sizeof(partition->id), "%s/%" PRIx64, sender,
			 (uint64_t)mc_wall());
	partition->anew = false;
	if (cluster != NULL)
		rd_kafka_mem_free(intake->handle, cluster);
}

int64_t intake_known(struct intake *intake, struct partition *partition)
{
	const struct mc_dedup_id *id;
	char sender[MC_DEDUP_ID_MAX + 1];

	if (partition->id[0] == '\0')
		name_partition(intake, partition);
	snprintf(sender, sizeof(sender), "%.*s", (int)strcspn(partition->id, "/"), partition->id);
	id = dedup_stored(&intake->dedup, sender);
	return id != NULL && strcmp(id->name, partition->id) == 0 ? (int64_t)id->number
								  : PARTITION_UNKNOWN;
}

void intake_forget(struct partition *partition)
{
	partition->anew = true;
	partition->id[0] = '\0';
	partition->next = PARTITION_UNKNOWN;
}

static bool read_header(const rd_kafka_headers_t *headers, const char *name, char *out, size_t room)
{
	const void *value;
	size_t size;

	if (rd_kafka_header_get_last(headers, name, &value, &size) != RD_KAFKA_RESP_ERR_NO_ERROR ||
	    value == NULL || size >= room || memchr(value, '\0', size) != NULL)
		return false;
	memcpy(out, value, size);
	out[size] = '\0';
	return true;
}

/* Whether the record has a number of its sender's. */
static bool read_number(const rd_kafka_message_t *message, struct mc_dedup_id *id)
{
	char name[MC_DEDUP_ID_MAX + 1], numbers[48];
	rd_kafka_headers_t *headers;
	uint64_t first;

	return rd_kafka_message_headers(message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR &&
	       read_header(headers, "X-Stream", name, sizeof(name)) &&
	       read_header(headers, "X-Seq", numbers, sizeof(numbers)) &&
	       dedup_id_parse(name, numbers, id, &first);
}

static void refuse(struct intake *intake, const rd_kafka_message_t *message,
		   enum refused_reason reason, const char *why)
{
	refused_keep(&intake->refused, reason,
		     &(struct refused_record){
			     .topic = rd_kafka_topic_name(message->rkt),
			     .partition = message->partition,
			     .offset = message->offset,
			     .bytes = message->payload,
			     .size = message->len,
		     },
		     why);
}

/* The key, where it can be a host. */
static const char *key_of(const rd_kafka_message_t *message, char *out, size_t room)
{
	if (message->key == NULL || message->key_len == 0 || message->key_len >= room ||
	    memchr(message->key, '\0', message->key_len) != NULL)
		return rd_kafka_topic_name(message->rkt);
	memcpy(out, message->key, message->key_len);
	out[message->key_len] = '\0';
	return out;
}

static void put_record(struct intake *intake, struct topic *topic,
		       const rd_kafka_message_t *message, enum record_format format)
{
	char key[128];
	struct record record = {
		.key = key_of(message, key, sizeof(key)),
		.bytes = message->payload,
		.size = message->len,
		.format = format,
		.interval = topic->options->paths.interval,
		.paths = topic->paths,
	};
	struct record_result result;
	bool good;

	record.sender = record.key;
	good = record_put(&intake->records, intake->batch, &record, &result);
	intake->samples += result.samples;
	if (!good && format == RECORD_OTLP)
		intake->samples = 0;
	if (!good)
		refuse(intake, message, REFUSED_FORMAT,
		       result.why != NULL ? result.why : "it is in no known format");
	else if (result.rejected > 0)
		refuse(intake, message, REFUSED_VALUES,
		       result.why != NULL ? result.why : "some values are rejected");
}

/* A record of OTLP, or with a number, is a batch of its own. */
static void store(struct intake *intake, struct topic *topic, const rd_kafka_message_t *message,
		  const struct mc_dedup_id *id)
{
	enum record_format format = (enum record_format)topic->options->format;
	struct partition *partition = intake->partition;
	bool numbered = strcmp(id->name, partition->id) != 0, alone;

	if (format == RECORD_AUTO)
		format = record_guess(message->payload, message->len);
	alone = numbered || format == RECORD_OTLP;
	if (alone)
		intake_commit(intake);
	if (intake->batch != NULL) {
		partition_extend(partition, message->len);
		intake->pending_size += message->len;
	} else {
		begin_batch(intake, topic, message->len);
	}
	intake->piece->id = *id;
	put_record(intake, topic, message, format);
	if (alone || intake->samples >= BATCH_SAMPLES || intake->piece->size >= BATCH_SIZE)
		intake_commit(intake);
}

void intake_take(struct intake *intake, struct topic *topic, struct partition *partition,
		 const rd_kafka_message_t *message)
{
	struct mc_dedup_id id;

	if (intake->partition != partition)
		intake_commit(intake);
	intake->partition = partition;
	if (!partition_read(partition, message->offset))
		return;
	atomic_fetch_add(&intake->records_len, 1);
	atomic_fetch_add(&intake->bytes, message->len);
	if (partition->id[0] == '\0')
		name_partition(intake, partition);
	if (!read_number(message, &id)) {
		memcpy(id.name, partition->id, sizeof(id.name));
		id.number = (uint64_t)message->offset + 1;
	}
	if (!dedup_take(&intake->dedup, &id)) {
		atomic_fetch_add(&intake->duplicates, 1);
		partition_pass(partition);
	} else if (message->len == 0) { /* A tombstone. */
		partition_pass(partition);
	} else if (message->len > (size_t)intake->size_max) {
		refuse(intake, message, REFUSED_SIZE, "it is larger than MaxRecordSize");
		partition_pass(partition);
	} else {
		store(intake, topic, message, &id);
	}
}
