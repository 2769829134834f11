/* SPDX-License-Identifier: MIT */
/* processes: how many processes are in which state, how many are started, and
 * what groups of them use, from /proc/stat and /proc/PID/ (proc(5)).
 *
 * Groups have collectd's options, names and types.
 */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/read_number.h>
#include <collector/plugin.h>

#include "kit/base/this_machine.h"

#include <errno.h>

#include <collector/scan.h>

#include "table.h"

#define NAME_SIZE_MAX 15 /* The kernel cuts names of processes there. */

/* The options that a group may have of its own: 0 is what the plugin has. */
static const char *const own_words[] = {
	"inherit", "false", "no", "off", "true", "yes", "on", NULL
};
#define OWN_TRUE 4

static const char *const walk_words[] = { "active", "all", NULL };
#define WALK_ALL 1

struct match { /* <Process> or <ProcessMatch>. */
	const char *name;
	const char *expression; /* NULL: <Process>. */
	int switches, files, maps, delay;
};

struct processes {
	struct mc_blocks names, expressions;
	bool switches, files, maps, delay;
	int walk; /* Of walk_words. */
	struct delays delays;
	struct table table;
};

static unsigned wants_of(const struct processes *self, const struct match *match)
{
	const struct {
		int own;
		bool common;
		unsigned wants;
	} options[] = {
		{ match->switches, self->switches, GROUP_WANTS_SWITCHES },
		{ match->files, self->files, GROUP_WANTS_FILES },
		{ match->maps, self->maps, GROUP_WANTS_MAPS },
		{ match->delay, self->delay, GROUP_WANTS_DELAYS },
	};
	unsigned wants = 0;

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (options[i].own >= OWN_TRUE || (options[i].own == 0 && options[i].common))
			wants |= options[i].wants;
	return wants;
}

/* The match with this index: those by name come first. */
static const struct match *match_at(const struct processes *self, size_t index)
{
	const struct match *names = self->names.items, *expressions = self->expressions.items;

	if (index < self->names.len)
		return &names[index];
	index -= self->names.len;
	return index < self->expressions.len ? &expressions[index] : NULL;
}

/* Whether an earlier one has the same name: only the first counts. */
static bool is_again(const struct processes *self, size_t index)
{
	const char *name = match_at(self, index)->name;

	for (size_t i = 0; i < index; i++)
		if (strcmp(match_at(self, i)->name, name) == 0)
			return true;
	return false;
}

static void check_expression(struct mc_ctx *ctx, const struct match *match)
{
	char reason[160];
	struct mc_regex *regex = mc_regex_new(match->expression, reason, sizeof(reason));

	if (regex == NULL)
		mc_check_warn(ctx, &match->expression, "is an invalid expression, and not used: %s",
			      reason);
	mc_regex_free(regex);
}

/* The option that asks for delays first; NULL: none does. */
static const void *delay_option(const struct processes *self)
{
	const struct match *match;

	for (size_t i = 0; (match = match_at(self, i)) != NULL; i++)
		if (wants_of(self, match) & GROUP_WANTS_DELAYS)
			return self->delay ? (const void *)&self->delay : &match->delay;
	return NULL;
}

/* Input and output of others, which each group has, and their open files. */
static void check_others(struct mc_ctx *ctx)
{
	const struct match *match = match_at(ctx->self, 0);

	if (match != NULL && mc_check_host(ctx))
		mc_check_capabilities(ctx, &match->name, "CAP_SYS_PTRACE CAP_DAC_READ_SEARCH");
}

/* Asks for the delays of this process, so that what fails is known. */
static void check_delays(struct mc_ctx *ctx)
{
	const void *option = delay_option(ctx->self);
	struct delays delays = { 0 };
	struct taskstats_delays found;
	int rc;

	if (option == NULL || !mc_check_host(ctx) || !mc_is_this_machine(ctx) ||
	    !mc_check_capabilities(ctx, option, "CAP_NET_ADMIN"))
		return;
	rc = delays_read(&delays, (uint32_t)getpid(), &found);
	delays_done(&delays);
	if (rc == -EPERM)
		mc_check_warn(ctx, option, "needs the capability CAP_NET_ADMIN");
	else if (rc == -ENOENT)
		mc_check_warn(ctx, option, "needs a kernel with taskstats");
	else if (rc != 0)
		mc_check_warn(ctx, option, "cannot be: %s", strerror(-rc));
}

static void processes_check(struct mc_ctx *ctx)
{
	const struct processes *self = ctx->self;
	const struct match *match;

	for (size_t i = 0; (match = match_at(self, i)) != NULL; i++) {
		if (is_again(self, i))
			mc_check_warn(ctx, &match->name, "is given before: it is not used again");
		if (match->expression != NULL)
			check_expression(ctx, match);
		else if (strlen(match->name) > NAME_SIZE_MAX)
			mc_check_warn(ctx, &match->name,
				      "is longer than %d characters, to which "
				      "the kernel cuts the names of programs: "
				      "ProcessMatch finds it",
				      NAME_SIZE_MAX);
	}
	check_others(ctx);
	check_delays(ctx);
}

#define SWITCH "/proc/sys/kernel/task_delayacct" /* Since Linux 5.14. */

static void start_delays(struct mc_ctx *ctx)
{
	struct processes *self = ctx->self;
	int64_t on;

	if (delay_option(self) == NULL || !mc_is_this_machine(ctx))
		return;
	self->table.groups.delays = &self->delays;
	if (mc_is_there(ctx, SWITCH) && mc_read_number(ctx, SWITCH, &on) == 0 && on == 0)
		mc_log(ctx, MC_NOTE,
		       "the kernel knows delays by CPUs alone: sysctl "
		       "kernel.task_delayacct is 0");
}

static int processes_start(struct mc_ctx *ctx)
{
	struct processes *self = ctx->self;
	struct process_groups *groups = &self->table.groups;
	const struct match *match;

	groups->items =
		mc_alloc_array(self->names.len + self->expressions.len, sizeof(*groups->items));
	for (size_t i = 0; (match = match_at(self, i)) != NULL; i++) {
		struct group *group = &groups->items[groups->len];
		char reason[160];

		if (is_again(self, i))
			continue;
		*group = (struct group){ .name = match->name, .wants = wants_of(self, match) };
		if (match->expression != NULL) {
			group->regex = mc_regex_new(match->expression, reason, sizeof(reason));
			if (group->regex == NULL)
				continue; /* check() has said so. */
			groups->regexes = true;
		}
		groups->len++;
	}
	groups->all = self->walk == WALK_ALL;
	self->table.source.kept_max = mc_kept_limit() / 4 * 3;
	groups->leaves.files.kept_max = mc_kept_limit() / 4;
	start_delays(ctx);
	return 0;
}

struct totals { /* In /proc/stat; only there are they up to date. */
	bool has_forks, has_running;
	uint64_t forks, running;
};

static void parse_totals(const char *line, struct totals *out)
{
	*out = (struct totals){ 0 };
	do {
		const char *at = line;
		bool forks = mc_scan_text(&at, "processes "),
		     running = !forks && mc_scan_text(&at, "procs_running ");
		uint64_t number;

		if (!(forks || running) || !mc_scan_u64(&at, &number) || *at != '\n' ||
		    number > INT64_MAX)
			continue;
		if (forks)
			out->forks = number;
		else
			out->running = number;
		out->has_forks = out->has_forks || forks;
		out->has_running = out->has_running || running;
	} while (mc_scan_line(&line));
}

static int report_totals(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct totals totals;
	char *text;
	ssize_t size = mc_read_file(ctx, "/proc/stat", &text);

	if (size < 0)
		return (int)size;
	parse_totals(text, &totals);
	if (totals.has_running)
		mc_put_gauge(out, (double)totals.running, .type = "ps_state",
			     .type_instance = "running");
	if (totals.has_forks)
		mc_put_derive(out, (int64_t)totals.forks, .type = "fork_rate");
	if (!totals.has_running || !totals.has_forks)
		return mc_fail(ctx, 0, "cannot understand '/proc/stat'");
	return 0;
}

static void report_states(struct mc_batch *out, const struct table_states *states)
{
	const struct {
		const char *name;
		unsigned count;
	} reports[] = {
		{ "sleeping", states->sleeping }, { "zombies", states->zombies },
		{ "stopped", states->stopped },   { "paging", states->paging },
		{ "blocked", states->blocked },
	};

	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++)
		mc_put_gauge(out, reports[i].count, .type = "ps_state",
			     .type_instance = reports[i].name);
}

/* All else goes on when some processes cannot be read (a limit of open files). */
static int judge(struct mc_ctx *ctx, const struct table_result *result)
{
	const struct processes *self = ctx->self;
	int failure = self->delays.failure;

	if (failure != 0)
		mc_fail(ctx, -failure, "cannot read delays of processes");
	if (result->failed == 0)
		return failure;
	if (result->error == -EINVAL)
		return mc_fail(ctx, 0, "cannot understand what '/proc/%u' shows",
			       (unsigned)result->failed_pid);
	return mc_fail(ctx, -result->error, "cannot read '/proc/%u'", (unsigned)result->failed_pid);
}

static int processes_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct processes *self = ctx->self;
	struct table *table = &self->table;
	struct table_result result;
	char folder[4096], mount[4096];
	int failed, partly, rc;

	self->delays.failure = 0;
	rc = table_read(table, mc_path(ctx, "/proc", folder, sizeof(folder)),
			mc_path(ctx, "/sys/fs/cgroup", mount, sizeof(mount)), &result);
	if (rc < 0)
		return mc_fail(ctx, -rc, "cannot read '/proc'");
	if (result.found == 0)
		return mc_fail(ctx, 0, "no process in '/proc'");
	report_states(out, &result.states);
	for (unsigned i = 0; i < table->groups.len; i++)
		group_report(&table->groups.items[i], mc_now(), out);
	partly = judge(ctx, &result);
	failed = report_totals(ctx, out);
	return failed != 0 ? failed : partly;
}

static void processes_stop(struct mc_ctx *ctx)
{
	struct processes *self = ctx->self;
	struct process_groups *groups = &self->table.groups;

	table_done(&self->table);
	delays_done(&self->delays);
	for (unsigned i = 0; i < groups->len; i++)
		group_done(&groups->items[i]);
	free(groups->items);
}

/* Options that the blocks have in common. */
#define OWN_OPTIONS                                                                                \
	{ .name = "CollectContextSwitch",                                                          \
	  MC_OPT_WORD(struct match, switches),                                                     \
	  .words = own_words,                                                                      \
	  .default_value = "inherit",                                                              \
	  .lenient = true,                                                                         \
	  .help = "Reports context switches of this group." },                                     \
		{ .name = "CollectFileDescriptor",                                                 \
		  MC_OPT_WORD(struct match, files),                                                \
		  .words = own_words,                                                              \
		  .default_value = "inherit",                                                      \
		  .lenient = true,                                                                 \
		  .help = "Reports open files of this group." },                                   \
		{ .name = "CollectMemoryMaps",                                                     \
		  MC_OPT_WORD(struct match, maps),                                                 \
		  .words = own_words,                                                              \
		  .default_value = "inherit",                                                      \
		  .lenient = true,                                                                 \
		  .help = "Reports mappings of this group." },                                     \
	{                                                                                          \
		.name = "CollectDelayAccounting", MC_OPT_WORD(struct match, delay),                \
		.words = own_words, .default_value = "inherit",                                    \
		.help = "Reports how long this group waits."                                       \
	}

static const struct mc_option name_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct match, name),
	  .required = true,
	  .help = "Name of the program, as ps -o comm shows it.",
	  .sample = "sshd" },
	OWN_OPTIONS,
	{ 0 }
};
static const struct mc_block name_block = { sizeof(struct match), name_options };

static const struct mc_option expression_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct match, name),
	  .required = true,
	  .help = "Name of the group.",
	  .sample = "guests" },
	{ .name = "",
	  MC_OPT_STRING(struct match, expression),
	  .required = true,
	  .help = "Regular expression that a part of the command line "
		  "matches.",
	  .sample = "^/usr/bin/qemu-system" },
	OWN_OPTIONS,
	{ 0 }
};
static const struct mc_block expression_block = { sizeof(struct match), expression_options };

static const struct mc_option options[] = {
	{ .name = "Process",
	  MC_OPT_BLOCKS(struct processes, names),
	  .block = &name_block,
	  .help = "Reports what the processes of a program use." },
	{ .name = "ProcessMatch",
	  MC_OPT_BLOCKS(struct processes, expressions),
	  .block = &expression_block,
	  .help = "Reports what the processes use whose command line "
		  "matches." },
	{ .name = "CollectContextSwitch",
	  MC_OPT_BOOL(struct processes, switches),
	  .default_value = "false",
	  .help = "Reports context switches of all groups." },
	{ .name = "CollectFileDescriptor",
	  MC_OPT_BOOL(struct processes, files),
	  .default_value = "false",
	  .help = "Reports open files of all groups." },
	{ .name = "CollectMemoryMaps",
	  MC_OPT_BOOL(struct processes, maps),
	  .default_value = "false",
	  .help = "Reports mappings of all groups." },
	{ .name = "CollectDelayAccounting",
	  MC_OPT_BOOL(struct processes, delay),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports how long all groups wait for CPUs, disks and "
		  "memory; needs CAP_NET_ADMIN." },
	{ .name = "Walk",
	  MC_OPT_WORD(struct processes, walk),
	  .words = walk_words,
	  .default_value = "active",
	  .help = "Reads the processes that have run since the last read, or "
		  "all of them." },
	{ 0 }
};

MC_PLUGIN(processes) = {
	MC_NAMED(processes),
	.help = "Reads the states of processes, and what groups of them use.",
	.self_size = sizeof(struct processes),
	.options = options,
	.types = (const char *const[]){ "ps_state", "fork_rate", "ps_vm", "ps_rss", "ps_data",
					"ps_code", "ps_stacksize", "ps_cputime", "ps_count",
					"ps_pagefaults", "io_octets", "io_ops", "disk_octets",
					"file_handles", "contextswitch", "delay_rate", NULL },
	.check = processes_check,
	.start = processes_start,
	.read = processes_read,
	.stop = processes_stop,
	.lenient = true,
};
