/* SPDX-License-Identifier: MIT */
#include "formats/rrd/pnp_single.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>

#include "formats/rrd/pnp_xml.h"

/* --- The head of an RRD file ---------------------------------------------- */

enum {
	COOKIE_SIZE = 4, /* "RRD" */
	FLOAT_AT = 16,   /* A double that shows its byte order, */
	SOURCES_AT = 24, /* and of an unsigned long, how many there are. */
	HEAD_SIZE = 128,
	SOURCE_SIZE = 120, /* A name and a kind of 20 bytes each, and more. */
	WORD_SIZE = 20,
};
static const double float_cookie = 8.642135E130;

static bool kind_of(const char word[WORD_SIZE], enum mc_kind *kind)
{
	static const struct {
		char name[WORD_SIZE];
		enum mc_kind kind;
	} kinds[] = {
		{ "GAUGE", MC_GAUGE },
		{ "DERIVE", MC_DERIVE },
		{ "COUNTER", MC_COUNTER },
		{ "ABSOLUTE", MC_ABSOLUTE },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strncmp(word, kinds[i].name, WORD_SIZE) != 0)
			continue;
		*kind = kinds[i].kind;
		return true;
	}
	return false;
}

bool mc_pnp_single_read(const void *head, size_t size, struct mc_pnp_single *file)
{
	const char *at = head;
	uint64_t sources_len;
	double cookie;

	if (size < HEAD_SIZE || memcmp(at, "RRD", COOKIE_SIZE) != 0)
		return false;
	memcpy(&cookie, at + FLOAT_AT, sizeof(cookie));
	memcpy(&sources_len, at + SOURCES_AT, sizeof(sources_len));
	if (cookie != float_cookie || sources_len == 0 || sources_len > MC_SOURCES_MAX ||
	    size < HEAD_SIZE + sources_len * SOURCE_SIZE)
		return false;
	at += HEAD_SIZE;
	for (unsigned i = 0; i < sources_len; i++, at += SOURCE_SIZE) {
		char name[WORD_SIZE] = "";

		snprintf(name, sizeof(name), "%u", i + 1);
		if (strncmp(at, name, WORD_SIZE) != 0 || !kind_of(at + WORD_SIZE, &file->kinds[i]))
			return false;
	}
	file->sources_len = (unsigned)sources_len;
	return true;
}

/* --- The labels ----------------------------------------------------------- */

/* Writes a label as PNP has it in names of files. */
static void clean(const char *label, char *out, size_t size)
{
	size_t used = 0;

	for (; *label != '\0' && used < size - 1; label++)
		if (*label != '"' && *label != '\'')
			out[used++] = strchr("& :/\\", *label) != NULL ? '_' : *label;
	out[used] = '\0';
}

/* Takes the next data source: its number, and whether it is of that label. */
static bool take_source(const char **at, const char *end, const char *label, uint64_t *number,
			bool *found)
{
	const char *inside, *name, *text;
	size_t size, name_size, text_size;
	char digits[8];

	inside = mc_pnp_xml_element(at, end, "DATASOURCE", &size);
	if (inside == NULL)
		return false;
	text = inside;
	name = mc_pnp_xml_element(&text, inside + size, "NAME", &name_size);
	text = inside;
	text = mc_pnp_xml_element(&text, inside + size, "DS", &text_size);
	*number = 0;
	if (name == NULL || text == NULL || text_size >= sizeof(digits))
		return true;
	snprintf(digits, sizeof(digits), "%.*s", (int)text_size, text);
	if (!mc_number_unsigned(digits, 10, MC_SOURCES_MAX, number))
		*number = 0;
	*found = name_size == strlen(label) && memcmp(name, label, name_size) == 0;
	return true;
}

/* Whether the update before the text succeeded: else it may name labels that are not in the
 * file. */
static bool was_good(const char *xml)
{
	const char *end = xml + strlen(xml), *inside, *code;
	size_t size, code_size;

	inside = mc_pnp_xml_element(&xml, end, "RRD", &size);
	if (inside == NULL)
		return false;
	code = inside;
	code = mc_pnp_xml_element(&code, inside + size, "RC", &code_size);
	return code != NULL && code_size == 1 && *code == '0';
}

int mc_pnp_single_source(const char *xml, unsigned sources_len, const char *label,
			 char why[static MC_PNP_SINGLE_WHY])
{
	const char *at = xml, *end = xml + strlen(xml);
	char cleaned[256];
	unsigned len = 0;
	int source = -1;
	uint64_t number;
	bool found = false;

	clean(label, cleaned, sizeof(cleaned));
	for (; take_source(&at, end, cleaned, &number, &found); found = false) {
		if (number != ++len || (found && source >= 0)) {
			snprintf(why, MC_PNP_SINGLE_WHY,
				 "its .xml has its labels in another order, or "
				 "twice");
			return -1;
		}
		if (found)
			source = (int)number - 1;
	}
	if (len != sources_len || !was_good(xml)) {
		snprintf(why, MC_PNP_SINGLE_WHY,
			 "its .xml is of another update than its %u sources", sources_len);
		return -1;
	}
	if (source < 0)
		why[0] = '\0';
	return source;
}

/* --- Rows ----------------------------------------------------------------- */

struct mc_pnp_row *mc_pnp_row_new(const struct mc_pnp_single *single, void *file)
{
	struct mc_pnp_row *row =
		mc_alloc_zero(sizeof(*row) + single->sources_len * sizeof(*row->values));

	row->file = file;
	row->sources_len = single->sources_len;
	return row;
}

void mc_pnp_row_set(struct mc_pnp_row *row, const struct mc_rrd_layout *layout, int64_t second,
		    unsigned source, union mc_value value)
{
	for (unsigned i = 0; row->second == 0 && i < row->sources_len; i++) {
		if (layout->sources[i].kind == MC_GAUGE)
			row->values[i].gauge = NAN;
		else
			row->values[i].derive = MC_RRD_MISSING;
	}
	row->second = second;
	row->values[source] = value;
}
