/* SPDX-License-Identifier: MIT */
/* collectorctl journal list: the files of a journal, and the owners of cursors. */
#include "ctl/journal/journal.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "ctl/print/human.h"
#include "ctl/print/json.h"
#include "ctl/print/table.h"

static const char *state_of(const struct journal_segment *segment)
{
	if (segment->damaged > 0 || segment->headless)
		return "damaged";
	if (segment->rest > 0 && !segment->growing)
		return "torn";
	return segment->sealed ? "sealed" : "open";
}

static void add_clock(struct table *table, mc_time time, double now)
{
	table_cell(table, "%s", time > 0 ? human_clock((double)time * CTL_NS, now).text : "-");
}

static void list_segments(const struct journal *journal)
{
	double now = (double)clock_wall() * CTL_NS;
	struct table table;

	table_init(&table);
	table_column(&table, "SEGMENT", TABLE_LEFT);
	table_column(&table, "RECORDS", TABLE_RIGHT);
	table_column(&table, "SAMPLES", TABLE_RIGHT);
	table_column(&table, "SIZE", TABLE_RIGHT);
	table_column(&table, "FROM", TABLE_LEFT);
	table_column(&table, "TO", TABLE_LEFT);
	table_column(&table, "STATE", TABLE_LEFT);
	for (size_t i = 0; i < journal->segments_len; i++) {
		const struct journal_segment *s = &journal->segments[i];

		table_cell(&table, "%s", s->name);
		table_cell(&table, "%s", human_count(s->records).text);
		table_cell(&table, "%s", human_count(s->samples).text);
		table_cell(&table, "%s", human_bytes(s->size).text);
		add_clock(&table, s->oldest, now);
		add_clock(&table, s->newest, now);
		table_cell(&table, "%s", state_of(s));
	}
	table_print(&table, stdout, journal->ctl->bold, journal->ctl->plain);
	table_done(&table);
}

static bool read_cursor(const struct journal *journal, const char *name,
			struct frame_cursor *cursor)
{
	uint8_t slots[2 * FRAME_CURSOR_SIZE] = { 0 };
	int file = openat(journal->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool found;

	if (file < 0)
		return false;
	found = read(file, slots, sizeof(slots)) >= FRAME_CURSOR_SIZE &&
		frame_read_cursor(slots, cursor);
	close(file);
	return found;
}

/* The name of a writer, from the name of its file: "%2f" is '/'.  Characters that are unsafe on a
 * terminal stay encoded. */
static void read_name(const char *file, char *out, size_t size)
{
	const char *end = file + strlen(file) - strlen(FRAME_CURSOR_SUFFIX);
	size_t used = 0;

	while (file < end && used + 1 < size) {
		char digits[3] = { 0 }, *rest = digits;
		unsigned long byte = 0;

		if (*file == '%' && end - file > 2) {
			memcpy(digits, file + 1, 2);
			byte = strtoul(digits, &rest, 16);
		}
		if (rest == digits + 2 && byte >= ' ' && byte < 127) {
			out[used++] = (char)byte;
			file += 3;
		} else {
			out[used++] = *file++;
		}
	}
	out[used] = '\0';
}

struct writer { /* The owners of cursors in the journal. */
	char name[256];
	bool found;            /* Its cursor can be read: */
	uint64_t next, behind; /* its present record, number of samples after that. */
};

static struct writer read_writer(const struct journal *journal, size_t i)
{
	struct frame_cursor cursor = { 0 };
	struct writer writer = { 0 };

	read_name(journal->cursors[i], writer.name, sizeof(writer.name));
	writer.found = read_cursor(journal, journal->cursors[i], &cursor);
	writer.next = cursor.next;
	if (journal->before > cursor.before)
		writer.behind = journal->before - cursor.before;
	return writer;
}

static void list_cursors(const struct journal *journal)
{
	struct table table;

	table_init(&table);
	table_column(&table, "WRITER", TABLE_LEFT);
	table_column(&table, "NEXT RECORD", TABLE_RIGHT);
	table_column(&table, "SAMPLES BEHIND", TABLE_RIGHT);
	for (size_t i = 0; i < journal->cursors_len; i++) {
		struct writer writer = read_writer(journal, i);

		table_cell(&table, "%s", writer.name);
		if (!writer.found) {
			table_cell(&table, "none");
			table_cell(&table, "-");
			continue;
		}
		table_cell(&table, "%" PRIu64, writer.next);
		table_cell(&table, "%s", human_count(writer.behind).text);
	}
	table_print(&table, stdout, journal->ctl->bold, journal->ctl->plain);
	table_done(&table);
}

static void add_segment(struct mc_json *json, const struct journal_segment *s)
{
	mc_json_map(json, NULL);
	mc_json_text(json, "name", s->name);
	mc_json_unsigned(json, "records", s->records);
	mc_json_unsigned(json, "samples", s->samples);
	mc_json_unsigned(json, "bytes", s->size);
	mc_json_number(json, "from", s->oldest > 0 ? s->oldest * CTL_NS : NAN);
	mc_json_number(json, "to", s->newest > 0 ? s->newest * CTL_NS : NAN);
	mc_json_text(json, "state", state_of(s));
	mc_json_map_end(json);
}

static void add_writer(struct mc_json *json, const struct writer *writer)
{
	mc_json_map(json, NULL);
	mc_json_text(json, "name", writer->name);
	if (writer->found) {
		mc_json_unsigned(json, "next", writer->next);
		mc_json_unsigned(json, "behind", writer->behind);
	}
	mc_json_map_end(json);
}

static void list_json(const struct journal *journal)
{
	struct mc_json *json = json_open(true);

	mc_json_list(json, "segments");
	for (size_t i = 0; i < journal->segments_len; i++)
		add_segment(json, &journal->segments[i]);
	mc_json_list_end(json);
	mc_json_list(json, "writers");
	for (size_t i = 0; i < journal->cursors_len; i++) {
		struct writer writer = read_writer(journal, i);

		add_writer(json, &writer);
	}
	mc_json_list_end(json);
	json_close(json, stdout);
}

int journal_list(struct journal *journal)
{
	int status = journal_each(journal, NULL);

	if (status != CTL_OK)
		return status;
	if (journal->ctl->json) {
		list_json(journal);
		return CTL_OK;
	}
	list_segments(journal);
	if (journal->cursors_len > 0) {
		putchar('\n');
		list_cursors(journal);
	}
	return CTL_OK;
}
