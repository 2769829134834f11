/* SPDX-License-Identifier: MIT */
#include "measure.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kit/base/process_stat.h"

#include "slow.h"

void measure_begin(struct measure *measure)
{
	measure->threads = 0;
	measure->rss = 0;
	measure->files_len = 0;
	measure->has_files = true;
	measure->is_whole = true;
	measure->start = 0;
}

static void fail(struct measure *measure, const struct member *member, int errnum)
{
	if (measure->error != 0)
		return;
	measure->error = errnum;
	measure->failed = member->pid;
}

static void count_files(struct measure *measure, const struct member *member)
{
	char path[MC_KEPT_PATH_SIZE];
	struct stat status;
	int64_t len;

	mc_kept_pid_path(path, member->pid, "fd");
	if (!measure->counts_by_size)
		len = mc_kept_count_entries(measure->files, path);
	else if (fstatat(measure->files->folder, path, &status, 0) == 0)
		len = status.st_size;
	else
		len = -1;
	if (len < 0)
		measure->has_files = false;
	else
		measure->files_len += (uint64_t)len;
}

static void read_pss(struct measure *measure, struct member *member)
{
	int rc;

	if (member->pss_due.period == 0 || measure->pss_left == 0 ||
	    !mc_every_due(&member->pss_due, measure->now))
		return;
	measure->pss_left--;
	mc_every_done(&member->pss_due, measure->now);
	rc = slow_read_pss(measure->ctx, member->pid, &member->pss);
	member->has_pss = rc == 0;
	if (rc < 0 && rc != -EACCES && rc != -EPERM && rc != -ENOENT && rc != -ESRCH)
		fail(measure, member, -rc);
}

/* Its use before it was found counts, too: it was the daemon's. */
static void add_times(struct member *member, const struct mc_process_stat *stat)
{
	struct daemon *daemon = member->daemon;

	if (stat->user_ticks > member->user)
		daemon->user_ticks += stat->user_ticks - member->user;
	if (stat->system_ticks > member->system)
		daemon->system_ticks += stat->system_ticks - member->system;
	member->user = stat->user_ticks;
	member->system = stat->system_ticks;
}

bool measure_member(struct measure *measure, struct member *member)
{
	char path[MC_KEPT_PATH_SIZE];
	struct mc_process_stat stat;
	ssize_t size;

	if (member->start == 0) /* Not visible: run() says when it ends. */
		return true;
	size = mc_kept_read(measure->files, mc_kept_pid_path(path, member->pid, "stat"),
			    &member->stat);
	if (size == 0 || size == -ENOENT)
		return false;
	if (size < 0 || !mc_process_stat(measure->files->text, &stat)) {
		fail(measure, member, size < 0 ? (int)-size : EBADMSG);
		measure->is_whole = false;
		return true;
	}
	if (stat.start != member->start || stat.state == 'Z' || stat.state == 'X')
		return false;
	add_times(member, &stat);
	measure->threads += stat.threads;
	measure->rss += stat.rss * (uint64_t)sysconf(_SC_PAGESIZE);
	if (measure->start == 0 || stat.start < measure->start)
		measure->start = stat.start;
	count_files(measure, member);
	read_pss(measure, member);
	return true;
}

/* --- Series --------------------------------------------------------------- */

static struct mc_series *series(struct mc_batch *out, const struct daemon *daemon, const char *type,
				const char *instance)
{
	return mc_series(out, MC_ID(.plugin_instance = daemon->name, .type = type,
				    .type_instance = instance));
}

static int64_t microseconds(uint64_t ticks)
{
	return (int64_t)(ticks * (1000000 / (uint64_t)sysconf(_SC_CLK_TCK)));
}

/* False if that of one process is not known yet. */
static bool sum_pss(const struct daemon *daemon, double *sum)
{
	*sum = 0;
	for (size_t i = 0; i < daemon->members_len; i++) {
		if (!daemon->members[i]->has_pss)
			return false;
		*sum += daemon->members[i]->pss;
	}
	return daemon->members_len > 0 || daemon->had_pss;
}

/* Reports 0 for one that has ended, so that its series do not fall silent. */
static void report_use(const struct measure *measure, struct daemon *daemon, struct mc_batch *out)
{
	bool runs = measure->start != 0;
	union mc_value times[] = {
		{ .derive = microseconds(daemon->user_ticks) },
		{ .derive = microseconds(daemon->system_ticks) },
	};
	double pss, ticks = (double)sysconf(_SC_CLK_TCK);

	mc_put(out, series(out, daemon, "ps_cputime", NULL), times, 2);
	mc_gauge(out, series(out, daemon, "ps_rss", NULL), (double)measure->rss);
	if (runs ? measure->has_files : daemon->had_files) {
		daemon->had_files = true;
		mc_gauge(out, series(out, daemon, "file_handles", NULL),
			 (double)measure->files_len);
	}
	if (sum_pss(daemon, &pss)) {
		daemon->had_pss = true;
		mc_gauge(out, series(out, daemon, "ps_pss", NULL), pss);
	}
	if (measure->uptime >= 0)
		mc_gauge(out, series(out, daemon, "uptime", NULL),
			 runs ? measure->uptime - (double)measure->start / ticks : 0);
	daemon->was_measured = true;
}

void measure_report(const struct measure *measure, struct daemon *daemon,
		    const struct daemon_status *status, struct mc_batch *out)
{
	union mc_value counts[] = {
		{ .gauge = (double)status->len },
		{ .gauge = (double)measure->threads },
	};

	if (status->state == DAEMON_UNKNOWN)
		return;
	if (measure->is_whole)
		mc_put(out, series(out, daemon, "ps_count", NULL), counts, 2);
	mc_derive(out, series(out, daemon, "total_events", "restarts"), (int64_t)status->restarts);
	if (measure->is_whole &&
	    (measure->start != 0 || (daemon->was_measured && status->state == DAEMON_ENDED)))
		report_use(measure, daemon, out);
	if (!status->was_asked)
		return;
	mc_gauge(out, series(out, daemon, "gauge", "answers"), status->answers ? 1 : 0);
	if (status->answers)
		mc_gauge(out, series(out, daemon, "response_time", NULL), status->response_time);
}
