/* SPDX-License-Identifier: MIT */
#include "finder.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/regex.h>

/* --- Rules with names ---------------------------------------------------- */

#define KEY_SIZE 1024

struct key { /* "host\0plugin\0plugin instance\0type\0type instance\0" */
	struct mc_map_node node;
	struct rules *rules;
	char text[];
};

/* Collectd's order; a part left out has no name in the key. */
static const struct kind {
	bool host, plugin, plugin_instance, type_instance;
} kinds[] = {
	{ true, true, true, true },    { true, true, true, false },
	{ true, true, false, true },   { true, true, false, false },
	{ true, false, false, true },  { true, false, false, false },
	{ false, true, true, true },   { false, true, true, false },
	{ false, true, false, true },  { false, true, false, false },
	{ false, false, false, true }, { false, false, false, false },
};
#define KINDS_LEN (sizeof(kinds) / sizeof(*kinds))

static size_t add_part(char *key, size_t at, const char *part)
{
	size_t size = part != NULL ? strlen(part) : 0;

	if (at + size + 1 > KEY_SIZE)
		size = KEY_SIZE - at - 1; /* No name is so long. */
	if (size > 0)
		memcpy(key + at, part, size);
	key[at + size] = '\0';
	return at + size + 1;
}

static size_t make_key(char key[KEY_SIZE + 8], const struct kind *kind, const struct mc_id *id)
{
	size_t at = add_part(key, 0, kind->host ? id->host : NULL);

	at = add_part(key, at, kind->plugin ? id->plugin : NULL);
	at = add_part(key, at, kind->plugin_instance ? id->plugin_instance : NULL);
	at = add_part(key, at, id->type);
	return add_part(key, at, kind->type_instance ? id->type_instance : NULL);
}

static bool has(const char *name)
{
	return name != NULL && *name != '\0';
}

static struct mc_id id_of(const struct rule *rule)
{
	return (struct mc_id){ rule->host, rule->plugin, rule->plugin_instance, rule->type,
			       rule->type_instance };
}

/* Which of the twelve its names make; KINDS_LEN: none, collectd never finds it either. */
static size_t kind_of(const struct rule *rule)
{
	size_t i = 0;

	while (i < KINDS_LEN &&
	       (kinds[i].host != has(rule->host) || kinds[i].plugin != has(rule->plugin) ||
		kinds[i].plugin_instance != has(rule->plugin_instance) ||
		kinds[i].type_instance != has(rule->type_instance)))
		i++;
	return i;
}

static struct rules *append(struct rules *rules, struct rule *rule)
{
	size_t len = rules != NULL ? rules->len : 0;
	struct rules *grown = mc_alloc_resize(rules, 1, sizeof(*grown) + (len + 1) * sizeof(rule));

	if (len == 0)
		*grown = (struct rules){ .len = 0 };
	grown->items[grown->len++] = rule;
	grown->has_trends |= rule->has_trend;
	grown->needs_times |= rule->needs_times;
	grown->has_shares |= rule->is_share;
	return grown;
}

void finder_add(struct finder *finder, struct rule *rule)
{
	size_t kind = kind_of(rule), size;
	struct mc_id id = id_of(rule);
	char text[KEY_SIZE + 8];
	struct key *key;

	if (kind == KINDS_LEN)
		return;
	size = make_key(text, &kinds[kind], &id);
	key = (struct key *)mc_map_find(&finder->keys, text, size);
	if (key == NULL) {
		key = mc_alloc_zero(sizeof(*key) + size);
		memcpy(key->text, text, size);
		key->node.key = key->text;
		key->node.key_size = size;
		mc_map_add(&finder->keys, &key->node);
	}
	key->rules = append(key->rules, rule);
	finder->kinds |= 1U << kind;
}

static const struct rules *find_key(const struct finder *finder, const struct mc_id *id)
{
	char text[KEY_SIZE + 8];

	for (size_t i = 0; i < KINDS_LEN; i++) {
		const struct key *key;
		size_t size;

		if ((finder->kinds >> i & 1) == 0)
			continue;
		size = make_key(text, &kinds[i], id);
		key = (const struct key *)mc_map_find(&finder->keys, text, size);
		if (key != NULL)
			return key->rules;
	}
	return NULL;
}

/* --- Patterns ------------------------------------------------------------- */

#define COLUMNS 5
#define BITS 64

struct pattern { /* Of a rule, for one part of a name. */
	size_t rule;
	const char *glob;       /* Or, if it is NULL: */
	struct mc_regex *regex; /* (a copy for each, freed) */
	size_t plain;           /* Bytes of the glob before its first *?[\ */
	bool whole;             /* It has none of these. */
};

struct column {
	struct pattern *items;
	size_t len;
	bool remembered; /* Its values come again and again. */
	char *value;     /* The last one; NULL: none yet. */
	uint64_t *bits;  /* The rules that may match it; remembered only. */
};

static const char *part_of(const struct mc_id *id, unsigned column)
{
	const char *parts[COLUMNS] = { id->type, id->plugin, id->host, id->plugin_instance,
				       id->type_instance };

	return parts[column] != NULL ? parts[column] : "";
}

const char *finder_fault(const char *pattern, char *reason, size_t size)
{
	struct mc_regex *regex;
	char why[128] = "";

	if (pattern == NULL || !mc_regex_in_slashes(pattern))
		return NULL;
	regex = mc_regex_new_in_slashes(pattern, why, sizeof(why));
	mc_regex_free(regex);
	if (regex != NULL)
		return NULL;
	snprintf(reason, size, "is an invalid regular expression: %s", why);
	return reason;
}

void finder_add_pattern(struct finder *finder, struct rule *rule)
{
	finder->patterns = mc_alloc_resize(finder->patterns, finder->patterns_len + 1,
					   sizeof(*finder->patterns));
	finder->patterns[finder->patterns_len++] = rule;
}

static int add_to_column(struct column *column, struct mc_ctx *ctx, size_t rule, const char *text)
{
	struct pattern *pattern;
	char reason[160] = "";

	column->items = mc_alloc_resize(column->items, column->len + 1, sizeof(*column->items));
	pattern = &column->items[column->len++];
	*pattern = (struct pattern){ .rule = rule };
	if (!mc_regex_in_slashes(text)) {
		pattern->glob = text;
		pattern->plain = strcspn(text, "*?[\\");
		pattern->whole = text[pattern->plain] == '\0';
		return 0;
	}
	pattern->regex = mc_regex_new_in_slashes(text, reason, sizeof(reason));
	if (pattern->regex == NULL)
		return mc_fail(ctx, 0, "cannot use the expression '%s': %s", text, reason);
	return 0;
}

static size_t words_len(const struct finder *finder)
{
	return (finder->patterns_len + BITS - 1) / BITS;
}

int finder_start(struct finder *finder, struct mc_ctx *ctx)
{
	int rc = 0;

	finder->columns = mc_alloc_array(COLUMNS, sizeof(*finder->columns));
	for (unsigned c = 0; c < COLUMNS; c++) {
		finder->columns[c].remembered = c < 3;
		finder->columns[c].bits = mc_alloc_array(words_len(finder), sizeof(uint64_t));
	}
	for (size_t i = 0; i < finder->patterns_len && rc == 0; i++) {
		struct mc_id id = id_of(finder->patterns[i]);

		for (unsigned c = 0; c < COLUMNS && rc == 0; c++)
			if (*part_of(&id, c) != '\0')
				rc = add_to_column(&finder->columns[c], ctx, i, part_of(&id, c));
	}
	return rc;
}

struct list { /* Of rules of patterns, by which they are. */
	struct mc_map_node node;
	struct rules *rules; /* NULL: none. */
	uint64_t bits[];
};

static void free_lists(struct finder *finder)
{
	struct mc_map_node *next, *node;

	for (node = mc_map_next(&finder->lists, NULL); node != NULL; node = next) {
		next = mc_map_next(&finder->lists, node);
		mc_map_remove(&finder->lists, node);
		free(((struct list *)node)->rules);
		free(node);
	}
	for (node = mc_map_next(&finder->keys, NULL); node != NULL; node = next) {
		next = mc_map_next(&finder->keys, node);
		mc_map_remove(&finder->keys, node);
		free(((struct key *)node)->rules);
		free(node);
	}
	mc_map_done(&finder->lists);
	mc_map_done(&finder->keys);
}

void finder_stop(struct finder *finder)
{
	for (unsigned c = 0; finder->columns != NULL && c < COLUMNS; c++) {
		struct column *column = &finder->columns[c];

		for (size_t i = 0; i < column->len; i++)
			mc_regex_free(column->items[i].regex);
		free(column->items);
		free(column->value);
		free(column->bits);
	}
	free_lists(finder);
	free(finder->columns);
	free(finder->patterns);
	*finder = (struct finder){ .kinds = 0 };
}

static bool matches(const struct pattern *pattern, const char *value)
{
	if (pattern->glob == NULL)
		return mc_regex_match(pattern->regex, value, strlen(value)) == 1;
	if (pattern->whole)
		return strcmp(pattern->glob, value) == 0;
	return strncmp(pattern->glob, value, pattern->plain) == 0 &&
	       fnmatch(pattern->glob, value, 0) == 0;
}

static bool get(const uint64_t *bits, size_t i)
{
	return (bits[i / BITS] >> i % BITS & 1) != 0;
}

static void clear(uint64_t *bits, size_t i)
{
	bits[i / BITS] &= ~(UINT64_C(1) << i % BITS);
}

/* The result for the last value of a column, computed again if it has changed. */
static const uint64_t *look_up(const struct finder *finder, struct column *column,
			       const char *value)
{
	if (column->value != NULL && strcmp(column->value, value) == 0)
		return column->bits;
	free(column->value);
	column->value = mc_alloc_copy(value);
	memset(column->bits, 0xff, words_len(finder) * sizeof(uint64_t));
	for (size_t i = 0; i < column->len; i++)
		if (!matches(&column->items[i], value))
			clear(column->bits, column->items[i].rule);
	return column->bits;
}

static void match_column(const struct finder *finder, struct column *column, const char *value,
			 uint64_t *bits)
{
	const uint64_t *known;

	if (column->len == 0)
		return;
	if (!column->remembered) { /* Only for the rules that are left. */
		for (size_t i = 0; i < column->len; i++)
			if (get(bits, column->items[i].rule) && !matches(&column->items[i], value))
				clear(bits, column->items[i].rule);
		return;
	}
	known = look_up(finder, column, value);
	for (size_t i = 0; i < words_len(finder); i++)
		bits[i] &= known[i];
}

/* The list of the rules of some bits, which is made if it is new. */
static const struct rules *list_of(struct finder *finder, const uint64_t *bits)
{
	size_t size = words_len(finder) * sizeof(*bits);
	struct list *list = (struct list *)mc_map_find(&finder->lists, bits, size);

	if (list != NULL)
		return list->rules;
	list = mc_alloc_zero(sizeof(*list) + size);
	memcpy(list->bits, bits, size);
	list->node.key = list->bits;
	list->node.key_size = size;
	for (size_t i = 0; i < finder->patterns_len; i++)
		if (get(bits, i))
			list->rules = append(list->rules, finder->patterns[i]);
	mc_map_add(&finder->lists, &list->node);
	return list->rules;
}

#define WORDS_MAX 64 /* 4096 rules on the stack; more are on the heap. */

static const struct rules *find_pattern(struct finder *finder, const struct mc_id *id)
{
	size_t len = words_len(finder);
	uint64_t small[WORDS_MAX];
	uint64_t *bits = small, *large = NULL;
	const struct rules *rules;

	if (len > WORDS_MAX)
		bits = large = mc_alloc(len * sizeof(*bits));
	memset(bits, 0, len * sizeof(*bits));
	for (size_t i = 0; i < finder->patterns_len; i++)
		bits[i / BITS] |= UINT64_C(1) << i % BITS;
	for (unsigned c = 0; c < COLUMNS; c++)
		match_column(finder, &finder->columns[c], part_of(id, c), bits);
	rules = list_of(finder, bits);
	free(large);
	return rules;
}

const struct rules *finder_find(struct finder *finder, const struct mc_id *id)
{
	const struct rules *rules = find_key(finder, id);

	if (rules != NULL || finder->patterns_len == 0)
		return rules;
	return find_pattern(finder, id);
}
