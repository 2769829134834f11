/* SPDX-License-Identifier: MIT */
#include "offsets.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/number.h>
#include <collector/kit/state_file.h>

#define PAUSE MC_SECOND

/* "NAME NUMBER"; false for another line. */
static bool read_line(const char *line, struct mc_dedup_id *id)
{
	const char *blank = strchr(line, ' ');
	size_t size;

	if (blank == NULL)
		return false;
	size = (size_t)(blank - line);
	if (size == 0 || size > MC_DEDUP_ID_MAX)
		return false;
	memcpy(id->name, line, size);
	id->name[size] = '\0';
	return mc_number_unsigned(blank + 1, 10, UINT64_MAX, &id->number);
}

/* False if some lines are invalid; the others are taken. */
static bool read_lines(char *text, void (*visit)(void *, const struct mc_dedup_id *),
		       void *argument)
{
	struct mc_dedup_id id;
	bool good = true;
	char *line;

	while (*text != '\0') {
		line = strsep(&text, "\n");
		if (read_line(line, &id))
			visit(argument, &id);
		else
			good = false;
		if (text == NULL)
			return false; /* The last one was cut. */
	}
	return good;
}

void offsets_load(struct offsets *offsets, struct mc_ctx *ctx, size_t spools_len,
		  void (*visit)(void *, const struct mc_dedup_id *), void *argument)
{
	struct mc_buffer text = { 0 };
	int rc;

	offsets->ctx = ctx;
	offsets->path = mc_alloc_printf("%s.offsets", ctx->name);
	offsets->ids = mc_alloc_array(spools_len, sizeof(*offsets->ids));
	offsets->len = spools_len;
	rc = mc_state_file_read(offsets->path, &text);
	mc_buffer_add(&text, "", 0); /* Ends it with '\0'. */
	if (rc < 0)
		mc_log(ctx, MC_WARN, "cannot read '%s', may read files again: %s", offsets->path,
		       strerror(-rc));
	else if (!read_lines(text.at, visit, argument))
		mc_log(ctx, MC_WARN, "'%s' is damaged: files may be read again", offsets->path);
	mc_buffer_free(&text);
}

void offsets_keep(struct offsets *offsets, size_t spool, const struct mc_dedup_id *id)
{
	offsets->ids[spool] = *id;
}

void offsets_set(struct offsets *offsets, size_t spool, const struct mc_dedup_id *id)
{
	offsets_keep(offsets, spool, id);
	offsets->changed = true;
}

static void write_all(struct offsets *offsets)
{
	struct mc_buffer text = { 0 };
	char line[MC_DEDUP_ID_MAX + 32];
	int fd;

	for (size_t i = 0; i < offsets->len; i++) {
		const struct mc_dedup_id *id = &offsets->ids[i];

		if (id->name[0] == '\0')
			continue;
		snprintf(line, sizeof(line), "%s %" PRIu64 "\n", id->name, id->number);
		mc_buffer_add(&text, line, strlen(line));
	}
	fd = mc_state_file_write(offsets->path, &text);
	mc_buffer_free(&text);
	offsets->changed = fd < 0; /* Else it is tried again. */
	if (fd < 0) {
		mc_complain(offsets->ctx, &offsets->unwritable, -fd,
			    "cannot write '%s', so a restart would read files "
			    "again",
			    offsets->path);
		return;
	}
	close(fd);
	mc_works(offsets->ctx, &offsets->unwritable, "'%s' is written again", offsets->path);
}

void offsets_save(struct offsets *offsets, mc_time now)
{
	if (!offsets->changed || now < offsets->due)
		return;
	write_all(offsets);
	offsets->due = now + PAUSE;
}

mc_time offsets_due(const struct offsets *offsets)
{
	return offsets->changed ? offsets->due : INT64_MAX;
}

void offsets_close(struct offsets *offsets)
{
	if (offsets->path != NULL && offsets->changed)
		write_all(offsets);
	free(offsets->ids);
	free(offsets->path);
	*offsets = (struct offsets){ 0 };
}
