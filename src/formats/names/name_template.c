/* SPDX-License-Identifier: MIT */
/* Facts: telegraf's documentation of templates. */
#include "formats/names/name_template.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/names/name_shipped.h"
#include "kit/base/decimal.h"
#include <collector/kit/alloc.h>

enum part {
	HOST,
	PLUGIN,
	PLUGIN_INSTANCE,
	TYPE,
	TYPE_INSTANCE,
	SOURCE,
	PARTS,
	PLUGIN_AND_INSTANCE = PARTS,
	TYPE_AND_INSTANCE,
	SKIP,
	NO_PART,
};

static const char *const part_names[] = {
	"host",          "plugin", "plugin_instance",     "type",
	"type_instance", "source", "plugin_and_instance", "type_and_instance",
	"skip",
};

struct assignment { /* PART=VALUE, or PART=$TAG. */
	enum part part;
	bool is_tag;
	const char *value;
};

enum { WORDS_MAX = 32, ASSIGNMENTS_MAX = 16 };

struct rule {
	char *text; /* All texts below lie in it. */
	const char *filter[WORDS_MAX];
	size_t filter_len, filter_rest; /* Where "**" is; SIZE_MAX: nowhere. */
	enum part words[WORDS_MAX];
	size_t words_len, words_rest; /* The same for the word with '*'. */
	struct assignment assignments[ASSIGNMENTS_MAX];
	size_t assignments_len;
	mc_time interval;
	enum mc_limit limit;
	enum mc_name_check check;
};

struct mc_name_templates {
	struct rule *rules;
	size_t len;
};

/* --- Reading templates ---------------------------------------------------- */

static enum part find_part(const char *name, size_t size)
{
	for (size_t i = 0; i < sizeof(part_names) / sizeof(*part_names); i++)
		if (strlen(part_names[i]) == size && memcmp(part_names[i], name, size) == 0)
			return (enum part)i;
	return NO_PART;
}

/* Cuts the next component off, or NULL. */
static char *cut(char **rest, char separator)
{
	char *start = *rest, *end;

	if (start == NULL)
		return NULL;
	end = strchr(start, separator);
	if (end != NULL)
		*end++ = '\0';
	*rest = end;
	return start;
}

/* These return what is wrong, or NULL. */
static const char *read_filter(struct rule *rule, char *text)
{
	const char *component;

	rule->filter_rest = SIZE_MAX;
	while ((component = cut(&text, '.')) != NULL) {
		if (rule->filter_len == WORDS_MAX)
			return "its filter is too long";
		if (strcmp(component, "**") == 0) {
			if (rule->filter_rest != SIZE_MAX)
				return "its filter has '**' twice";
			rule->filter_rest = rule->filter_len;
		}
		rule->filter[rule->filter_len++] = component;
	}
	return NULL;
}

static const char *read_words(struct rule *rule, char *text)
{
	const char *word;

	rule->words_rest = SIZE_MAX;
	while ((word = cut(&text, '.')) != NULL) {
		size_t size = strlen(word);
		enum part part;

		if (rule->words_len == WORDS_MAX)
			return "it has too many words";
		if (size > 0 && word[size - 1] == '*') {
			if (rule->words_rest != SIZE_MAX)
				return "two of its words end with '*'";
			rule->words_rest = rule->words_len;
			size--;
		}
		part = size == 0 ? SKIP : find_part(word, size);
		if (part == NO_PART)
			return "a word is not one of host, plugin, plugin_instance, type, "
			       "type_instance, source, "
			       "plugin_and_instance, type_and_instance, skip";
		rule->words[rule->words_len++] = part;
	}
	return NULL;
}

static const char *read_interval(struct rule *rule, const char *value)
{
	double seconds;

	if (!mc_decimal_read(value, strlen(value), &seconds) || seconds < 0.001 || seconds > 86400)
		return "its interval is not a number of seconds up to a day";
	rule->interval = (mc_time)(seconds * (double)MC_SECOND);
	return NULL;
}

static const char *read_limit(struct rule *rule, const char *value)
{
	static const char *const names[] = {
		[MC_LIMIT_WARNING] = "warning",
		[MC_LIMIT_FAILURE] = "failure",
		[MC_LIMIT_MIN] = "min",
		[MC_LIMIT_MAX] = "max",
	};

	for (size_t i = MC_LIMIT_WARNING; i <= MC_LIMIT_MAX; i++)
		if (strcmp(value, names[i]) == 0)
			rule->limit = (enum mc_limit)i;
	return rule->limit != MC_LIMIT_NONE ? NULL
					    : "its limit is not warning, failure, min or max";
}

static const char *read_check(struct rule *rule, const char *value)
{
	static const char *const names[] = {
		[MC_NAME_CHECK_STATE] = "state",
		[MC_NAME_CHECK_HOST] = "host_state",
		[MC_NAME_CHECK_TYPE] = "state_type",
	};

	for (size_t i = MC_NAME_CHECK_STATE; i <= MC_NAME_CHECK_TYPE; i++)
		if (strcmp(value, names[i]) == 0)
			rule->check = (enum mc_name_check)i;
	return rule->check != MC_NAME_CHECK_NONE
		       ? NULL
		       : "its check is not state, host_state or state_type";
}

static const char *read_assignment(struct rule *rule, char *text)
{
	const char *name = text;
	char *value = strchr(text, '=');
	struct assignment *made = &rule->assignments[rule->assignments_len];

	if (value == NULL)
		return "after its words is something without '='";
	*value++ = '\0';
	if (strcmp(name, "interval") == 0)
		return read_interval(rule, value);
	if (strcmp(name, "limit") == 0)
		return read_limit(rule, value);
	if (strcmp(name, "check") == 0)
		return read_check(rule, value);
	if (rule->assignments_len == ASSIGNMENTS_MAX)
		return "it sets too much";
	made->part = find_part(name, strlen(name));
	if (made->part >= PARTS)
		return "it sets something that is not a part of a name";
	made->is_tag = *value == '$';
	made->value = value + made->is_tag;
	rule->assignments_len++;
	return *made->value != '\0' ? NULL : "it sets a part to nothing";
}

static const char *read_rule(struct rule *rule, const char *line)
{
	const char *why;
	char *rest, *word;

	rule->text = mc_alloc_copy(line);
	rest = rule->text + strspn(rule->text, " \t");
	for (char *at = rest; *at != '\0'; at++)
		if (*at == '\t')
			*at = ' ';
	word = cut(&rest, ' ');
	why = read_filter(rule, word);
	while (why == NULL && (word = cut(&rest, ' ')) != NULL) {
		if (*word == '\0')
			continue;
		why = rule->words_len == 0 ? read_words(rule, word) : read_assignment(rule, word);
	}
	if (why == NULL && rule->words_len == 0)
		why = "it has a filter and no words";
	return why;
}

static const char *add_rule(struct mc_name_templates *templates, const char *line)
{
	struct rule *rule;

	templates->rules =
		mc_alloc_resize(templates->rules, templates->len + 1, sizeof(*templates->rules));
	rule = &templates->rules[templates->len++];
	*rule = (struct rule){ 0 };
	return read_rule(rule, line);
}

static const char *add_shipped(struct mc_name_templates *templates, const char *name)
{
	const char *why = NULL;

	for (size_t i = 0; i < sizeof(name_shipped) / sizeof(*name_shipped); i++) {
		if (strcmp(name_shipped[i].name, name) != 0)
			continue;
		for (size_t j = 0; j < NAME_SHIPPED_MAX && why == NULL; j++)
			if (name_shipped[i].lines[j] != NULL)
				why = add_rule(templates, name_shipped[i].lines[j]);
		return why;
	}
	return "it is neither a filter and words nor 'collectd', 'icinga2' or "
	       "'icinga2_influxdb'";
}

struct mc_name_templates *mc_name_templates_new(const struct mc_strings *lines, size_t *wrong,
						char *reason, size_t reason_size)
{
	struct mc_name_templates *made = mc_alloc_zero(sizeof(*made));
	const char *why = NULL;

	for (size_t i = 0; i < lines->len && why == NULL; i++) {
		const char *line = lines->items[i];

		*wrong = i;
		why = strpbrk(line, " \t") == NULL ? add_shipped(made, line) : add_rule(made, line);
	}
	if (why == NULL)
		return made;
	snprintf(reason, reason_size, "%s", why);
	mc_name_templates_free(made);
	return NULL;
}

void mc_name_templates_free(struct mc_name_templates *templates)
{
	for (size_t i = 0; templates != NULL && i < templates->len; i++)
		free(templates->rules[i].text);
	if (templates != NULL)
		free(templates->rules);
	free(templates);
}

/* --- A path --------------------------------------------------------------- */

struct piece {
	const char *at;
	size_t size;
};

struct tag {
	struct piece name, value;
	bool taken;
};

struct split { /* A path, and the name that is made of it. */
	struct piece components[MC_NAME_COMPONENTS_MAX];
	size_t components_len;
	struct tag tags[MC_NAME_TAGS_MAX];
	size_t tags_len;
	struct mc_name_made *made;
	bool fits;
};

static bool split_tags(struct split *split, const char *at, const char *end)
{
	while (at < end) {
		const char *stop = memchr(at, ';', (size_t)(end - at)), *equals;
		struct tag *tag = &split->tags[split->tags_len];

		if (stop == NULL)
			stop = end;
		equals = memchr(at, '=', (size_t)(stop - at));
		if (equals == NULL || equals == at || equals + 1 == stop ||
		    split->tags_len == MC_NAME_TAGS_MAX)
			return false;
		*tag = (struct tag){
			.name = { at, (size_t)(equals - at) },
			.value = { equals + 1, (size_t)(stop - equals - 1) },
		};
		split->tags_len++;
		at = stop + 1;
	}
	return true;
}

/* As carbon, several dots are one. */
static bool split_path(struct split *split, const char *path, size_t size)
{
	const char *end = path + size, *tags = memchr(path, ';', size);
	const char *at = path;

	if (tags != NULL && !split_tags(split, tags + 1, end))
		return false;
	if (tags != NULL)
		end = tags;
	while (at < end) {
		const char *stop = memchr(at, '.', (size_t)(end - at));

		if (stop == NULL)
			stop = end;
		if (stop > at) {
			if (split->components_len == MC_NAME_COMPONENTS_MAX)
				return false;
			split->components[split->components_len++] =
				(struct piece){ at, (size_t)(stop - at) };
		}
		at = stop + 1;
	}
	return split->components_len > 0;
}

static struct tag *find_tag(struct split *split, const char *name)
{
	size_t size = strlen(name);

	for (size_t i = 0; i < split->tags_len; i++) {
		struct tag *tag = &split->tags[i];

		if (tag->name.size == size && memcmp(tag->name.at, name, size) == 0)
			return tag;
	}
	return NULL;
}

/* --- The name ------------------------------------------------------------- */

static char *part_of(struct mc_name_made *made, enum part part)
{
	char *const parts[PARTS] = {
		[HOST] = made->host,
		[PLUGIN] = made->plugin,
		[PLUGIN_INSTANCE] = made->plugin_instance,
		[TYPE] = made->type,
		[TYPE_INSTANCE] = made->type_instance,
		[SOURCE] = made->source,
	};

	return parts[part];
}

/* Appends a piece, after the separator if the text is not empty. */
static void append(struct split *split, enum part part, const char *separator, struct piece piece)
{
	char *text = part_of(split->made, part);
	size_t size = strlen(text), more = size > 0 ? strlen(separator) : 0;

	if (memchr(piece.at, '\0', piece.size) != NULL ||
	    size + more + piece.size >= MC_NAME_PART_SIZE) {
		split->fits = false;
		return;
	}
	memcpy(text + size, separator, more);
	memcpy(text + size + more, piece.at, piece.size);
	text[size + more + piece.size] = '\0';
}

/* "cpu-0": "cpu", "0". */
static void append_split(struct split *split, enum part name, struct piece piece)
{
	const char *dash = memchr(piece.at, '-', piece.size);
	size_t size = dash != NULL ? (size_t)(dash - piece.at) : piece.size;

	if (size == 0 || size + 1 >= piece.size) {
		append(split, name, ".", piece);
		return;
	}
	append(split, name, ".", (struct piece){ piece.at, size });
	append(split, name + 1, ".", (struct piece){ dash + 1, piece.size - size - 1 });
}

static void take(struct split *split, enum part word, struct piece piece)
{
	if (word == PLUGIN_AND_INSTANCE)
		append_split(split, PLUGIN, piece);
	else if (word == TYPE_AND_INSTANCE)
		append_split(split, TYPE, piece);
	else if (word != SKIP)
		append(split, word, ".", piece);
}

static void assign(struct split *split, const struct rule *rule)
{
	for (size_t i = 0; i < rule->assignments_len; i++) {
		const struct assignment *one = &rule->assignments[i];
		struct tag *tag;

		if (!one->is_tag) {
			append(split, one->part, ".",
			       (struct piece){ one->value, strlen(one->value) });
			continue;
		}
		tag = find_tag(split, one->value);
		if (tag == NULL)
			continue;
		append(split, one->part, ".", tag->value);
		tag->taken = true;
	}
	split->made->interval = rule->interval;
	split->made->limit = rule->limit;
	split->made->check = rule->check;
}

/* The word for component 'number' of 'len'. */
static enum part word_of(const struct rule *rule, size_t number, size_t len)
{
	size_t behind;

	if (rule->words_rest == SIZE_MAX || number < rule->words_rest)
		return number < rule->words_len ? rule->words[number] : TYPE_INSTANCE;
	behind = rule->words_len - rule->words_rest - 1;
	if (len - number <= behind && len > rule->words_rest + behind)
		return rule->words[rule->words_len - (len - number)];
	return rule->words[rule->words_rest];
}

static bool matches(const char *pattern, struct piece piece)
{
	char text[MC_NAME_PART_SIZE];

	if (strcmp(pattern, "*") == 0)
		return true;
	if (piece.size >= sizeof(text))
		return false;
	memcpy(text, piece.at, piece.size);
	text[piece.size] = '\0';
	return strpbrk(pattern, "*?[\\") != NULL ? fnmatch(pattern, text, 0) == 0
						 : strcmp(pattern, text) == 0;
}

static bool is_for(const struct rule *rule, const struct split *split)
{
	size_t len = split->components_len, front = rule->filter_len, back = 0;

	if (len < rule->filter_len)
		return false;
	if (rule->filter_rest != SIZE_MAX) {
		front = rule->filter_rest;
		back = rule->filter_len - front - 1;
	}
	for (size_t i = 0; i < front; i++)
		if (!matches(rule->filter[i], split->components[i]))
			return false;
	for (size_t i = 0; i < back; i++)
		if (!matches(rule->filter[rule->filter_len - 1 - i],
			     split->components[len - 1 - i]))
			return false;
	return true;
}

/* --- Tags ----------------------------------------------------------------- */

/* A tag for a part that the template has not made. */
static void take_tag(struct split *split, const char *name, enum part part)
{
	struct tag *tag = find_tag(split, name);

	if (tag == NULL || tag->taken || *part_of(split->made, part) != '\0')
		return;
	append(split, part, ".", tag->value);
	tag->taken = true;
}

static int compare_pieces(const struct piece *a, const struct piece *b)
{
	int order = memcmp(a->at, b->at, a->size < b->size ? a->size : b->size);

	return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

static int compare_tags(const void *a, const void *b)
{
	const struct tag *first = a, *second = b;
	int order = compare_pieces(&first->name, &second->name);

	return order != 0 ? order : compare_pieces(&first->value, &second->value);
}

/* Unused parts keep two series distinct. */
static void append_tags(struct split *split)
{
	qsort(split->tags, split->tags_len, sizeof(*split->tags), compare_tags);
	for (size_t i = 0; i < split->tags_len; i++) {
		const struct tag *tag = &split->tags[i];

		if (tag->taken)
			continue;
		append(split, TYPE_INSTANCE, ",", tag->name);
		append(split, TYPE_INSTANCE, "=", tag->value);
	}
}

/* As collectd's write_graphite sends them: the path repeats what they say. */
static bool has_parts(struct split *split)
{
	return find_tag(split, "plugin") != NULL && find_tag(split, "host") != NULL;
}

static void take_parts(struct split *split)
{
	take_tag(split, "host", HOST);
	for (enum part part = PLUGIN; part < SOURCE; part++)
		take_tag(split, part_names[part], part);
	take_tag(split, "ds_name", SOURCE);
	/* A type that is the plugin has no tag: DropDuplicateFields. */
	if (split->made->type[0] == '\0')
		memcpy(split->made->type, split->made->plugin, sizeof(split->made->type));
}

/* --- All of it ------------------------------------------------------------ */

static void take_components(struct split *split, const struct rule *rule)
{
	size_t len = split->components_len;

	assign(split, rule);
	for (size_t i = 0; i < len; i++)
		take(split, word_of(rule, i, len), split->components[i]);
}

/* No template is for it. */
static void take_default(struct split *split)
{
	size_t first = 0;

	take_tag(split, "host", HOST);
	if (split->made->host[0] == '\0' && split->components_len > 1)
		take(split, HOST, split->components[first++]);
	for (; first < split->components_len; first++)
		take(split, TYPE_INSTANCE, split->components[first]);
}

bool mc_name_make(const struct mc_name_templates *templates, const char *path, size_t size,
		  struct mc_name_made *made)
{
	struct split split;
	size_t i = 0;

	split.components_len = split.tags_len = 0;
	split.made = made;
	split.fits = true;
	made->host[0] = made->plugin[0] = made->plugin_instance[0] = '\0';
	made->type[0] = made->type_instance[0] = made->source[0] = '\0';
	made->interval = 0;
	made->limit = MC_LIMIT_NONE;
	made->check = MC_NAME_CHECK_NONE;
	if (!split_path(&split, path, size))
		return false;
	while (i < templates->len && !is_for(&templates->rules[i], &split))
		i++;
	if (i < templates->len)
		take_components(&split, &templates->rules[i]);
	else if (has_parts(&split))
		take_parts(&split);
	else
		take_default(&split);
	take_tag(&split, "host", HOST);
	append_tags(&split);
	return split.fits;
}
