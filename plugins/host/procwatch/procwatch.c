/* SPDX-License-Identifier: MIT */
/* procwatch: daemons that are named: whether they run and answer, what they
 * use, and notifications as soon as one ends (pidfd_open(2), proc(5)).
 *
 * read() finds processes and reads what they use; the thread of run() waits for
 * their ends and asks them.
 */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/plugin.h>
#include <collector/scan.h>
#include <collector/serve.h>

#include "kit/base/process_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "find.h"
#include "measure.h"
#include "probe.h"

#define PSS_READS_MAX 16 /* In one read: each takes a millisecond and more. */
#define NAME_SIZE_MAX 15 /* The kernel cuts names of processes there. */

struct procwatch {
	struct mc_blocks daemons;
	mc_time pss_interval;

	struct watch watch;
	struct mc_kept_files files;
	struct find find;
	bool counts_by_size;
};

/* --- Options -------------------------------------------------------------- */

static const char *const severities[] = { "WARNING", "FAILURE", NULL };

static const struct mc_option daemon_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct daemon, name),
	  .required = true,
	  .help = "Name in notifications, and the plugin instance of its "
		  "series.",
	  .sample = "libvirtd" },
	{ .name = "Unit",
	  MC_OPT_STRING(struct daemon, unit),
	  .help = "Its processes are those of this unit of systemd, or of the "
		  "control group with this path.",
	  .sample = "libvirtd.service" },
	{ .name = "PidFile",
	  MC_OPT_STRING(struct daemon, pid_file),
	  .help = "Its process is the one whose number is in this file.",
	  .sample = "/run/libvirtd.pid" },
	{ .name = "Process",
	  MC_OPT_STRING(struct daemon, process),
	  .help = "Its processes have this name, as ps -o comm shows it.",
	  .sample = "libvirtd" },
	{ .name = "ProcessMatch",
	  MC_OPT_STRING(struct daemon, expression),
	  .help = "A part of its command line matches this regular "
		  "expression.",
	  .sample = "^/usr/sbin/libvirtd" },
	{ .name = "All",
	  MC_OPT_BOOL(struct daemon, all),
	  .default_value = "false",
	  .help = "Watches all processes that are found, not only the oldest "
		  "one." },
	{ .name = "Severity",
	  MC_OPT_WORD(struct daemon, severity),
	  .words = severities,
	  .default_value = "FAILURE",
	  .help = "Severity of notifications that it has ended or does not "
		  "answer." },
	{ .name = "Socket",
	  MC_OPT_STRING(struct daemon, socket),
	  .help = "Unix socket at which it answers.",
	  .sample = "/run/libvirt/libvirt-sock-ro" },
	{ .name = "Host",
	  MC_OPT_STRING(struct daemon, host),
	  .help = "Address at which it answers, by TCP.",
	  .sample = "127.0.0.1" },
	{ .name = "Port",
	  MC_OPT_STRING(struct daemon, port),
	  .help = "Port at which it answers, with Host.",
	  .sample = "16509" },
	{ .name = "Send",
	  MC_OPT_STRING(struct daemon, send),
	  .help = "Line that is sent to Socket or Host; the daemon must say "
		  "something, too.",
	  .sample = "STATUS" },
	{ .name = "Command",
	  MC_OPT_STRINGS(struct daemon, command.argv),
	  .help = "Program that ends with exit status 0 if it answers, and "
		  "its arguments.",
	  .sample = "/usr/bin/virsh" },
	{ .name = "User",
	  MC_OPT_STRING(struct daemon, command.user),
	  .help = "User, or USER:GROUP, that Command runs as; by default that "
		  "of the collector, unless that is root.",
	  .sample = "nobody" },
	{ .name = "Interval",
	  MC_OPT_TIME(struct daemon, interval),
	  .min = 0.01,
	  .max = 86400,
	  .help = "Seconds between two questions whether it answers; by "
		  "default the interval of the plugin." },
	{ .name = "Timeout",
	  MC_OPT_TIME(struct daemon, timeout),
	  .min = 0.001,
	  .max = 3600,
	  .default_value = "5",
	  .help = "Seconds in which it must answer." },
	{ 0 }
};
static const struct mc_block daemon_block = { sizeof(struct daemon), daemon_options };

static const struct mc_option options[] = {
	{ .name = "Daemon",
	  MC_OPT_BLOCKS(struct procwatch, daemons),
	  .block = &daemon_block,
	  .help = "Watches a daemon." },
	{ .name = "PSSInterval",
	  MC_OPT_TIME(struct procwatch, pss_interval),
	  .max = 86400,
	  .default_value = "60",
	  .help = "Seconds between two readings of ps_pss; 0: never." },
	{ 0 }
};

/* --- check() -------------------------------------------------------------- */

static void check_how_found(struct mc_ctx *ctx, const struct daemon *daemon)
{
	char reason[160];

	if (daemon->unit == NULL && daemon->pid_file == NULL && daemon->process == NULL &&
	    daemon->expression == NULL)
		mc_check_error(ctx, &daemon->name, "needs Unit, PidFile, Process or ProcessMatch");
	if (daemon->unit != NULL && daemon->pid_file != NULL)
		mc_check_error(ctx, &daemon->pid_file, "is not possible with Unit");
	if (daemon->all && daemon->pid_file != NULL)
		mc_check_warn(ctx, &daemon->pid_file, "has one process: All has no effect");
	if (daemon->process != NULL && strlen(daemon->process) > NAME_SIZE_MAX)
		mc_check_warn(ctx, &daemon->process,
			      "is longer than %d characters, to which the "
			      "kernel cuts the names of programs: "
			      "ProcessMatch finds it",
			      NAME_SIZE_MAX);
	if (daemon->expression != NULL) {
		struct mc_regex *regex = mc_regex_new(daemon->expression, reason, sizeof(reason));

		if (regex == NULL)
			mc_check_error(ctx, &daemon->expression, "is an invalid expression: %s",
				       reason);
		mc_regex_free(regex);
	}
}

static void check_how_asked(struct mc_ctx *ctx, const struct daemon *daemon)
{
	int ways =
		(daemon->socket != NULL) + (daemon->host != NULL) + (daemon->command.argv.len > 0);

	if (ways > 1)
		mc_check_error(ctx, &daemon->name,
			       "can have only one of Socket, Host and "
			       "Command");
	if (daemon->host != NULL && daemon->port == NULL)
		mc_check_error(ctx, &daemon->host, "needs Port");
	if (daemon->port != NULL && daemon->host == NULL)
		mc_check_error(ctx, &daemon->port, "needs Host");
	if (daemon->send != NULL && daemon->host == NULL && daemon->socket == NULL)
		mc_check_error(ctx, &daemon->send, "needs Socket or Host");
	if (daemon->socket != NULL && strlen(daemon->socket) > 107)
		mc_check_error(ctx, &daemon->socket, "is longer than a unix socket's path can be");
	if (daemon->command.argv.len > 0)
		mc_command_check_user(ctx, &daemon->command.user, false);
}

static void procwatch_check(struct mc_ctx *ctx)
{
	const struct procwatch *self = ctx->self;
	const struct daemon *daemons = self->daemons.items;

	for (size_t i = 0; i < self->daemons.len; i++) {
		check_how_found(ctx, &daemons[i]);
		check_how_asked(ctx, &daemons[i]);
		for (size_t j = 0; j < i; j++)
			if (strcmp(daemons[i].name, daemons[j].name) == 0)
				mc_check_error(ctx, &daemons[i].name, "is given before");
	}
}

/* --- Start and stop ------------------------------------------------------- */

static int procwatch_start(struct mc_ctx *ctx)
{
	struct procwatch *self = ctx->self;
	struct daemon *daemons = self->daemons.items;
	char path[4096], reason[160];
	struct stat status;
	int rc = watch_start(&self->watch);

	if (rc < 0)
		return mc_fail(ctx, -rc, "cannot make an eventfd");
	for (size_t i = 0; i < self->daemons.len; i++)
		if (daemons[i].expression != NULL)
			daemons[i].regex =
				mc_regex_new(daemons[i].expression, reason, sizeof(reason));
	self->files.folder = -1;
	self->files.kept_max = mc_kept_limit();
	self->find.ctx = ctx;
	self->find.files = &self->files;
	self->find.is_real = strcmp(mc_path(ctx, "/proc", path, sizeof(path)), "/proc") == 0;
	self->counts_by_size =
		self->find.is_real && stat("/proc/self/fd", &status) == 0 && status.st_size > 0;
	return 0;
}

static void free_member(struct procwatch *self, struct member *member)
{
	mc_kept_close(&self->files, &member->stat);
	if (member->pidfd >= 0)
		close(member->pidfd);
	free(member);
}

static void procwatch_stop(struct mc_ctx *ctx)
{
	struct procwatch *self = ctx->self;
	struct daemon *daemons = self->daemons.items;

	for (size_t i = 0; i < self->daemons.len; i++) {
		for (size_t j = 0; j < daemons[i].members_len; j++)
			free_member(self, daemons[i].members[j]);
		free(daemons[i].members);
		mc_regex_free(daemons[i].regex);
	}
	free(self->find.items);
	table_done(&self->find.table);
	watch_stop(&self->watch);
}

/* --- run() ---------------------------------------------------------------- */

static int procwatch_run(struct mc_ctx *ctx)
{
	struct procwatch *self = ctx->self;
	struct mc_loop loop = { .ctx = ctx };
	struct probes probes = { 0 };
	int rc = mc_loop_init(&loop);

	if (rc < 0)
		return rc;
	rc = watch_begin(&self->watch, &loop);
	if (rc == 0)
		probe_start(&probes, &loop, &self->watch, &self->daemons);
	rc = rc < 0 ? mc_fail(ctx, -rc, "cannot watch processes") : mc_loop_run(&loop);
	probe_stop(&probes);
	watch_leave(&self->watch);
	mc_loop_done(&loop);
	return rc;
}

/* --- read() --------------------------------------------------------------- */

static bool is_member(const struct daemon *daemon, const struct found *found)
{
	for (size_t i = 0; i < daemon->members_len; i++)
		if (daemon->members[i]->pid == found->pid &&
		    daemon->members[i]->start == found->start)
			return true;
	return false;
}

/* Whether the process that was found still lives.  If it does after its number
 * was seen to be that process's, the pidfd, if there is one, holds it. */
static bool still_lives(struct procwatch *self, const struct found *found, int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	char path[MC_KEPT_PATH_SIZE];
	struct mc_process_stat stat;

	if (found->start != 0 &&
	    (mc_kept_read_once(&self->files, mc_kept_pid_path(path, found->pid, "stat")) <= 0 ||
	     !mc_process_stat(self->files.text, &stat) || stat.start != found->start ||
	     stat.state == 'Z' || stat.state == 'X'))
		return false;
	return fd < 0 || poll(&poll_fd, 1, 0) == 0;
}

static void add_member(struct mc_ctx *ctx, struct daemon *daemon, const struct found *found)
{
	struct procwatch *self = ctx->self;
	int fd = self->find.is_real ? watch_open(found->pid) : -ENOSYS;
	struct member *member;

	if (fd < 0 && (fd == -ESRCH || found->start == 0))
		return;
	if (!still_lives(self, found, fd)) {
		if (fd >= 0)
			close(fd);
		return;
	}
	member = mc_alloc_zero(sizeof(*member));
	*member = (struct member){
		.daemon = daemon,
		.pid = found->pid,
		.start = found->start,
		.pidfd = fd < 0 ? -1 : fd,
		.is_polled = fd < 0,
		.stat = -1,
		.pss_due = { .period = self->pss_interval },
	};
	daemon->members =
		mc_alloc_resize(daemon->members, daemon->members_len + 1, sizeof(*daemon->members));
	daemon->members[daemon->members_len++] = member;
	watch_add(&self->watch, ctx, member);
}

static int find_members(struct mc_ctx *ctx, struct daemon *daemon)
{
	struct procwatch *self = ctx->self;
	struct find *find = &self->find;
	int rc = find_daemon(find, daemon);

	if (rc == -EAGAIN)
		return mc_fail(ctx, EAGAIN,
			       "cannot find '%s': processes of others are "
			       "hidden (hidepid)",
			       daemon->name);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < find->len; i++)
		if (daemon->members_len < DAEMON_MEMBERS_MAX && !is_member(daemon, &find->items[i]))
			add_member(ctx, daemon, &find->items[i]);
	if (daemon->members_len == 0)
		watch_missing(&self->watch, ctx, daemon);
	return 0;
}

/* Those whose end run() has said, or that has been seen here. */
static void drop_ended(struct mc_ctx *ctx, struct daemon *daemon, struct measure *measure)
{
	struct procwatch *self = ctx->self;
	size_t len = 0;

	measure_begin(measure);
	for (size_t i = 0; i < daemon->members_len; i++) {
		struct member *member = daemon->members[i];
		bool has_ended = watch_has_ended(&self->watch, member);

		if (!has_ended && !measure_member(measure, member) && member->is_polled) {
			watch_end(&self->watch, ctx, member);
			has_ended = true;
		}
		if (has_ended)
			free_member(self, member);
		else
			daemon->members[len++] = member;
	}
	daemon->members_len = len;
}

static int read_daemon(struct mc_ctx *ctx, struct daemon *daemon, struct measure *measure,
		       struct mc_batch *out)
{
	struct procwatch *self = ctx->self;
	struct daemon_status status;
	size_t known;
	int rc = 0;

	drop_ended(ctx, daemon, measure);
	known = daemon->members_len;
	if (known == 0 || daemon->all)
		rc = find_members(ctx, daemon);
	for (size_t i = known; i < daemon->members_len; i++)
		measure_member(measure, daemon->members[i]);
	status = watch_status(&self->watch, daemon);
	measure_report(measure, daemon, &status, out);
	return rc;
}

static void begin_read(struct mc_ctx *ctx, struct measure *measure)
{
	struct procwatch *self = ctx->self;
	const char *at;
	char *text;

	*measure = (struct measure){
		.ctx = ctx,
		.files = &self->files,
		.now = mc_now(),
		.uptime = -1,
		.pss_left = PSS_READS_MAX,
		.counts_by_size = self->counts_by_size,
	};
	if (mc_read_file(ctx, "/proc/uptime", &text) > 0) {
		at = text;
		if (!mc_scan_decimal(&at, &measure->uptime))
			measure->uptime = -1;
	}
	self->find.hides = faccessat(self->files.folder, "1/stat", R_OK, 0) != 0;
}

static int procwatch_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct procwatch *self = ctx->self;
	struct daemon *daemons = self->daemons.items;
	struct measure measure;
	char path[4096];
	int failed = 0;

	self->files.folder =
		open(mc_path(ctx, "/proc", path, sizeof(path)), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (self->files.folder < 0)
		return mc_fail(ctx, errno, "cannot read '/proc'");
	begin_read(ctx, &measure);
	table_begin(&self->find.table);
	for (size_t i = 0; i < self->daemons.len; i++) {
		int rc = read_daemon(ctx, &daemons[i], &measure, out);

		if (rc != 0)
			failed = rc;
	}
	table_end(&self->find.table);
	close(self->files.folder);
	self->files.folder = -1;
	if (failed == 0 && measure.error != 0) {
		mc_fail(ctx, measure.error, "cannot read '/proc/%u'", (unsigned)measure.failed);
		return -EAGAIN;
	}
	return failed;
}

MC_PLUGIN(procwatch) = {
	MC_NAMED(procwatch),
	.help = "Watches daemons: whether they run and answer, and what they "
		"use.",
	.self_size = sizeof(struct procwatch),
	.options = options,
	.types = (const char *const[]){ "ps_count", "ps_cputime", "ps_rss", "ps_pss",
					"file_handles", "uptime", "total_events", "gauge",
					"response_time", NULL },
	.check = procwatch_check,
	.start = procwatch_start,
	.read = procwatch_read,
	.run = procwatch_run,
	.stop = procwatch_stop,
};
