/* SPDX-License-Identifier: MIT */
/* The life of collectord: phases, gone through in their order, and back in reverse as far as they
 * got.  Only the 'down' of a phase undoes its work. */
#include "daemon/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/crash.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/timed_calls.h"
#include "conf/given.h"
#include "conf/include.h"
#include "daemon/config/check_paths.h"
#include "daemon/config/check_plugins.h"
#include "daemon/config/configure.h"
#include "daemon/config/describe_plugins.h"
#include "daemon/config/known_graphs.h"
#include "daemon/config/known_types.h"
#include "daemon/config/plugin_dir.h"
#include "daemon/config/recorded.h"
#include "daemon/config/report.h"
#include "daemon/config/rule_files.h"
#include "daemon/config/settings.h"
#include "daemon/cycle.h"
#include "daemon/instances.h"
#include "daemon/process/background.h"
#include "daemon/process/folder.h"
#include "daemon/process/hostname.h"
#include "daemon/process/limits.h"
#include "daemon/process/systemd.h"
#include "daemon/reload.h"
#include "daemon/watch.h"
#include "engine/change/engine.h"
#include "engine/check/check.h"
#include "engine/journal/journal.h"

#define LOOKUP_LIMIT (3 * MC_SECOND)          /* Of FQDNLookup, at the start. */
#define COLLECTD_BASE_DIR "/var/lib/collectd" /* Its default. */
#define STOP_LIMIT (4500 * MC_MILLISECOND)    /* Of five seconds in all. */

struct daemon {
	const struct arguments *arguments;
	struct background background;
	struct systemd systemd;
	struct problems problems;
	struct conf_tree *tree;
	struct settings settings;
	struct journal_settings journal;
	struct conf_keep keep;
	struct configure configure;
	int folder;                /* Where the collector was started; -1: unknown. */
	struct timed_calls *files; /* By which files are tried. */
	struct known_types types;
	struct known_graphs graphs;
	struct rule_files rules;
	struct plugin_dirs plugin_dirs;
	char *plugin_dir;        /* That of the arguments, from wherever we are. */
	struct sandbox *sandbox; /* Of the unit; NULL: not asked. */
	char host[256];
	struct engine *engine;
	struct instances instances;
};

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* --- Phases ----------------------------------------------------------- */

static int background_up(struct daemon *d)
{
	int rc;

	if (d->arguments->foreground)
		return EX_OK;
	rc = background_enter(&d->background);
	if (rc == 0)
		return EX_OK;
	log_error("cannot go to the background: %s", strerror(-rc));
	return EX_OSERR;
}

static int manager_up(struct daemon *d)
{
	watch_prepare();
	crash_watch(log_is_journal(), !d->arguments->foreground);
	systemd_open(&d->systemd);
	return EX_OK;
}

static void manager_down(struct daemon *d)
{
	systemd_close(&d->systemd);
}

/* Shows what is wrong, all of it; errors are the end.  Warnings of a collector
 * that runs are for its log, see start_up(). */
static int verdict_up(struct daemon *d)
{
	unsigned of_host = report_errors_of_host(&d->problems);
	char share[40] = "";

	if (d->arguments->mode != MODE_RUN || d->problems.errors > 0)
		report_problems(&d->problems, stderr);
	if (d->sandbox != NULL)
		sandbox_print(d->sandbox, stdout);
	if (of_host > 0)
		snprintf(share, sizeof(share), " (%u of this host)", of_host);
	if (d->arguments->mode == MODE_TEST)
		printf("%s: %u error%s%s, %u warning%s, %zu plugin%s\n", d->arguments->config,
		       d->problems.errors, plural(d->problems.errors), share, d->problems.warnings,
		       plural(d->problems.warnings), d->instances.len, plural(d->instances.len));
	return d->problems.errors > 0 ? EX_CONFIG : EX_OK;
}

static int configuration_up(struct daemon *d)
{
	problem_init(&d->problems);
	d->problems.strict = d->arguments->strict;
	option_init(&d->keep);
	d->folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	d->files = timed_calls_new();
	d->tree = conf_load(d->arguments->config, d->files, &d->problems);
	if (d->tree == NULL)
		return verdict_up(d);
	settings_read(d->tree->root, &d->settings, &d->keep, &d->problems);
	configure_read(&d->configure, d->tree->root, d->settings.auto_load_plugin, &d->problems);
	return EX_OK;
}

static void configuration_down(struct daemon *d)
{
	configure_done(&d->configure);
	rule_files_done(&d->rules);
	option_release(&d->keep);
	conf_free(d->tree);
	problem_done(&d->problems);
	timed_calls_free(d->files);
	if (d->folder >= 0)
		close(d->folder);
}

/* Our own directory comes last; directories of other programs, such as collectd, do not count. */
static void choose_plugin_dirs(struct daemon *d)
{
	const struct mc_strings *given = &d->settings.plugin_dirs;

	if (d->arguments->plugin_dir != NULL) {
		d->plugin_dir = realpath(d->arguments->plugin_dir, NULL);
		plugin_dir_add(&d->plugin_dirs,
			       d->plugin_dir != NULL ? d->plugin_dir : d->arguments->plugin_dir);
		return;
	}
	for (size_t i = 0; i < given->len; i++) {
		if (plugin_dir_has_any(given->items[i]))
			plugin_dir_add(&d->plugin_dirs, given->items[i]);
		else
			problem_warn(&d->problems,
				     settings_place(d->tree->root, "PluginDir", given->items[i]),
				     "PluginDir '%s' has no plugin of this "
				     "collector: skipped",
				     given->items[i]);
	}
	plugin_dir_add(&d->plugin_dirs, MC_PLUGINDIR);
}

static int types_up(struct daemon *d)
{
	struct rule_files_source rules = { &d->settings.rules_dirs, &d->plugin_dirs, d->files };
	struct type_set *types;

	choose_plugin_dirs(d);
	types = known_types_load(&(struct known_types_source){ &d->settings.types_db, d->tree->root,
							       &d->configure, &d->plugin_dirs,
							       d->files },
				 &d->problems);
	known_types_take(&d->types, types, &d->problems);
	known_graphs_take(&d->graphs, known_graphs_load(d->tree->root, &d->problems));
	rule_files_load(&d->rules, &rules, &d->configure, &d->problems);
	recorded_add(&d->configure, &d->plugin_dirs, &d->problems);
	return EX_OK;
}

static void types_down(struct daemon *d)
{
	known_graphs_done(&d->graphs);
	known_types_done(&d->types);
	plugin_dir_done(&d->plugin_dirs);
	free(d->plugin_dir);
}

static int host_up(struct daemon *d)
{
	const char *given = d->settings.hostname;

	if (given != NULL && given[0] != '\0') {
		snprintf(d->host, sizeof(d->host), "%s", given);
		return EX_OK;
	}
	switch (hostname_get(d->host, sizeof(d->host), d->settings.fqdn_lookup, LOOKUP_LIMIT)) {
	case HOSTNAME_GOOD:
		break;
	case HOSTNAME_UNKNOWN:
		log_warn("cannot look up the full name of '%s', uses the short one (FQDNLookup)",
			 d->host);
		break;
	case HOSTNAME_LOOPBACK:
		log_warn("/etc/hosts gives '%s' the full name of the loopback (FQDNLookup)",
			 d->host);
	}
	return EX_OK;
}

static struct instances_source source_of(const struct daemon *d)
{
	return (struct instances_source){ &d->configure, &d->plugin_dirs, d->settings.interval,
					  d->engine, d->arguments->shadow };
}

/* Files that were below BaseDir without a word about it, below another one start anew. */
static void warn_of_base_dir(struct daemon *d)
{
	const char *path = d->arguments->config, *slash = strrchr(path, '/');
	bool theirs = strcmp(slash != NULL ? slash + 1 : path, "collectd.conf") == 0;

	if (settings_place(d->tree->root, "BaseDir", NULL).file != NULL ||
	    !instances_are_below_base(&d->instances) ||
	    (!theirs &&
	     (access(COLLECTD_BASE_DIR, F_OK) != 0 || access(d->settings.base_dir, F_OK) == 0)))
		return;
	problem_warn(&d->problems, (struct place){ 0 },
		     "files go to '%s', not to those of collectd: to go on "
		     "with these, set BaseDir \"" COLLECTD_BASE_DIR "\"",
		     d->settings.base_dir);
}

static int plugins_up(struct daemon *d)
{
	struct instances_source source;
	const struct settings *settings = &d->settings;
	struct engine_settings engine;
	bool journal = settings->journal != SETTINGS_JOURNAL_OFF && d->arguments->mode == MODE_RUN;

	d->journal = (struct journal_settings){
		.path = settings->journal_dir,
		.sync = settings->journal_sync,
		.bytes = settings->journal_bytes,
		.min_free = settings->journal_min_free,
	};
	engine = reload_settings(settings, &d->types, &d->graphs);
	engine.version = PACKAGE_VERSION;
	engine.host = d->host;
	engine.journal = journal ? &d->journal : NULL;
	engine.catalogue_limit = (size_t)settings->catalogue_limit;
	engine.journal_always = settings->journal == SETTINGS_JOURNAL_ON;
	if (d->arguments->mode == MODE_RUN) {
		engine.alerts = "alerts";
		engine.catalogue = settings->catalogue_limit > 0 ? "catalogue" : NULL;
		engine.before_run = watch_begin;
	}
	d->engine = engine_new(&engine);
	source = source_of(d);
	instances_add(&d->instances, &source, d->arguments->mode == MODE_CYCLE, &d->problems);
	if (d->arguments->mode != MODE_TEST)
		instances_name_host(&d->instances, d->engine, d->host, sizeof(d->host));
	warn_of_base_dir(d);
	return EX_OK;
}

static void plugins_down(struct daemon *d)
{
	engine_free(d->engine);
	instances_done(&d->instances);
}

/* An error found by a plugin ends a test and a strict start.  Another start logs it and goes on
 * without the plugins that do not start: a missing file may be there at the next reload. */
static bool must_be_right(const struct daemon *d)
{
	return d->arguments->mode == MODE_TEST || d->arguments->strict;
}

static int check(struct daemon *d)
{
	struct instances_source source = source_of(d);
	const struct check_rules rules = {
		.host = !d->arguments->no_environment,
		.apart = d->arguments->mode == MODE_TEST,
		.folder = d->folder,
		.files = d->files,
		.types = known_types_now(&d->types),
		.sandbox = d->sandbox,
		.starting = d->arguments->mode == MODE_RUN,
		.beside = d->arguments->beside,
	};

	return check_plugins(&source, &rules, &d->problems) ? EX_OK : EX_UNAVAILABLE;
}

static int check_up(struct daemon *d)
{
	return must_be_right(d) ? check(d) : EX_OK;
}

static void open_sandbox(struct daemon *d)
{
	const char *unit = d->arguments->unit;

	d->sandbox = sandbox_read(unit, d->settings.base_dir, MC_DATADIR "/drop-ins");
	if (d->sandbox == NULL && d->arguments->mode == MODE_TEST)
		problem_error(&d->problems, (struct place){ 0 }, "cannot read the unit '%s': %s",
			      unit != NULL ? unit : "collector.service",
			      errno == ESHUTDOWN ? "it is masked" : strerror(errno));
}

static void sandbox_down(struct daemon *d)
{
	sandbox_free(d->sandbox);
}

/* Under the unit, the log says what the unit takes away. */
static int tell_up(struct daemon *d)
{
	if (must_be_right(d))
		return EX_OK;
	if (d->systemd.fd >= 0)
		open_sandbox(d);
	return check(d);
}

/* Whoever tries the collector out as a user, without a BaseDir, stays where he
 * is.  Nobody else's data may lie in another folder than was meant. */
static bool may_stay(const struct daemon *d, struct place *place)
{
	struct given given = { 0 };

	given_find(&d->keep, &d->settings.base_dir, &given);
	*place = given.value != NULL ? given.place : (struct place){ 0 };
	return given.value == NULL && geteuid() != 0;
}

static int folder_up(struct daemon *d)
{
	const char *path = d->settings.base_dir;
	int rc = d->arguments->keep_folders ? 0 : folder_make(path);
	struct place place;

	if (rc == 0 && (access(path, W_OK | X_OK) != 0 || chdir(path) != 0))
		rc = -errno;
	if (rc == 0)
		return EX_OK;
	if (may_stay(d, &place) && d->arguments->foreground) {
		log_warn("cannot use '%s', relative paths start where the "
			 "collector was started: %s; BaseDir sets another",
			 path, strerror(-rc));
		return EX_OK;
	}
	log_error("cannot use BaseDir '%s': %s", path, strerror(-rc));
	return EX_OSERR;
}

/* Goes to BaseDir as far as there is one, so that relative paths are judged where they would be. */
static int base_up(struct daemon *d)
{
	const char *path = d->settings.base_dir;
	size_t first = d->problems.len;
	struct place place;
	char *fault;

	if (d->arguments->no_environment)
		return EX_OK;
	if (d->arguments->under_unit)
		open_sandbox(d);
	fault = check_folder(path);
	if (fault != NULL && may_stay(d, &place))
		problem_warn(&d->problems, place, "BaseDir '%s' %s", path, fault);
	else if (fault != NULL)
		problem_error(&d->problems, place, "BaseDir '%s' %s", path, fault);
	else
		folder_enter(path);
	free(fault);
	check_paths(&d->settings, &d->keep, d->sandbox, &d->problems);
	problem_mark_host(&d->problems, first, NULL);
	return EX_OK;
}

static int pid_up(struct daemon *d)
{
	const char *path = d->arguments->pid_file;
	int rc;

	if (path == NULL)
		path = d->settings.pid_file;
	if (d->arguments->foreground || path[0] == '\0')
		return EX_OK;
	rc = background_write_pid(&d->background, path);
	if (rc == -EEXIST) {
		log_error("another collector holds '%s'", path);
		return EX_UNAVAILABLE;
	}
	if (rc == 0)
		return EX_OK;
	log_error("cannot write PIDFile '%s': %s", path, strerror(-rc));
	return EX_OSERR;
}

static void pid_down(struct daemon *d)
{
	background_remove_pid(&d->background);
}

/* The journal takes what is sent to syslog as well: nothing should be in it twice. */
static void choose_stderr(const struct daemon *d)
{
	const struct instance *syslog = instances_syslog(&d->instances);
	bool twice = syslog != NULL && engine_has_started(syslog) && log_is_journal() &&
		     access("/dev/log", W_OK) == 0;

	log_to_stderr(twice ? -1 : MC_NOTE);
}

/* Last chance to report to the parent process. */
static int answer_of_start(const struct daemon *d)
{
	const char *deaf = instances_deaf(&d->instances);

	if (d->arguments->foreground || deaf == NULL)
		return EX_OK;
	log_error("'%s' has not started, so no client could connect: does not "
		  "go to the background",
		  deaf);
	return EX_OSERR;
}

static int start_up(struct daemon *d)
{
	unsigned failed;

	limits_raise_files();
	failed = engine_start(d->engine);
	choose_stderr(d);
	report_log(&d->problems); /* Now that whoever takes the log is there. */
	if (failed > 0)
		log_error("%u of %zu plugins have not started", failed, d->instances.len);
	if (instances_bring_nothing(&d->instances)) {
		log_error("ends: no reader and no listener has started");
		return EX_CONFIG;
	}
	log_note(PACKAGE_STRING " started as '%s': %zu plugin%s, every %g s", d->host,
		 d->instances.len, plural(d->instances.len), d->settings.interval / 1e9);
	return answer_of_start(d);
}

/* The kernel ends threads that cannot be stopped: memory that an abandoned thread uses must not be
 * freed. */
static void start_down(struct daemon *d)
{
	bool all;

	systemd_say(&d->systemd, "STOPPING=1\nSTATUS=stopping");
	all = engine_stop(d->engine, STOP_LIMIT);
	log_to_stderr(MC_NOTE); /* Plugins take the log no more. */
	if (!all) {
		log_warn("stopped, hanging threads are left behind");
		background_remove_pid(&d->background);
		_exit(EX_OK);
	}
	log_note("stopped");
}

/* systemd wants the time, so that it knows this answer from one before. */
static void reload(void *argument)
{
	struct daemon *d = argument;
	struct reload reload = {
		.config = d->arguments->config,
		.folder = d->folder,
		.plugin_dirs = &d->plugin_dirs,
		.settings = &d->settings,
		.types = &d->types,
		.graphs = &d->graphs,
		.instances = &d->instances,
		.engine = d->engine,
		.files = d->files,
		.strict = d->arguments->strict,
		.beside = d->arguments->beside,
	};

	if (d->arguments->shadow) {
		log_warn("a shadow does not reload its configuration");
		return;
	}
	systemd_say(&d->systemd,
		    "RELOADING=1\nMONOTONIC_USEC=%lld\n"
		    "STATUS=reading the configuration",
		    (long long)(thread_time() / 1000));
	if (reload_run(&reload))
		choose_stderr(d);
	alloc_give_back(); /* Both configurations were in memory. */
	systemd_say(&d->systemd, "READY=1\nSTATUS=running: %zu series", engine_series(d->engine));
}

static int watch_up(struct daemon *d)
{
	struct watch watch = { d->engine, &d->instances, &d->systemd, reload, d };
	int rc;

	systemd_say(&d->systemd, "READY=1");
	background_report(&d->background, EX_OK);
	if (!d->arguments->foreground)
		background_detach(!instances_have_log(&d->instances));
	rc = watch_run(&watch);
	if (rc == 0)
		return EX_OK;
	log_error("cannot wait for signals: %s", strerror(-rc));
	return EX_OSERR;
}

static int cycle_up(struct daemon *d)
{
	unsigned failed = engine_start_idle(d->engine);

	if (d->instances.len > 0)
		failed += cycle_print(d->engine, instances_any(&d->instances), stdout);
	return failed > 0 ? EX_UNAVAILABLE : EX_OK;
}

static void cycle_down(struct daemon *d)
{
	if (!engine_stop(d->engine, STOP_LIMIT))
		_exit(EX_UNAVAILABLE);
}

static int describe_up(struct daemon *d)
{
	const char *given = d->arguments->plugin_dir;

	given = given != NULL ? given : MC_PLUGINDIR;
	return describe_plugins(d->arguments, given, stdout);
}

/* --- Their order ------------------------------------------------------ */

#define READ_MODES (MODE_RUN | MODE_TEST | MODE_CYCLE)

static const struct phase {
	const char *name;
	unsigned modes;             /* In which it takes part. */
	int (*up)(struct daemon *); /* EX_OK to go on. */
	void (*down)(struct daemon *);
} phases[] = {
	{ "describe", MODE_SHOW, describe_up, NULL },
	{ "background", MODE_RUN, background_up, NULL },
	{ "manager", MODE_RUN, manager_up, manager_down },
	{ "configuration", READ_MODES, configuration_up, configuration_down },
	{ "types", READ_MODES, types_up, types_down },
	{ "host", MODE_RUN | MODE_CYCLE, host_up, NULL },
	{ "plugins", READ_MODES, plugins_up, plugins_down },
	{ "base", MODE_TEST, base_up, sandbox_down },
	{ "check", MODE_RUN | MODE_TEST, check_up, NULL },
	{ "verdict", READ_MODES, verdict_up, NULL },
	{ "folder", MODE_RUN, folder_up, NULL },
	{ "tell", MODE_RUN, tell_up, sandbox_down },
	{ "pid", MODE_RUN, pid_up, pid_down },
	{ "cycle", MODE_CYCLE, cycle_up, cycle_down },
	{ "start", MODE_RUN, start_up, start_down },
	{ "watch", MODE_RUN, watch_up, NULL },
};

int daemon_run(const struct arguments *arguments)
{
	struct daemon d = { .arguments = arguments,
			    .background = { -1, -1, NULL },
			    .systemd = { .fd = -1 },
			    .folder = -1 };
	size_t len = sizeof(phases) / sizeof(phases[0]), i;
	int status = EX_OK;

	alloc_keep_little();
	for (i = 0; i < len && status == EX_OK; i++) {
		if (phases[i].modes & arguments->mode) {
			log_debug("phase '%s'", phases[i].name);
			status = phases[i].up(&d);
		}
	}
	while (i-- > 0)
		if (phases[i].modes & arguments->mode && phases[i].down != NULL)
			phases[i].down(&d);
	background_report(&d.background, status);
	return status;
}
