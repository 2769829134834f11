/* SPDX-License-Identifier: MIT */
#include "dump.h"

#include <collector/kit/alloc.h>
#include <collector/private/otlp.h>
#include <collector/serve.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dump_file.h"
#include "formats/otlp/otlp_notices.h"

#define REQUEST_SIZE ((size_t)1 << 20)
#define BATCH_SAMPLES 1000
#define PART_NAME "dump.part" /* The file, as long as it is not complete. */
#define PREFIX "dump-"
#define SUFFIX ".otlp.gz"

void dump_name(char out[DUMP_NAME_SIZE], mc_time time)
{
	time_t seconds = (time_t)(time / MC_SECOND);
	struct tm date;
	char text[32];

	gmtime_r(&seconds, &date);
	strftime(text, sizeof(text), "%Y%m%dT%H%M%S", &date);
	snprintf(out, DUMP_NAME_SIZE, PREFIX "%s.%03dZ" SUFFIX, text,
		 (int)(time % MC_SECOND / MC_MILLISECOND));
}

const char *dump_cut_text(const struct dump_result *result, char out[DUMP_CUT_SIZE])
{
	out[0] = '\0';
	if (result->cut)
		snprintf(out, DUMP_CUT_SIZE, ", cut at DumpBytes: %llu series are left out",
			 (unsigned long long)result->left_out);
	return out;
}

/* --- Samples -------------------------------------------------------------- */

struct writing {
	const struct dump *dump;
	enum order_turn turn;
	struct dump_result *result;
	struct mc_otlp_writer *otlp;
	struct dump_file *file;
};

static bool put_batch(struct writing *writing, const struct mc_batch *batch)
{
	const struct mc_sample *last = NULL;
	struct mc_otlp_bytes bytes;

	do {
		last = mc_otlp_write(writing->otlp, batch, last, &bytes);
		if (!dump_file_has_room(writing->file, bytes.size)) {
			writing->result->cut = true;
			return false;
		}
		if (!dump_file_put(writing->file, bytes.at, bytes.size))
			return false;
		writing->result->samples += bytes.samples_len;
	} while (last != NULL);
	return true;
}

static bool put_samples(struct writing *writing, const struct ring_view_series *series,
			size_t first, size_t len)
{
	struct mc_batch *batch = mc_begin(writing->dump->ctx);
	struct mc_series *known = mc_series_named(batch, &series->name);
	bool done;

	for (size_t i = first; i < first + len; i++)
		mc_put_at(batch, known, (struct mc_stamp){ series->times[i], series->interval },
			  &series->values[i * series->sources_len], series->sources_len);
	done = known == NULL || put_batch(writing, batch);
	mc_discard(batch);
	return done;
}

static bool is_its_turn(void *argument, const struct mc_name_parts *name)
{
	struct writing *writing = argument;

	if (order_turn_of(writing->dump->subjects, writing->dump->ctx->host, name) != writing->turn)
		return false;
	if (writing->result->cut)
		writing->result->left_out++;
	return !writing->result->cut;
}

/* Whether the type is still that of the values. */
static bool is_known(const struct writing *writing, const struct ring_view_series *series)
{
	const struct mc_name_parts *name = &series->name;
	size_t at = name->host_size + 1 + name->plugin_size + 1;
	const struct mc_type *type;
	char text[256];

	if (name->plugin_instance_size > 0)
		at += name->plugin_instance_size + 1;
	snprintf(text, sizeof(text), "%.*s", (int)name->type_size, name->name + at);
	type = mc_type_find(writing->dump->ctx, text);
	if (type == NULL || type->sources_len != series->sources_len)
		return false;
	for (unsigned i = 0; i < type->sources_len; i++)
		if (type->sources[i].kind != series->kinds[i])
			return false;
	return true;
}

static bool put_series(void *argument, const struct ring_view_series *series)
{
	struct writing *writing = argument;
	uint64_t before = writing->result->samples;

	if (!is_known(writing, series)) {
		writing->result->unknown++;
		return true;
	}
	writing->result->series++;
	for (size_t i = 0; i < series->len; i += BATCH_SAMPLES) {
		size_t rest = series->len - i;

		if (put_samples(writing, series, i, rest < BATCH_SAMPLES ? rest : BATCH_SAMPLES))
			continue;
		if (writing->result->cut && writing->result->samples == before) {
			writing->result->series--;
			writing->result->left_out++;
		}
		return writing->result->cut; /* The others are counted. */
	}
	return true;
}

/* --- Notices -------------------------------------------------------------- */

static bool put_note(void *argument, const void *bytes, size_t size)
{
	struct writing *writing = argument;
	unsigned char head[OTLP_NOTICES_HEAD_MAX];

	writing->result->notices++;
	return dump_file_put(writing->file, head, otlp_notices_head(head, size)) &&
	       dump_file_put(writing->file, bytes, size);
}

static void put_reason(struct writing *writing)
{
	const struct dump_result *result = writing->result;
	struct mc_otlp_bytes bytes;
	char text[512], cut[DUMP_CUT_SIZE];

	snprintf(text, sizeof(text), "dump of %llu samples of %llu series%s: %s",
		 (unsigned long long)result->samples, (unsigned long long)result->series,
		 dump_cut_text(result, cut), writing->dump->why);
	mc_otlp_write_notification(
		writing->otlp,
		&(struct mc_notification){ .severity = MC_OKAY,
					   .time = mc_wall(),
					   .id = { .host = writing->dump->ctx->host,
						   .plugin = "recorder",
						   .type = "dump" },
					   .message = text },
		&bytes);
	put_note(writing, bytes.at, bytes.size);
}

/* --- The file ------------------------------------------------------------- */

static int put_all(struct writing *writing, const struct ring_view *view, int fd)
{
	const struct ring_view_visitor visitor = { is_its_turn, put_series, writing };
	int rc;

	writing->file = dump_file_new(fd, writing->dump->size_max);
	if (writing->file == NULL)
		return -ENOMEM;
	writing->otlp = mc_otlp_writer_new(REQUEST_SIZE);
	for (writing->turn = ORDER_SUBJECT; writing->turn <= ORDER_OTHERS; writing->turn++)
		ring_view_each(view, writing->dump->since, &visitor);
	ring_view_each_note(view, writing->dump->since, put_note, writing);
	put_reason(writing);
	mc_otlp_writer_free(writing->otlp);
	rc = dump_file_end(writing->file);
	dump_file_free(writing->file);
	return rc;
}

int dump_write(const struct dump *dump, const struct ring_view *view, struct dump_result *result)
{
	struct writing writing = { .dump = dump, .result = result };
	int fd, rc;

	*result = (struct dump_result){ 0 };
	unlinkat(dump->folder, PART_NAME, 0);
	fd = openat(dump->folder, PART_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		    0640);
	if (fd < 0)
		return -errno;
	rc = put_all(&writing, view, fd);
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	if (rc == 0 && renameat(dump->folder, PART_NAME, dump->folder, dump->name) < 0)
		rc = -errno;
	if (rc < 0)
		unlinkat(dump->folder, PART_NAME, 0);
	return rc;
}

void dump_clean(int folder)
{
	unlinkat(folder, PART_NAME, 0);
}

bool dump_is_name(const char *name)
{
	static const char plain[] =
		"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-.";

	return strncmp(name, PREFIX, strlen(PREFIX)) == 0 && strstr(name, ".otlp") != NULL &&
	       strlen(name) < DUMP_NAME_SIZE && name[strspn(name, plain)] == '\0';
}

static int is_dump(const struct dirent *entry)
{
	return dump_is_name(entry->d_name);
}

int dump_list(int folder, struct dirent ***entries)
{
	char path[64]; /* As musl has no scandirat(). */
	int len;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", folder);
	len = scandir(path, entries, is_dump, alphasort);
	return len < 0 ? -errno : len;
}

int dump_prune(int folder, int64_t files)
{
	struct dirent **entries;
	int len = dump_list(folder, &entries), rc = 0;

	if (len < 0)
		return len;
	for (int i = 0; i < len; i++) {
		if (len - i > files && unlinkat(folder, entries[i]->d_name, 0) < 0)
			rc = -errno;
		free(entries[i]);
	}
	free(entries);
	return rc;
}
