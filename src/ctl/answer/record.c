/* SPDX-License-Identifier: MIT */
/* A line of STATUS or EXPLAIN taken apart. */
#include "ctl/answer/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/plaintext/plaintext.h"

#include "base/alloc.h"

struct record record_read(char *line)
{
	struct record record = { .about = mc_plain_about(&line) };

	if (record.about == NULL)
		record.about = "";
	while (record.len < RECORD_PAIRS_MAX &&
	       mc_plain_pair(&line, &record.pairs[record.len].key, &record.pairs[record.len].value))
		record.len++;
	return record;
}

struct record *record_read_all(struct answer *answer, size_t most)
{
	size_t len = answer->len < most ? answer->len : most;
	struct record *records = alloc_array(len + 1, sizeof(*records));

	for (size_t i = 0; i < len; i++)
		records[i] = record_read(answer->lines[i]);
	return records;
}

const char *record_text(const struct record *record, const char *key)
{
	for (size_t i = 0; i < record->len; i++)
		if (strcmp(record->pairs[i].key, key) == 0)
			return record->pairs[i].value;
	return "";
}

double record_number(const struct record *record, const char *key)
{
	const char *text = record_text(record, key);
	char *end;
	double number = strtod(text, &end);

	return *text == '\0' || *end != '\0' ? (double)NAN : number;
}

bool record_true(const struct record *record, const char *key)
{
	return strcmp(record_text(record, key), "true") == 0;
}

const struct record *record_find(const struct record *records, size_t len, const char *about,
				 const char *name)
{
	for (size_t i = 0; i < len; i++)
		if (strcmp(records[i].about, about) == 0 &&
		    strcmp(record_text(&records[i], "name"), name) == 0)
			return &records[i];
	return NULL;
}
