/* SPDX-License-Identifier: MIT */
/* ceph: the counters of Ceph's daemons on this host, by their admin sockets (collectd.conf(5),
 * "Plugin ceph"). */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "daemon.h"

#define FOUND_MAX 1000

struct configured {
	const char *name, *path;
};

struct ceph {
	struct counters_rules rules;
	struct mc_blocks daemons; /* struct configured */
	struct mc_strings patterns;
	struct mc_quota_limits limits;

	struct mc_ctx *ctx;
	struct daemon *first;
	size_t found;
	struct mc_once trouble;
};

/* Where Ceph's packages, and its containers by cephadm, have the sockets of daemons.  Those of
 * clients have a process's number in their name. */
static const char *const usual[] = { "/var/run/ceph/*-osd.*.asok", "/var/run/ceph/*-m??.*.asok",
				     "/var/run/ceph/*/*-osd.*.asok",
				     "/var/run/ceph/*/*-m??.*.asok" };

/* --- Daemons that are found -------------------------------------------------------------- */

static struct daemon *add(struct ceph *self, struct dialogues *dialogues, const char *name,
			  const char *path)
{
	struct daemon *daemon = daemon_new(name, path, &self->rules, &self->limits);

	daemon->next = self->first;
	self->first = daemon;
	daemon->dialogue = dialogue_begin(dialogues, &daemon->target);
	return daemon;
}

static void drop(struct ceph *self, struct daemon **link)
{
	struct daemon *daemon = *link;

	*link = daemon->next;
	self->found--;
	dialogue_end(daemon->dialogue);
	daemon_free(daemon);
}

static bool has_name(const struct ceph *self, const char *name)
{
	for (const struct daemon *daemon = self->first; daemon != NULL; daemon = daemon->next)
		if (strcmp(daemon->name, name) == 0)
			return true;
	return false;
}

/* Of two clusters on one host, whose folders have their names. */
static char *free_name(const struct ceph *self, const char *path)
{
	char *name = daemon_name_of(path), *folder, *longer;

	if (!has_name(self, name))
		return name;
	folder = mc_alloc_copy(path);
	*strrchr(folder, '/') = '\0';
	longer = mc_alloc_printf(
		"%s-%s", strrchr(folder, '/') != NULL ? strrchr(folder, '/') + 1 : folder, name);
	free(folder);
	free(name);
	if (!has_name(self, longer))
		return longer;
	free(longer);
	return mc_alloc_copy(path);
}

static void see(struct ceph *self, struct dialogues *dialogues, const char *path)
{
	struct daemon *daemon = self->first;

	while (daemon != NULL && strcmp(daemon->path, path) != 0)
		daemon = daemon->next;
	if (daemon == NULL && self->found < FOUND_MAX) {
		char *name = free_name(self, path);

		daemon = add(self, dialogues, name, path);
		free(name);
		daemon->is_found = true;
		self->found++;
	}
	if (daemon != NULL)
		daemon->seen = true;
}

static void find(struct ceph *self, struct dialogues *dialogues, const char *pattern)
{
	glob_t found;

	if (glob(pattern, 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		see(self, dialogues, found.gl_pathv[i]);
	globfree(&found);
}

/* A socket that has gone is no longer asked: its daemon has ended as it should, or its successor
 * makes another. */
static void look(struct dialogues *dialogues, void *argument)
{
	struct ceph *self = argument;
	const char *const *patterns = self->patterns.len > 0 ? self->patterns.items : usual;
	size_t len = self->patterns.len > 0 ? self->patterns.len : sizeof(usual) / sizeof(usual[0]);
	const struct configured *configured = self->daemons.items;

	if (self->first == NULL)
		for (size_t i = 0; i < self->daemons.len; i++)
			add(self, dialogues, configured[i].name, configured[i].path);
	if (self->patterns.len == 0 && self->daemons.len > 0)
		return;
	for (struct daemon *daemon = self->first; daemon != NULL; daemon = daemon->next)
		daemon->seen = false;
	for (size_t i = 0; i < len; i++)
		find(self, dialogues, patterns[i]);
	for (struct daemon **link = &self->first; *link != NULL;) {
		if ((*link)->is_found && !(*link)->seen)
			drop(self, link);
		else
			link = &(*link)->next;
	}
	if (self->first == NULL)
		mc_complain(self->ctx, &self->trouble, 0, "there is no socket that matches '%s'%s",
			    patterns[0], len > 1 ? " or the others" : "");
	else if (self->found == FOUND_MAX)
		mc_complain(self->ctx, &self->trouble, 0,
			    "more than %d sockets match: others are left out", FOUND_MAX);
	else
		mc_works(self->ctx, &self->trouble, "there are sockets again");
}

/* --- Life ------------------------------------------------------------------------------- */

static bool is_path(const char *path)
{
	return (path[0] == '/' || strncmp(path, "./", 2) == 0) &&
	       strlen(path) < sizeof(((struct sockaddr_un *)0)->sun_path);
}

/* Sockets of one host are alike: the first of a pattern stands for all. */
static void check_pattern(struct mc_ctx *ctx, const char *const *pattern)
{
	glob_t found;

	if ((*pattern)[0] != '/') {
		mc_check_error(ctx, pattern, "is not an absolute path");
	} else if (mc_check_host(ctx) && glob(*pattern, 0, NULL, &found) == 0) {
		mc_check_access(ctx, pattern, found.gl_pathv[0], MC_ACCESS_CONNECT);
		globfree(&found);
	}
}

static void ceph_check(struct mc_ctx *ctx)
{
	struct ceph *self = ctx->self;
	struct configured *daemons = self->daemons.items;

	for (size_t i = 0; i < self->daemons.len; i++) {
		if (!is_path(daemons[i].path))
			mc_check_error(ctx, &daemons[i].path, "is not the path of a unix socket");
		else
			mc_check_access(ctx, &daemons[i].path, daemons[i].path, MC_ACCESS_CONNECT);
		for (size_t k = 0; k < i; k++)
			if (strcmp(daemons[i].name, daemons[k].name) == 0)
				mc_check_error(ctx, &daemons[i].name, "is the name of another");
	}
	for (size_t i = 0; i < self->patterns.len; i++)
		check_pattern(ctx, &self->patterns.items[i]);
}

static int ceph_run(struct mc_ctx *ctx)
{
	struct ceph *self = ctx->self;
	int rc;

	self->ctx = ctx;
	rc = dialogue_run_changing(ctx, look, self);
	while (self->first != NULL) {
		struct daemon *daemon = self->first;

		self->first = daemon->next;
		daemon_free(daemon);
	}
	return rc;
}

static const struct mc_option daemon_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct configured, name),
	  .required = true,
	  .sample = "osd.0",
	  .help = "Plugin instance of the series." },
	{ .name = "SocketPath",
	  MC_OPT_STRING(struct configured, path),
	  .required = true,
	  .sample = "/var/run/ceph/ceph-osd.0.asok",
	  .help = "Admin socket of the daemon." },
	{ 0 },
};

static const struct mc_option options[] = {
	{ .name = "LongRunAvgLatency",
	  MC_OPT_BOOL(struct ceph, rules.long_run),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Averages are since the start of the daemon, instead of since the last "
		  "interval." },
	{ .name = "ConvertSpecialMetricTypes",
	  MC_OPT_BOOL(struct ceph, rules.converts),
	  .default_value = "true",
	  .lenient = true,
	  .help = "filestore.journal_wr_bytes, an average in Ceph, is a total as other bytes "
		  "are." },
	{ .name = "Daemon",
	  MC_OPT_BLOCKS(struct ceph, daemons),
	  .block = &(const struct mc_block){ .size = sizeof(struct configured),
					     .options = daemon_options },
	  .help = "A daemon of this host." },
	{ .name = "SocketPath",
	  MC_OPT_STRINGS(struct ceph, patterns),
	  .sample = "/var/run/ceph/ceph-*.asok",
	  .help = "A pattern (glob(7)) of admin sockets, whose daemons are named after them; "
		  "without "
		  "it and any Daemon, those of the monitors, OSDs and other servers of this "
		  "host." },
	DIALOGUE_QUOTA_OPTIONS(struct ceph, limits),
	{ 0 },
};

MC_PLUGIN(ceph) = {
	MC_NAMED(ceph),
	.help = "Reads the counters of Ceph's daemons on this host.",
	.self_size = sizeof(struct ceph),
	.options = options,
	.types = (const char *const[]){ "ceph_bytes", "ceph_latency", "ceph_rate", NULL },
	.check = ceph_check,
	.run = ceph_run,
	.lenient = true,
};
