/* SPDX-License-Identifier: MIT */
/* Reads types.db files, as types.db(5) describes them: one type per line, its
 * name, then its data sources, separated by blanks and optional commas. */
#include "model/types_db.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"

#define UNIT_SIZE 32
#define HELP_SIZE 512
#define NUMBER_SIZE 64
#define FIELD_SHOWN 40 /* Characters of a bad field in a message. */

struct span { /* A piece of the line. */
	const char *text;
	size_t size;
};

struct parser {
	struct type_set *set;
	struct problems *problems;
	const char *file;
	unsigned line;
	struct span text;    /* The rest of the line. */
	struct mc_type *row; /* With room for all sources. */
	char name[TYPE_NAME_SIZE];
	char names[MC_SOURCES_MAX][TYPE_SOURCE_SIZE]; /* Names of the sources. */
	/* Content of "#:" lines for the next row. */
	char unit[UNIT_SIZE], help[HELP_SIZE];
	unsigned described_in; /* Their first line, or 0. */
};

static struct place place_of(const struct parser *parser, const char *at)
{
	return (struct place){ .file = parser->file,
			       .line = parser->line,
			       .column = at - parser->text.text + 1 };
}

/* For "%.*s": the part of a field that a message shows. */
static int shown(struct span field)
{
	return field.size < FIELD_SHOWN ? field.size : FIELD_SHOWN;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

/* Cuts the next field off the line: up to a blank, or a comma if 'commas'. */
static struct span next_field(struct span *line, bool commas)
{
	struct span field;

	while (line->size > 0 && (is_blank(*line->text) || (commas && *line->text == ','))) {
		line->text++;
		line->size--;
	}
	field = (struct span){ line->text, 0 };
	while (line->size > 0 && !is_blank(*line->text) && !(commas && *line->text == ',')) {
		line->text++;
		line->size--;
		field.size++;
	}
	return field;
}

/* Cuts the part up to the next ':' off a field; the text of a part that is not there is NULL. */
static struct span next_part(struct span *field)
{
	struct span part = { field->text, field->size };
	const char *colon;

	if (field->text == NULL)
		return part;
	colon = memchr(field->text, ':', field->size);
	if (colon == NULL) {
		*field = (struct span){ NULL, 0 };
		return part;
	}
	part.size = colon - field->text;
	field->text += part.size + 1;
	field->size -= part.size + 1;
	return part;
}

static bool read_name(struct parser *parser, struct span name)
{
	struct place place = place_of(parser, name.text);

	if (name.size >= TYPE_NAME_SIZE) {
		problem_warn(parser->problems, place,
			     "the name of a type has at most %d characters, "
			     "this has %zu",
			     TYPE_NAME_SIZE - 1, name.size);
		return false;
	}
	for (size_t i = 0; i < name.size; i++) {
		if (is_word(name.text[i]) && name.text[i] != '-')
			continue;
		place = place_of(parser, name.text + i);
		if (name.text[i] == '-')
			problem_warn(parser->problems, place,
				     "type '%.*s' has a '-', which starts the "
				     "type instance; write '_'",
				     shown(name), name.text);
		else
			problem_warn(parser->problems, place,
				     "the name of a type has letters, digits "
				     "and '_' only");
		return false;
	}
	memcpy(parser->name, name.text, name.size);
	parser->name[name.size] = '\0';
	return true;
}

static bool read_source_name(struct parser *parser, struct span name, unsigned number)
{
	struct place place = place_of(parser, name.text);

	if (name.size == 0 || name.size >= TYPE_SOURCE_SIZE) {
		problem_warn(parser->problems, place,
			     "the name of a data source has 1 to %d "
			     "characters, as in RRD files, this has %zu",
			     TYPE_SOURCE_SIZE - 1, name.size);
		return false;
	}
	for (size_t i = 0; i < name.size; i++) {
		if (is_word(name.text[i]))
			continue;
		problem_warn(parser->problems, place_of(parser, name.text + i),
			     "the name of a data source has letters, digits, "
			     "'_' and '-' only");
		return false;
	}
	memcpy(parser->names[number], name.text, name.size);
	parser->names[number][name.size] = '\0';
	for (unsigned i = 0; i < number; i++) {
		if (strcmp(parser->names[i], parser->names[number]) != 0)
			continue;
		problem_warn(parser->problems, place, "data source '%s' appears twice",
			     parser->names[number]);
		return false;
	}
	return true;
}

static bool read_kind(struct parser *parser, struct span word, enum mc_kind *kind)
{
	for (int i = MC_COUNTER; i <= MC_ABSOLUTE; i++) {
		const char *name = type_kind_name(i);

		if (strlen(name) == word.size && strncasecmp(name, word.text, word.size) == 0) {
			*kind = i;
			return true;
		}
	}
	problem_warn(parser->problems, place_of(parser, word.text),
		     "kind '%.*s' is not one of GAUGE, DERIVE, COUNTER, ABSOLUTE", shown(word),
		     word.text);
	return false;
}

static bool read_bound(struct parser *parser, struct span word, double *bound)
{
	char text[NUMBER_SIZE], *end = text;

	if (word.size == 1 && (word.text[0] == 'U' || word.text[0] == 'u')) {
		*bound = NAN;
		return true;
	}
	if (word.size > 0 && word.size < sizeof(text)) {
		memcpy(text, word.text, word.size);
		text[word.size] = '\0';
		*bound = strtod(text, &end);
	}
	if (end == text || end != text + word.size || isnan(*bound)) {
		problem_warn(parser->problems, place_of(parser, word.text),
			     "'%.*s' is neither a number nor U (no bound)", shown(word), word.text);
		return false;
	}
	if (isinf(*bound))
		*bound = NAN;
	return true;
}

/* "name:KIND:min:max" */
static bool read_source(struct parser *parser, struct span field)
{
	unsigned number = parser->row->sources_len;
	struct span name, kind, min, max, rest = field;
	struct mc_source source;

	if (number == MC_SOURCES_MAX) {
		problem_warn(parser->problems, place_of(parser, field.text),
			     "a type has at most %d data sources", MC_SOURCES_MAX);
		return false;
	}
	name = next_part(&rest);
	kind = next_part(&rest);
	min = next_part(&rest);
	max = next_part(&rest);
	if (max.text == NULL || rest.text != NULL) {
		problem_warn(parser->problems, place_of(parser, field.text),
			     "'%.*s' is not a data source such as name:KIND:min:max", shown(field),
			     field.text);
		return false;
	}
	if (!read_source_name(parser, name, number) || !read_kind(parser, kind, &source.kind) ||
	    !read_bound(parser, min, &source.min) || !read_bound(parser, max, &source.max))
		return false;
	if (source.min >= source.max) {
		problem_warn(parser->problems, place_of(parser, min.text),
			     "the minimum is not below the maximum");
		return false;
	}
	source.name = parser->names[number];
	parser->row->sources[number] = source;
	parser->row->sources_len++;
	return true;
}

static bool same_bound(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool same_ranges(const struct mc_type *a, const struct mc_type *b)
{
	for (unsigned i = 0; i < a->sources_len; i++) {
		if (!same_bound(a->sources[i].min, b->sources[i].min) ||
		    !same_bound(a->sources[i].max, b->sources[i].max))
			return false;
	}
	return true;
}

/* Whether the row may replace 'old'; says what there is to say about it. */
static bool may_replace(struct parser *parser, const struct mc_type *old, const char *at)
{
	struct type_origin origin = type_set_origin(parser->set, old);
	bool same = type_same_sources(old, parser->row);
	struct place place = place_of(parser, at);

	if (origin.own && !same) {
		problem_warn(parser->problems, place,
			     "type '%s' is one of the collector's own and has "
			     "other data sources there; this line is ignored",
			     old->name);
		return false;
	}
	/* A changed range of an own type, or a repeated row, is not reported. */
	if ((origin.own && !origin.foreign) || (same && same_ranges(old, parser->row)))
		return true;
	problem_warn(parser->problems, place, "type '%s' replaces that of %s:%u", old->name,
		     origin.place.file == NULL ? "" : origin.place.file, origin.place.line);
	return true;
}

static void forget_description(struct parser *parser)
{
	parser->unit[0] = '\0';
	parser->help[0] = '\0';
	parser->described_in = 0;
}

static void read_row(struct parser *parser)
{
	struct span rest = parser->text, name = next_field(&rest, false), field;
	struct mc_type *type = parser->row;
	const struct mc_type *old;

	if (!read_name(parser, name))
		return;
	type->sources_len = 0;
	for (field = next_field(&rest, true); field.size > 0; field = next_field(&rest, true)) {
		if (!read_source(parser, field))
			return;
	}
	if (type->sources_len == 0) {
		problem_warn(parser->problems, place_of(parser, rest.text),
			     "type '%s' has no data source such as "
			     "name:KIND:min:max",
			     parser->name);
		return;
	}
	type->name = parser->name;
	type->unit = parser->unit;
	type->help = parser->help;
	old = type_set_find(parser->set, parser->name, name.size);
	if (old != NULL) {
		if (!may_replace(parser, old, name.text))
			return;
		if (type->unit[0] == '\0')
			type->unit = old->unit;
		if (type->help[0] == '\0')
			type->help = old->help;
	}
	type_set_add(parser->set, type, place_of(parser, name.text));
}

/* Adds a piece of text to a string in a buffer of 'room' bytes. */
static bool append(char *out, size_t room, struct span piece)
{
	size_t size = strlen(out);

	if (piece.size >= room - size)
		return false;
	memcpy(out + size, piece.text, piece.size);
	out[size + piece.size] = '\0';
	return true;
}

static struct span trim(struct span text)
{
	while (text.size > 0 && is_blank(text.text[0])) {
		text.text++;
		text.size--;
	}
	while (text.size > 0 && is_blank(text.text[text.size - 1]))
		text.size--;
	return text;
}

/* "#: [unit] One sentence" and, on the lines after it, "#: that goes on." */
static void read_description(struct parser *parser, struct span text)
{
	struct span unit = { NULL, 0 };
	const char *bracket;

	text = trim(text);
	if (!text_printable(text.text, text.size))
		goto bad;
	if (parser->described_in == 0) {
		bracket = memchr(text.text, ']', text.size);
		if (text.size == 0 || text.text[0] != '[' || bracket == NULL)
			goto bad;
		unit = (struct span){ text.text + 1, bracket - text.text - 1 };
		text.size -= unit.size + 2;
		text.text = bracket + 1;
		text = trim(text);
		parser->described_in = parser->line;
		if (!append(parser->unit, sizeof(parser->unit), trim(unit)))
			goto bad;
	} else if (!append(parser->help, sizeof(parser->help), (struct span){ " ", 1 })) {
		goto bad;
	}
	if (append(parser->help, sizeof(parser->help), text))
		return;
bad:
	problem_warn(parser->problems, place_of(parser, text.text),
		     "this is not a description such as '#: [unit] One sentence.'");
	forget_description(parser);
}

static void read_line(struct parser *parser)
{
	struct span text = trim(parser->text);

	if (text.size >= 2 && text.text[0] == '#' && text.text[1] == ':') {
		read_description(parser, (struct span){ text.text + 2, text.size - 2 });
		return;
	}
	if (text.size > 0 && text.text[0] != '#')
		read_row(parser);
	else if (parser->described_in != 0)
		problem_warn(parser->problems,
			     (struct place){ .file = parser->file, .line = parser->described_in },
			     "this describes no type: one must follow on the "
			     "next line");
	forget_description(parser);
}

void types_db_parse(struct type_set *set, const char *text, size_t size, const char *file,
		    struct problems *problems)
{
	struct parser *parser = alloc_zero(sizeof(*parser));

	parser->row = alloc_zero(sizeof(*parser->row) + MC_SOURCES_MAX * sizeof(struct mc_source));
	parser->set = set;
	parser->problems = problems;
	parser->file = file;
	while (size > 0) {
		const char *end = memchr(text, '\n', size);
		size_t line_size = end == NULL ? size : (size_t)(end - text);

		parser->line++;
		parser->text = (struct span){ text, line_size };
		read_line(parser);
		if (end != NULL)
			line_size++;
		text += line_size;
		size -= line_size;
	}
	free(parser->row);
	free(parser);
}

static int read_all(int fd, char **out, size_t *out_size)
{
	struct stat stat;
	size_t size = 0;
	ssize_t n = 1;
	char *text;

	if (fstat(fd, &stat) != 0)
		return -errno;
	if (!S_ISREG(stat.st_mode))
		return S_ISDIR(stat.st_mode) ? -EISDIR : -EINVAL;
	if (stat.st_size > TYPES_DB_SIZE_MAX)
		return -EFBIG;
	text = alloc_array(stat.st_size + 1, 1);
	while (n > 0 && size < (size_t)stat.st_size) {
		n = read(fd, text + size, stat.st_size - size);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			size += n;
	}
	if (n < 0) {
		int error = errno;

		free(text);
		return -error;
	}
	*out = text;
	*out_size = size;
	return 0;
}

int types_db_read(struct type_set *set, const char *path, struct problems *problems)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int error = fd < 0 ? -errno : 0;
	size_t size = 0;
	char *text = NULL;

	if (fd >= 0) {
		error = read_all(fd, &text, &size);
		close(fd);
	}
	if (error != 0) {
		problem_warn(problems, (struct place){ .file = path }, "cannot read the types: %s",
			     strerror(-error));
		return error;
	}
	types_db_parse(set, text, size, path, problems);
	free(text);
	return 0;
}
