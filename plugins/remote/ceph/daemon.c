/* SPDX-License-Identifier: MIT */
/* Facts: Ceph's common/admin_socket.cc: a question in JSON that ends with a '\0', and for an answer
 * the four bytes of its size, the answer, and the end of the connection. */
#include "daemon.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

/* An OSD has a schema of 173,000 bytes. */
#define ANSWER_SIZE_MAX ((size_t)8 << 20)

static const char schema_question[] = "{\"prefix\": \"perf schema\"}";
static const char dump_question[] = "{\"prefix\": \"perf dump\"}";

/* --- Conversation ----------------------------------------------------------------------- */

static void forget(struct daemon *daemon)
{
	counters_done(&daemon->counters);
	daemon->asks_schema = true;
	daemon->unknown_max = 0;
}

/* Another socket is another daemon, which counts from 0. */
static void look_at_socket(struct daemon *daemon)
{
	struct stat now;

	if (stat(daemon->path, &now) != 0)
		return; /* The connection says why. */
	if (now.st_ino != daemon->socket.st_ino || now.st_dev != daemon->socket.st_dev ||
	    now.st_ctim.tv_sec != daemon->socket.st_ctim.tv_sec ||
	    now.st_ctim.tv_nsec != daemon->socket.st_ctim.tv_nsec)
		forget(daemon);
	daemon->socket = now;
}

static void ask(struct dialogue *dialogue)
{
	struct daemon *daemon = dialogue_argument(dialogue);

	look_at_socket(daemon);
	if (daemon->asks_schema)
		dialogue_ask(dialogue, schema_question, sizeof(schema_question));
	else
		dialogue_ask(dialogue, dump_question, sizeof(dump_question));
}

static void take_schema(struct dialogue *dialogue, const char *text, size_t size)
{
	struct daemon *daemon = dialogue_argument(dialogue);
	const char *why = counters_schema(&daemon->counters, daemon->rules, text, size);

	if (why != NULL) {
		dialogue_fail(dialogue, "its answer to 'perf schema' %s", why);
		return;
	}
	daemon->asks_schema = false;
	daemon->unknown_max = SIZE_MAX; /* Another schema would be the same. */
	dialogue_ask_more(dialogue);
}

static void take_dump(struct dialogue *dialogue, const char *text, size_t size)
{
	struct daemon *daemon = dialogue_argument(dialogue);
	const struct counters_target target = {
		.rules = daemon->rules,
		.instance = daemon->name,
		.batch = dialogue_batch(dialogue),
	};
	const char *why = counters_dump(&daemon->counters, &target, text, size);

	if (why != NULL) {
		forget(daemon); /* Some counters may have values of it. */
		dialogue_fail(dialogue, "its answer to 'perf dump' %s", why);
		return;
	}
	daemon->asks_schema = daemon->counters.unknown > daemon->unknown_max;
	if (daemon->unknown_max == SIZE_MAX)
		daemon->unknown_max = daemon->counters.unknown;
	dialogue_answered(dialogue);
}

static size_t take(struct dialogue *dialogue, char *bytes, size_t size)
{
	const struct daemon *daemon = dialogue_argument(dialogue);
	const unsigned char *head = (const unsigned char *)bytes;
	size_t length;

	if (size < 4)
		return 0;
	length = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
	if (length > ANSWER_SIZE_MAX - 4) {
		dialogue_fail(dialogue, "its answer is to have %zu bytes", length);
		return size;
	}
	if (size - 4 < length)
		return 0;
	if (daemon->asks_schema)
		take_schema(dialogue, bytes + 4, length);
	else
		take_dump(dialogue, bytes + 4, length);
	return size;
}

static const struct dialogue_kind kind = {
	.ask = ask,
	.take = take,
	.once = true,
	.answer_max = ANSWER_SIZE_MAX,
};

/* --- Life ------------------------------------------------------------------------------- */

struct daemon *daemon_new(const char *name, const char *path, const struct counters_rules *rules,
			  const struct mc_quota_limits *limits)
{
	struct daemon *daemon = mc_alloc_zero(sizeof(*daemon));

	daemon->name = mc_alloc_copy(name);
	daemon->path = mc_alloc_copy(path);
	daemon->rules = rules;
	daemon->asks_schema = true;
	daemon->target = (struct dialogue_target){
		.kind = &kind,
		.host = daemon->path,
		.limits = limits,
		.argument = daemon,
	};
	return daemon;
}

void daemon_free(struct daemon *daemon)
{
	counters_done(&daemon->counters);
	free(daemon->name);
	free(daemon->path);
	free(daemon);
}

char *daemon_name_of(const char *path)
{
	static const char cluster[] = "ceph-", end[] = ".asok";
	const char *slash = strrchr(path, '/');
	char *name = mc_alloc_copy(slash != NULL ? slash + 1 : path);
	size_t size = strlen(name), end_size = strlen(end);

	if (strncmp(name, cluster, strlen(cluster)) == 0) {
		size -= strlen(cluster);
		memmove(name, name + strlen(cluster), size + 1);
	}
	if (size > end_size && strcmp(name + size - end_size, end) == 0)
		name[size - end_size] = '\0';
	return name;
}
