/* SPDX-License-Identifier: MIT */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "formats/snmp/names.h"

const char *const rules_severities[] = { "ignore", "okay", "warning", "failure", NULL };

static const int severities[] = { 0, MC_OKAY, MC_WARNING, MC_FAILURE };

enum { IGNORE, OKAY, WARNING, FAILURE };

/* RFC 3418 and 2863; UPS: RFC 1628.  A failure and what ends it have one name,
 * so that notifications of both are about one thing. */
static const struct {
	const char *id, *name;
	int severity;
	const char *instances[3];
} standard[] = {
	{ "1.3.6.1.6.3.1.1.5.1", "start", WARNING, { 0 } },
	{ "1.3.6.1.6.3.1.1.5.2", "start", WARNING, { 0 } },
	{ "1.3.6.1.6.3.1.1.5.3", "link", FAILURE, { "ifName", "ifDescr", "ifIndex" } },
	{ "1.3.6.1.6.3.1.1.5.4", "link", OKAY, { "ifName", "ifDescr", "ifIndex" } },
	{ "1.3.6.1.6.3.1.1.5.5", "authentication", WARNING, { 0 } },
	{ "1.3.6.1.6.3.1.1.5.6", "egp", FAILURE, { 0 } },
	{ "1.3.6.1.2.1.33.2.1", "ups", FAILURE, { 0 } },
	{ "1.3.6.1.2.1.33.2.3", "ups-alarm", FAILURE, { "1.3.6.1.2.1.33.1.6.2.1.2" } },
	{ "1.3.6.1.2.1.33.2.4", "ups-alarm", OKAY, { "1.3.6.1.2.1.33.1.6.2.1.2" } },
};

#define STANDARD_LEN (sizeof(standard) / sizeof(*standard))

/* --- Making them ---------------------------------------------------------- */

static bool read_id(const char *text, struct mc_object_id *id, bool *below)
{
	size_t size = strlen(text);
	bool good, star = size > 2 && strcmp(text + size - 2, ".*") == 0;
	char *copy = mc_alloc_copy(text);

	if (star)
		copy[size - 2] = '\0';
	good = mc_snmp_find_name(copy, id);
	free(copy);
	*below = star;
	return good;
}

bool rules_know(const char *text, bool below)
{
	struct mc_object_id id;
	bool star;

	if (!read_id(text, &id, &star))
		return false;
	mc_object_id_done(&id);
	return below || !star;
}

static void add_instance(struct rule *rule, const char *text)
{
	bool below;

	if (text != NULL && read_id(text, &rule->instances[rule->instances_len], &below))
		rule->instances_len++;
}

static void add_standard(struct rules *rules)
{
	for (size_t i = 0; i < STANDARD_LEN; i++) {
		struct rule *rule = &rules->items[rules->len++];

		rule->name = standard[i].name;
		rule->severity = severities[standard[i].severity];
		read_id(standard[i].id, &rule->id, &rule->below);
		rule->instances = mc_alloc_array(3, sizeof(*rule->instances));
		for (size_t j = 0; j < 3; j++)
			add_instance(rule, standard[i].instances[j]);
	}
}

void rules_init(struct rules *rules, const struct rules_block *blocks, size_t len)
{
	rules->items = mc_alloc_array(len + STANDARD_LEN, sizeof(*rules->items));
	rules->len = 0;
	for (size_t i = 0; i < len; i++) {
		struct rule *rule = &rules->items[rules->len];

		if (!read_id(blocks[i].id, &rule->id, &rule->below))
			continue; /* check() has said so. */
		rules->len++;
		rule->name = blocks[i].name;
		rule->severity = severities[blocks[i].severity];
		rule->instances = mc_alloc_array(blocks[i].instance.len, sizeof(*rule->instances));
		for (size_t j = 0; j < blocks[i].instance.len; j++)
			add_instance(rule, blocks[i].instance.items[j]);
	}
	add_standard(rules);
}

void rules_done(struct rules *rules)
{
	for (size_t i = 0; i < rules->len; i++) {
		struct rule *rule = &rules->items[i];

		for (size_t j = 0; j < rule->instances_len; j++)
			mc_object_id_done(&rule->instances[j]);
		free(rule->instances);
		mc_object_id_done(&rule->id);
	}
	free(rules->items);
	*rules = (struct rules){ 0 };
}

/* --- Finding one ---------------------------------------------------------- */

static bool fits(const struct rule *rule, const struct mc_object_id *trap)
{
	if (rule->below ? trap->len <= rule->id.len : trap->len != rule->id.len)
		return false;
	return mc_object_id_begins(trap, &rule->id);
}

const struct rule *rules_find(const struct rules *rules, const struct mc_object_id *trap)
{
	for (size_t i = 0; i < rules->len; i++)
		if (fits(&rules->items[i], trap))
			return &rules->items[i];
	return NULL;
}
