/* SPDX-License-Identifier: MIT */
#include "chains.h"

#include <collector/kit/alloc.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/netfilter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLANKS " \t\r\n"
#define WORDS 4
#define TRIES 5 /* Of a chain that is changed while it is read. */

struct line {
	struct counters_place place;
	size_t number;       /* 0: by comment. */
	const char *comment; /* NULL: any. */
	const char *name;    /* NULL: the comment, or the number. */
	char *text;          /* Of the words. */
};

struct chain { /* Where several lines of the configuration may look. */
	bool is_v6;
	const char *table, *name; /* Of its first line. */
	char *instance;
	struct line *lines;
	size_t len, size;
	size_t rules;  /* Met in this read. */
	bool is_there; /* In this read. */
};

/* --- Lines ---------------------------------------------------------------------------------- */

bool chains_split(const struct chains_option *option, struct chains_option *out)
{
	const char *given[WORDS] = { option->table, option->chain, option->rule, option->name };
	char *words[WORDS] = { NULL }, *text, *at, *state = NULL;
	size_t size = 1;

	for (size_t i = 0; i < WORDS; i++)
		size += given[i] != NULL ? strlen(given[i]) + 1 : 0;
	at = text = mc_alloc_zero(size);
	if (given[1] != NULL && given[2] != NULL) { /* Each is on its own. */
		for (size_t i = 0; i < WORDS && given[i] != NULL; i++) {
			words[i] = at;
			memcpy(at, given[i], strlen(given[i]));
			at += strlen(given[i]) + 1;
		}
	} else {
		snprintf(text, size, "%s %s", given[0], given[1] != NULL ? given[1] : "");
		words[0] = strtok_r(text, BLANKS, &state);
		for (size_t i = 1; i < WORDS && words[i - 1] != NULL; i++)
			words[i] = strtok_r(NULL, BLANKS, &state);
		if (words[0] != NULL && words[0] != text) /* So that it can be freed. */
			words[0] = memmove(text, words[0], strlen(words[0]) + 1);
	}
	if (words[1] == NULL || words[0][0] == '\0' || words[1][0] == '\0') {
		free(text);
		return false;
	}
	*out = (struct chains_option){ words[0], words[1], words[2], words[3] };
	return true;
}

int chains_number(const char *word)
{
	long number = strtol(word, NULL, 10);

	return number > INT32_MAX || number < INT32_MIN ? -1 : (int)number;
}

static struct chain *find_chain(struct chains *chains, bool is_v6, const char *table,
				const char *name)
{
	struct chain *chain;
	size_t size;

	for (size_t i = 0; i < chains->len; i++) {
		chain = &chains->items[i];
		if (chain->is_v6 == is_v6 && strcmp(chain->table, table) == 0 &&
		    strcmp(chain->name, name) == 0)
			return chain;
	}
	MC_ARRAY_GROW(chains->items, chains->len, chains->size);
	chain = &chains->items[chains->len++];
	size = strlen(table) + strlen(name) + 2;
	*chain = (struct chain){
		.is_v6 = is_v6, .table = table, .name = name, .instance = mc_alloc(size)
	};
	snprintf(chain->instance, size, "%s-%s", table, name);
	return chain;
}

void chains_add(struct chains *chains, bool is_v6, const struct chains_option *option)
{
	struct chains_option words;
	struct chain *chain;
	struct line *line;
	int number;

	if (!chains_split(option, &words))
		return;
	chain = find_chain(chains, is_v6, words.table, words.chain);
	MC_ARRAY_GROW(chain->lines, chain->len, chain->size);
	line = &chain->lines[chain->len++];
	*line = (struct line){ .place = { is_v6 ? "ip6tables" : "iptables", chain->instance },
			       .name = words.name,
			       .text = (char *)words.table };
	if (words.rule == NULL)
		return;
	number = chains_number(words.rule);
	if (number == 0)
		line->comment = words.rule;
	else
		line->number = number > 0 ? (size_t)number : SIZE_MAX; /* None. */
}

void chains_done(struct chains *chains)
{
	for (size_t i = 0; i < chains->len; i++) {
		struct chain *chain = &chains->items[i];

		for (size_t j = 0; j < chain->len; j++)
			free(chain->lines[j].text);
		free(chain->lines);
		free(chain->instance);
	}
	free(chains->items);
	*chains = (struct chains){ 0 };
}

/* --- Rules ---------------------------------------------------------------------------------- */

static void take_numbered(const struct line *line, const struct rule *rule,
			  struct counters *counters)
{
	char digits[24];
	const char *name = line->name;

	if (name == NULL) {
		snprintf(digits, sizeof(digits), "%zu", line->number);
		name = digits;
	}
	counters_add(counters, &line->place, (struct rule_text){ name, strlen(name) }, rule);
}

static void take_commented(const struct line *line, const struct rule *rule,
			   struct counters *counters)
{
	for (size_t i = 0; i < rule->comments_len; i++) {
		struct rule_text name = rule->comments[i];

		if (line->comment != NULL && (strlen(line->comment) != name.size ||
					      memcmp(line->comment, name.text, name.size) != 0))
			continue;
		if (line->name != NULL)
			name = (struct rule_text){ line->name, strlen(line->name) };
		counters_add(counters, &line->place, name, rule);
	}
}

static void take_rule(struct chain *chain, const struct rule *rule, bool has_counter,
		      struct counters *counters)
{
	chain->rules++;
	for (size_t i = 0; i < chain->len && has_counter; i++) {
		const struct line *line = &chain->lines[i];

		if (line->number == 0)
			take_commented(line, rule, counters);
		else if (line->number == chain->rules)
			take_numbered(line, rule, counters);
	}
}

/* --- Tables of xtables ---------------------------------------------------------------------- */

struct legacy_pass {
	struct chains *chains;
	const struct chain *asked; /* The first one of the table. */
	struct chain *now;
	struct counters *counters;
};

static bool visit_chain(void *argument, const char *name)
{
	struct legacy_pass *pass = argument;

	pass->now = NULL;
	for (size_t i = 0; i < pass->chains->len && pass->now == NULL; i++) {
		struct chain *chain = &pass->chains->items[i];

		if (chain->is_v6 == pass->asked->is_v6 && strcmp(chain->name, name) == 0 &&
		    strcmp(chain->table, pass->asked->table) == 0)
			pass->now = chain;
	}
	if (pass->now == NULL)
		return false;
	pass->now->is_there = true;
	return true;
}

static void visit_legacy_rule(void *argument, const struct rule *rule)
{
	struct legacy_pass *pass = argument;

	take_rule(pass->now, rule, true, pass->counters);
}

/* Whether the kernel has made the table: to ask for one would make it, and packets would pass
 * through it.  A list that only root may read says nothing. */
static bool has_legacy_table(struct mc_ctx *ctx, const struct chain *chain)
{
	char path[1024], text[4096], *line, *state = NULL;
	ssize_t size;
	int fd = open(
		mc_path(ctx,
			chain->is_v6 ? "/proc/net/ip6_tables_names" : "/proc/net/ip_tables_names",
			path, sizeof(path)),
		O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno == EACCES || errno == EPERM;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size <= 0)
		return false;
	text[size] = '\0';
	for (line = strtok_r(text, "\n", &state); line != NULL; line = strtok_r(NULL, "\n", &state))
		if (strcmp(line, chain->table) == 0)
			return true;
	return false;
}

static int read_legacy(struct chains *chains, struct mc_ctx *ctx, struct chain *asked,
		       struct chains_sources *sources, struct counters *counters)
{
	struct legacy_pass pass = { .chains = chains, .asked = asked, .counters = counters };
	const struct legacy_table_visitor visitor = { &pass, visit_chain, visit_legacy_rule };
	struct legacy_table table;
	int rc;

	if (chains->tables == CHAINS_AUTO && !has_legacy_table(ctx, asked))
		return 0;
	rc = legacy_read(&sources->legacy, asked->is_v6, asked->table, &table);
	if (rc == -ENOENT)
		return 0;
	if (rc == 0) {
		counters_next_pass(counters);
		rc = legacy_table_walk(&table, &visitor);
	}
	if (rc != 0)
		return mc_fail(ctx, -rc, "cannot read table '%s' of %s", asked->table,
			       asked->is_v6 ? "ip6tables" : "iptables");
	return 0;
}

/* Each table once. */
static int read_legacy_tables(struct chains *chains, struct mc_ctx *ctx,
			      struct chains_sources *sources, struct counters *counters)
{
	int failed = 0;

	for (size_t i = 0; i < chains->len; i++) {
		struct chain *chain = &chains->items[i];
		bool is_read = false;
		int rc;

		for (size_t j = 0; j < i && !is_read; j++)
			is_read = chains->items[j].is_v6 == chain->is_v6 &&
				  strcmp(chains->items[j].table, chain->table) == 0;
		if (is_read)
			continue;
		rc = read_legacy(chains, ctx, chain, sources, counters);
		failed = failed != 0 ? failed : rc;
	}
	return failed;
}

/* --- Tables of nf_tables -------------------------------------------------------------------- */

struct nft_pass {
	struct chain *chain;
	struct counters *counters;
};

static void visit_nft_rule(void *argument, const struct nft_rule *rule)
{
	struct nft_pass *pass = argument;

	take_rule(pass->chain, &rule->rule, rule->has_counter, pass->counters);
}

static int read_nft(struct chain *chain, struct nft *nft, struct counters *counters)
{
	const struct nft_place place = { chain->is_v6 ? NFPROTO_IPV6 : NFPROTO_IPV4, chain->table,
					 chain->name };
	struct nft_pass pass = { chain, counters };
	int rc = -EINTR;

	for (int i = 0; i < TRIES && rc == -EINTR; i++) {
		counters_next_pass(counters);
		chain->rules = 0;
		rc = nft_rules(nft, &place, visit_nft_rule, &pass);
		if (rc != 0)
			counters_drop_pass(counters);
	}
	if (rc != 0)
		return rc;
	if (chain->rules > 0 || chain->is_there)
		return 0;
	return nft_find_chain(nft, &place);
}

static int read_rest(struct chains *chains, struct mc_ctx *ctx, struct chain *chain,
		     struct chains_sources *sources, struct counters *counters)
{
	int rc = -ENOENT;

	if (chains->tables != CHAINS_LEGACY)
		rc = read_nft(chain, &sources->nft, counters);
	if (rc == 0 || (rc == -ENOENT && chain->is_there))
		return 0;
	if (rc == -ENOENT)
		return mc_fail(ctx, 0, "no chain '%s' in a table '%s' of %s", chain->name,
			       chain->table, chain->is_v6 ? "ip6tables" : "iptables");
	if (rc == -EINTR)
		return mc_fail(ctx, EAGAIN, "chain '%s' of table '%s' changes while it is read",
			       chain->name, chain->table);
	return mc_fail(ctx, -rc, "cannot read chain '%s' of table '%s'", chain->name, chain->table);
}

int chains_read(struct chains *chains, struct mc_ctx *ctx, struct chains_sources *sources,
		struct counters *counters)
{
	int failed = 0;

	for (size_t i = 0; i < chains->len; i++) {
		chains->items[i].is_there = false;
		chains->items[i].rules = 0;
	}
	if (chains->tables != CHAINS_NFT)
		failed = read_legacy_tables(chains, ctx, sources, counters);
	for (size_t i = 0; i < chains->len; i++) {
		struct chain *chain = &chains->items[i];
		int rc = 0;

		if (chain->rules == 0) /* Else iptables-legacy(8) has set it. */
			rc = read_rest(chains, ctx, chain, sources, counters);
		failed = failed != 0 ? failed : rc;
	}
	return failed;
}
