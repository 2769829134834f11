/* SPDX-License-Identifier: MIT */
#include "replays.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/hash.h>
#include <collector/kit/number.h>

#define LINE_SIZE (REPLAYS_TEXT_SIZE + 40)
#define BOOTS_MAX                                                                                  \
	INT32_MAX /* An engine that says that has no time any more.                                \
		   */

struct replays_engine {
	struct mc_lru_node node;
	uint8_t id[MC_SNMP_ENGINE_MAX];
	size_t id_size;
	uint32_t boots, time; /* The latest. */
	mc_time heard;        /* When that was; 0: before the start. */
	int64_t floor;        /* Later times alone are taken; -1: any. */
};

struct replays_message {
	struct mc_lru_node node;
	uint64_t key; /* Hash of its digest. */
	mc_time heard;
	uint8_t engine[MC_SNMP_ENGINE_MAX];
	size_t engine_size;
	uint32_t boots, time;
};

/* --- Engines -------------------------------------------------------------- */

void replays_text(const struct mc_ber *engine, char out[REPLAYS_TEXT_SIZE])
{
	out[0] = '\0';
	for (size_t i = 0; i < engine->size && i < MC_SNMP_ENGINE_MAX; i++)
		snprintf(out + 2 * i, 3, "%02x", engine->at[i]);
}

static struct replays_engine *find_engine(const struct replays *replays, const uint8_t *id,
					  size_t size)
{
	return (struct replays_engine *)mc_lru_find(&replays->engines, id, size);
}

static void forget_engine(struct replays *replays, struct replays_engine *engine)
{
	mc_lru_remove(&replays->engines, &engine->node);
	free(engine);
}

static struct replays_engine *add_engine(struct replays *replays, const uint8_t *id, size_t size)
{
	struct replays_engine *engine = mc_alloc_zero(sizeof(*engine));

	if (replays->engines.map.len >= REPLAYS_ENGINES_MAX)
		forget_engine(replays, (struct replays_engine *)replays->engines.oldest);
	memcpy(engine->id, id, size);
	engine->id_size = size;
	engine->floor = -1;
	mc_lru_add(&replays->engines, &engine->node, engine->id, size);
	return engine;
}

/* --- The file ------------------------------------------------------------- */

static uint64_t sum_of(const char *line, size_t size)
{
	return mc_hash_bytes(mc_hash_start(), line, size) & UINT32_MAX;
}

static void add_line(struct mc_buffer *text, const struct replays_engine *from)
{
	const struct mc_ber id = { (uint8_t *)from->id, from->id_size };
	char name[REPLAYS_TEXT_SIZE], line[LINE_SIZE];
	size_t size;

	replays_text(&id, name);
	size = (size_t)snprintf(line, sizeof(line), "%s %" PRIu32 " %" PRIu32, name, from->boots,
				from->time);
	snprintf(line + size, sizeof(line) - size, " %08" PRIx64 "\n", sum_of(line, size));
	mc_buffer_add(text, line, strlen(line));
}

static int replace(struct replays *replays)
{
	struct mc_lru_node *node = replays->engines.oldest;
	struct mc_buffer text = { 0 };
	int fd, rc;

	for (; node != NULL; node = node->newer)
		add_line(&text, (const struct replays_engine *)node);
	fd = mc_state_file_write(replays->file.path, &text);
	rc = mc_state_file_take(&replays->file, fd, text.size);
	mc_buffer_free(&text);
	return rc;
}

static void report(struct replays *replays, int rc)
{
	if (rc < 0)
		mc_complain(replays->ctx, &replays->unwritable, -rc,
			    "cannot write '%s', so replayed messages are not "
			    "recognized after a restart",
			    replays->file.path);
	else
		mc_works(replays->ctx, &replays->unwritable, "'%s' is written again",
			 replays->file.path);
}

static void save(struct replays *replays, const struct replays_engine *engine)
{
	int rc;

	if (replays->ctx == NULL)
		return;
	mc_buffer_clear(&replays->text);
	add_line(&replays->text, engine);
	rc = mc_state_file_is_old(&replays->file)
		     ? replace(replays)
		     : mc_state_file_append(&replays->file, &replays->text);
	report(replays, rc);
}

static bool take_number(const char **at, unsigned base, uint64_t *number)
{
	return *(*at)++ == ' ' && mc_number_take(at, base, number) && *number <= UINT32_MAX;
}

/* The identifier that '*at' begins with, as bytes; 0 without one. */
static size_t take_id(const char **at, uint8_t id[MC_SNMP_ENGINE_MAX])
{
	size_t size = 0;

	while (mc_number_digit((*at)[0]) < 16 && size < MC_SNMP_ENGINE_MAX) {
		unsigned low = mc_number_digit((*at)[1]);

		if (low >= 16)
			return 0;
		id[size++] = (uint8_t)(mc_number_digit((*at)[0]) << 4 | low);
		*at += 2;
	}
	return size;
}

/* False: the line is damaged. */
static bool read_line(struct replays *replays, const char *line)
{
	uint8_t id[MC_SNMP_ENGINE_MAX];
	uint64_t boots, time, sum;
	const char *at = line, *end;
	size_t size = take_id(&at, id);
	struct replays_engine *engine;

	if (size == 0 || !take_number(&at, 10, &boots) || !take_number(&at, 10, &time))
		return false;
	end = at;
	if (!take_number(&at, 16, &sum) || *at != '\0' || sum != sum_of(line, (size_t)(end - line)))
		return false;
	engine = find_engine(replays, id, size);
	if (engine == NULL)
		engine = add_engine(replays, id, size);
	mc_lru_use(&replays->engines, &engine->node);
	engine->boots = (uint32_t)boots;
	engine->time = (uint32_t)time;
	engine->floor = (int64_t)time;
	return true;
}

static void read_file(struct replays *replays)
{
	struct mc_buffer text = { 0 };
	int rc = mc_state_file_read(replays->file.path, &text);
	char *line, *rest;
	unsigned damaged = 0;

	if (rc < 0)
		mc_log(replays->ctx, MC_WARN, "cannot read '%s': %s", replays->file.path,
		       strerror(-rc));
	mc_buffer_add(&text, "", 1);
	rest = text.at;
	while ((line = strsep(&rest, "\n")) != NULL)
		damaged += line[0] != '\0' && !read_line(replays, line);
	if (damaged > 0)
		mc_log(replays->ctx, MC_WARN, "'%s': %u damaged line%s left out",
		       replays->file.path, damaged, damaged == 1 ? " is" : "s are");
	mc_buffer_free(&text);
}

void replays_start(struct replays *replays, struct mc_ctx *ctx)
{
	*replays = (struct replays){
		.ctx = ctx,
		.file = { .path = mc_alloc_printf("%s.engines", ctx->name), .fd = -1 },
	};
	read_file(replays);
	report(replays, replace(replays));
}

void replays_stop(struct replays *replays)
{
	struct mc_lru_node *node;

	while ((node = replays->engines.oldest) != NULL)
		forget_engine(replays, (struct replays_engine *)node);
	while ((node = replays->messages.oldest) != NULL) {
		mc_lru_remove(&replays->messages, node);
		free(node);
	}
	mc_lru_done(&replays->engines);
	mc_lru_done(&replays->messages);
	if (replays->ctx != NULL)
		mc_state_file_close(&replays->file);
	mc_buffer_free(&replays->text);
	*replays = (struct replays){ 0 };
}

/* --- Messages ------------------------------------------------------------- */

/* The oldest goes.  If its time is not over, its engine's messages have to be
 * later than it from now on. */
static void forget_message(struct replays *replays, mc_time now)
{
	struct replays_message *oldest = (struct replays_message *)replays->messages.oldest;
	struct replays_engine *engine = find_engine(replays, oldest->engine, oldest->engine_size);

	if (now - oldest->heard < REPLAYS_MEMORY && engine != NULL &&
	    engine->boots == oldest->boots && engine->floor < oldest->time)
		engine->floor = oldest->time;
	mc_lru_remove(&replays->messages, &oldest->node);
	free(oldest);
}

static bool is_over(const struct replays *replays, mc_time now)
{
	const struct replays_message *oldest =
		(const struct replays_message *)replays->messages.oldest;

	return oldest != NULL && (now - oldest->heard >= REPLAYS_MEMORY ||
				  replays->messages.map.len >= REPLAYS_MESSAGES_MAX);
}

/* False: it is there already. */
static bool remember(struct replays *replays, const struct replays_message_id *id, mc_time now)
{
	uint64_t key = mc_hash_bytes(mc_hash_start(), id->digest.at, id->digest.size);
	struct replays_message *message;

	if (mc_lru_find(&replays->messages, &key, sizeof(key)) != NULL)
		return false;
	while (is_over(replays, now))
		forget_message(replays, now);
	message = mc_alloc_zero(sizeof(*message));
	message->key = key;
	message->heard = now;
	memcpy(message->engine, id->engine.at, id->engine.size);
	message->engine_size = id->engine.size;
	message->boots = id->boots;
	message->time = id->time;
	mc_lru_add(&replays->messages, &message->node, &message->key, sizeof(message->key));
	return true;
}

/* RFC 3414, 3.2, 7. b). */
static enum replays_result judge(const struct replays_engine *engine,
				 const struct replays_message_id *id, mc_time now)
{
	mc_time since = engine->heard == 0 ? 0 : (now - engine->heard) / MC_SECOND;

	if (id->boots < engine->boots)
		return REPLAYS_BOOTS;
	if (id->boots > engine->boots)
		return REPLAYS_NEW;
	return (int64_t)id->time > engine->floor &&
			       (int64_t)id->time + REPLAYS_WINDOW >= engine->time + since
		       ? REPLAYS_NEW
		       : REPLAYS_LATE;
}

static enum replays_result judge_ours(const struct replays_engine *engine,
				      const struct replays_message_id *id)
{
	return id->time > engine->floor ? REPLAYS_NEW : REPLAYS_LATE;
}

enum replays_result replays_take(struct replays *replays, const struct replays_message_id *id,
				 bool ours, mc_time now)
{
	struct replays_engine *engine = find_engine(replays, id->engine.at, id->engine.size);
	enum replays_result result;

	if (!ours && id->boots >= BOOTS_MAX)
		return REPLAYS_LATE;
	if (engine == NULL)
		engine = add_engine(replays, id->engine.at, id->engine.size);
	mc_lru_use(&replays->engines, &engine->node);
	result = ours ? judge_ours(engine, id) : judge(engine, id, now);
	if (result != REPLAYS_NEW)
		return result;
	if (!remember(replays, id, now))
		return REPLAYS_BEFORE;
	if (id->boots > engine->boots)
		engine->floor = -1;
	else if (id->time <= engine->time && engine->heard != 0)
		return REPLAYS_NEW;
	engine->boots = id->boots;
	engine->time = id->time;
	engine->heard = now;
	if (!ours)
		save(replays, engine);
	return REPLAYS_NEW;
}
