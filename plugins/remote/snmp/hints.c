/* SPDX-License-Identifier: MIT */
#include "hints.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/kit/state_file.h>

#define SEPARATORS "\t"
#define INDEX_LEN_MAX (MAX_OID_LEN / 2) /* With a column it is one, too. */

/* --- Reading -------------------------------------------------------------- */

static struct device *find_device(struct device *devices, size_t len, const char *host)
{
	for (size_t i = 0; i < len; i++)
		if (strcmp(devices[i].options.name, host) == 0)
			return &devices[i];
	return NULL;
}

static struct table *find_table(struct device *device, const char *column)
{
	char text[MC_OBJECT_ID_TEXT_SIZE];

	for (unsigned i = 0; i < device->plan->groups_len; i++)
		for (unsigned j = 0; j < device->plan->groups[i].tables_len; j++) {
			struct table *table = &device->passes[i].tables[j];

			mc_object_id_text(&table->plan->columns[0].id, text, sizeof(text));
			if (strcmp(text, column) == 0 && table->len == 0)
				return table;
		}
	return NULL;
}

static void take_engine(struct device *device, const char *digits)
{
	struct discovery_engine engine = { .size = strlen(digits) / 2 };
	unsigned byte;

	if (device->options.version != 3 || engine.size < DISCOVERY_ENGINE_MIN ||
	    engine.size > sizeof(engine.id))
		return;
	for (size_t i = 0; i < engine.size; i++) {
		if (sscanf(digits + 2 * i, "%2x", &byte) != 1)
			return;
		engine.id[i] = (uint8_t)byte;
	}
	device->engine = engine;
	device->engine_is_hint = true;
}

static void take_rows(struct table *table, char *indexes)
{
	char *rest = NULL;

	for (const char *text = strtok_r(indexes, SEPARATORS, &rest); text != NULL;
	     text = strtok_r(NULL, SEPARATORS, &rest)) {
		struct mc_object_id index;
		bool room;

		if (!mc_object_id_parse(text, &index))
			continue;
		room = index.len <= INDEX_LEN_MAX && table_row(table, &index) != NULL;
		mc_object_id_done(&index);
		if (!room)
			break;
	}
	table->known = table->len > 0;
}

void hints_take(struct device *devices, size_t len, char *line)
{
	char *rest = NULL;
	const char *kind = strtok_r(line, SEPARATORS, &rest);
	const char *host = strtok_r(NULL, SEPARATORS, &rest);
	const char *word = strtok_r(NULL, SEPARATORS, &rest);
	struct device *device;
	struct table *table;

	if (kind == NULL || host == NULL || word == NULL)
		return;
	device = find_device(devices, len, host);
	if (device == NULL)
		return;
	if (strcmp(kind, "engine") == 0) {
		take_engine(device, word);
	} else if (strcmp(kind, "rows") == 0) {
		table = find_table(device, word);
		if (table != NULL)
			take_rows(table, rest);
	}
}

void hints_load(struct mc_ctx *ctx, const char *path, struct device *devices, size_t len)
{
	struct mc_buffer text = { 0 };
	char *line, *rest = NULL;
	int rc = mc_state_file_read(path, &text);

	if (rc < 0)
		mc_log(ctx, MC_WARN, "cannot read '%s': %s", path, strerror(-rc));
	mc_buffer_add(&text, "", 0); /* Ends it with '\0'. */
	if (rc == 0)
		for (line = strtok_r(text.at, "\n", &rest); line != NULL;
		     line = strtok_r(NULL, "\n", &rest))
			hints_take(devices, len, line);
	mc_buffer_free(&text);
}

/* --- Writing -------------------------------------------------------------- */

static void add(struct mc_buffer *text, const char *word)
{
	mc_buffer_add(text, word, strlen(word));
}

static void add_engine(struct mc_buffer *text, const struct device *device)
{
	char digits[3];

	add(text, "engine\t");
	add(text, device->options.name);
	add(text, SEPARATORS);
	for (size_t i = 0; i < device->engine.size; i++) {
		snprintf(digits, sizeof(digits), "%02x", device->engine.id[i]);
		add(text, digits);
	}
	add(text, "\n");
}

static void add_rows(struct mc_buffer *text, const struct device *device, const struct table *table)
{
	char id[MC_OBJECT_ID_TEXT_SIZE];

	add(text, "rows\t");
	add(text, device->options.name);
	add(text, SEPARATORS);
	add(text, mc_object_id_text(&table->plan->columns[0].id, id, sizeof(id)));
	for (size_t i = 0; i < table->len; i++) {
		add(text, SEPARATORS);
		add(text, mc_object_id_text(&table->rows[i]->index, id, sizeof(id)));
	}
	add(text, "\n");
}

static void add_device(struct mc_buffer *text, const struct device *device)
{
	if (strpbrk(device->options.name, "\t\n") != NULL)
		return;
	if (device->engine.size > 0)
		add_engine(text, device);
	for (unsigned i = 0; i < device->plan->groups_len; i++)
		for (unsigned j = 0; j < device->plan->groups[i].tables_len; j++) {
			const struct table *table = &device->passes[i].tables[j];

			if (table->known && table->len > 0)
				add_rows(text, device, table);
		}
}

void hints_save(struct mc_ctx *ctx, const char *path, const struct device *devices, size_t len)
{
	struct mc_buffer text = { 0 };
	int fd;

	for (size_t i = 0; i < len; i++)
		add_device(&text, &devices[i]);
	fd = mc_state_file_write(path, &text);
	if (fd < 0)
		mc_log(ctx, MC_WARN, "cannot write '%s': %s", path, strerror(-fd));
	else
		close(fd);
	mc_buffer_free(&text);
}
