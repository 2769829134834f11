/* SPDX-License-Identifier: MIT */
/* A chain of a user begins with an entry whose target is called "ERROR" and has the name of the
 * chain; one of a hook begins where the head of the table says.  The last entry of each chain is
 * its policy; the last one of the table is an "ERROR", too. */
#include "legacy_table.h"

#include <errno.h>
#include <linux/netfilter/x_tables.h>
#include <linux/netfilter/xt_comment.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6_tables.h>
#include <string.h>

#define MATCH_HEAD sizeof(struct xt_entry_match)

struct entry {
	const char *bytes;
	size_t head, target, size; /* Where matches, the target and the next entry begin. */
	struct xt_counters counters;
};

struct walk {
	const struct legacy_table *table;
	const struct legacy_table_visitor *visitor;
	bool is_wanted; /* The chain. */
	bool has_last;
	struct entry last; /* Of the chain: a rule if another one follows, else the policy. */
};

static bool read_entry(const struct legacy_table *table, size_t at, struct entry *entry)
{
	size_t rest = table->size - at;
	const char *bytes = table->entries + at;

	if (table->is_v6) {
		struct ip6t_entry six;

		if (rest < sizeof(six))
			return false;
		memcpy(&six, bytes, sizeof(six));
		*entry = (struct entry){ bytes, sizeof(six), six.target_offset, six.next_offset,
					 six.counters };
	} else {
		struct ipt_entry four;

		if (rest < sizeof(four))
			return false;
		memcpy(&four, bytes, sizeof(four));
		*entry = (struct entry){ bytes, sizeof(four), four.target_offset, four.next_offset,
					 four.counters };
	}
	return entry->head <= entry->target && entry->size <= rest &&
	       entry->target + sizeof(struct xt_entry_target) <= entry->size;
}

/* The name of the chain that begins with this entry; false if it is a rule. */
static bool read_head(const struct entry *entry, char name[XT_FUNCTION_MAXNAMELEN])
{
	struct xt_error_target error;

	if (entry->size - entry->target < sizeof(error))
		return false;
	memcpy(&error, entry->bytes + entry->target, sizeof(error));
	if (strncmp(error.target.u.user.name, XT_ERROR_TARGET, sizeof(error.target.u.user.name)) !=
	    0)
		return false;
	memcpy(name, error.errorname, XT_FUNCTION_MAXNAMELEN);
	name[XT_FUNCTION_MAXNAMELEN - 1] = '\0';
	return true;
}

static const char *hook_name(const struct legacy_table *table, size_t at)
{
	static const char *const names[LEGACY_TABLE_HOOKS] = { "PREROUTING", "INPUT", "FORWARD",
							       "OUTPUT", "POSTROUTING" };

	for (unsigned i = 0; i < LEGACY_TABLE_HOOKS; i++)
		if ((table->valid_hooks & 1U << i) != 0 && table->hook_entry[i] == at)
			return names[i];
	return NULL;
}

static bool read_rule(const struct entry *entry, struct rule *rule)
{
	size_t at = entry->head;

	*rule = (struct rule){ .bytes = entry->counters.bcnt, .packets = entry->counters.pcnt };
	while (at < entry->target) {
		struct xt_entry_match match;

		if (entry->target - at < MATCH_HEAD)
			return false;
		memcpy(&match, entry->bytes + at, MATCH_HEAD);
		if (match.u.match_size < MATCH_HEAD || match.u.match_size > entry->target - at)
			return false;
		if (strncmp(match.u.user.name, "comment", sizeof(match.u.user.name)) == 0 &&
		    rule->comments_len < RULE_COMMENTS_MAX) {
			struct rule_text *comment = &rule->comments[rule->comments_len++];

			comment->text = entry->bytes + at + MATCH_HEAD;
			comment->size = strnlen(comment->text, match.u.match_size - MATCH_HEAD);
		}
		at += match.u.match_size;
	}
	return true;
}

static void begin_chain(struct walk *walk, const char *name)
{
	walk->has_last = false;
	walk->is_wanted = walk->visitor->chain(walk->visitor->argument, name);
}

static bool take_entry(struct walk *walk, const struct entry *entry)
{
	struct rule rule;

	if (walk->has_last && walk->is_wanted) {
		if (!read_rule(&walk->last, &rule))
			return false;
		walk->visitor->rule(walk->visitor->argument, &rule);
	}
	walk->last = *entry;
	walk->has_last = true;
	return true;
}

int legacy_table_walk(const struct legacy_table *table, const struct legacy_table_visitor *visitor)
{
	struct walk walk = { .table = table, .visitor = visitor };
	char name[XT_FUNCTION_MAXNAMELEN];
	struct entry entry;

	for (size_t at = 0; at < table->size; at += entry.size) {
		const char *hook = hook_name(table, at);

		if (!read_entry(table, at, &entry))
			return -EBADMSG;
		if (read_head(&entry, name)) {
			if (at + entry.size == table->size)
				break; /* It ends the table. */
			begin_chain(&walk, name);
			continue;
		}
		if (hook != NULL)
			begin_chain(&walk, hook);
		if (!take_entry(&walk, &entry))
			return -EBADMSG;
	}
	return 0;
}
