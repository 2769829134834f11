/* SPDX-License-Identifier: MIT */
/* Reads the configuration anew while the collector runs. */
#include "daemon/reload.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "conf/include.h"
#include "daemon/config/check_plugins.h"
#include "daemon/config/configure.h"
#include "daemon/config/recorded.h"
#include "daemon/config/report.h"
#include "daemon/config/rule_files.h"

#define STOP_LIMIT (8 * MC_SECOND) /* Readers go on meanwhile. */

struct candidate { /* A configuration that is not in effect. */
	struct problems problems;
	struct conf_keep keep;
	struct conf_tree *tree; /* NULL: the file cannot be read. */
	struct settings settings;
	struct configure configure;
	struct type_set *types;
	struct known_graphs_set graphs;
	struct rule_files rules;
	struct instances_change change;
};

struct engine_settings reload_settings(const struct settings *settings,
				       const struct known_types *types,
				       const struct known_graphs *graphs)
{
	return (struct engine_settings){
		.types = known_types_now(types),
		.graphs = known_graphs_now(graphs),
		.interval = settings->interval,
		.read_interval_max = settings->max_read_interval,
		.timeout = settings->timeout,
		.read_threads = settings->read_threads,
		.series_limit = settings->series_limit,
		.history_bytes = settings->history_bytes,
		.queue_bytes = settings->write_queue_bytes,
		.internal_stats = settings->collect_internal_stats,
	};
}

/* --- The candidate ---------------------------------------------------- */

/* Relative paths start where the collector was started, but what runs has its own start in BaseDir:
 * so this thread goes there alone.  Returns where to go back to, or -1: it has stayed. */
static int enter_folder(const struct reload *reload)
{
	int back = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (back < 0)
		return -1;
	if (unshare(CLONE_FS) == 0 && fchdir(reload->folder) == 0)
		return back;
	close(back);
	return -1;
}

static void leave_folder(int back)
{
	if (back < 0)
		return;
	if (fchdir(back) != 0)
		log_error("cannot go back to BaseDir");
	close(back);
}

static struct instances_source source_of(const struct reload *reload,
					 const struct candidate *candidate)
{
	return (struct instances_source){
		.configure = &candidate->configure,
		.directories = reload->plugin_dirs,
		.interval = candidate->settings.interval,
		.engine = reload->engine,
	};
}

static void read_candidate(const struct reload *reload, struct candidate *candidate)
{
	struct problems *problems = &candidate->problems;
	struct instances_source source;

	*candidate = (struct candidate){ 0 };
	problem_init(problems);
	problems->strict = reload->strict;
	option_init(&candidate->keep);
	candidate->tree = conf_load(reload->config, reload->files, problems);
	if (candidate->tree == NULL)
		return;
	settings_read(candidate->tree->root, &candidate->settings, &candidate->keep, problems);
	configure_read(&candidate->configure, candidate->tree->root,
		       candidate->settings.auto_load_plugin, problems);
	candidate->types = known_types_load(
		&(struct known_types_source){ &candidate->settings.types_db, candidate->tree->root,
					      &candidate->configure, reload->plugin_dirs,
					      reload->files },
		problems);
	candidate->graphs = known_graphs_load(candidate->tree->root, problems);
	rule_files_load(&candidate->rules,
			&(struct rule_files_source){ &candidate->settings.rules_dirs,
						     reload->plugin_dirs, reload->files },
			&candidate->configure, problems);
	recorded_add(&candidate->configure, reload->plugin_dirs, problems);
	source = source_of(reload, candidate);
	instances_compare(&candidate->change, reload->instances, &source, problems);
}

static void check_candidate(const struct reload *reload, struct candidate *candidate)
{
	struct instances_source source = source_of(reload, candidate);

	check_plugins(&source,
		      &(struct check_rules){ .host = true,
					     .folder = reload->folder,
					     .files = reload->files,
					     .types = candidate->types,
					     .beside = reload->beside },
		      &candidate->problems);
}

static void drop_candidate(struct candidate *candidate)
{
	configure_done(&candidate->configure);
	rule_files_done(&candidate->rules);
	option_release(&candidate->keep);
	conf_free(candidate->tree);
	problem_done(&candidate->problems);
}

/* --- Either ----------------------------------------------------------- */

static void refuse(struct reload *reload, struct candidate *candidate)
{
	const struct problems *problems = &candidate->problems;
	char first[512] = "";

	for (size_t i = 0; i < problems->len && first[0] == '\0'; i++)
		if (problems->items[i].level == MC_ERROR)
			problem_format(&problems->items[i], first, sizeof(first));
	if (candidate->tree != NULL) {
		instances_reject(&candidate->change);
		type_set_free(candidate->types);
		known_graphs_free(candidate->graphs);
	}
	report_log(problems);
	log_error("configuration refused: %u error%s; it goes on with the one "
		  "before",
		  problems->errors, problems->errors == 1 ? "" : "s");
	engine_note_reload(reload->engine, true, first);
}

static void warn_fixed(void *argument, const char *option)
{
	(void)argument;
	log_warn("'%s' has changed: that needs a restart", option);
}

static void report_done(const struct reload *reload, const struct difference *difference,
			const struct instances_result *result)
{
	char failure[512] = "";

	log_note("configuration reloaded: %zu plugin%s went on, %zu changed, "
		 "%zu new, %zu gone",
		 difference->kept_len, difference->kept_len == 1 ? "" : "s", difference->changed,
		 difference->added, difference->removed);
	if (result->failed > 0) {
		snprintf(failure, sizeof(failure), "%u of %zu plugins have not started%s%s",
			 result->failed, difference->changed + difference->added,
			 result->back > 0 ? "; these go on with their old settings: " : "",
			 result->names);
		log_error("%s", failure);
	} else if (result->not_renewed > 0) {
		snprintf(failure, sizeof(failure),
			 "%u plugin%s could not read files anew and went on "
			 "with those of before",
			 result->not_renewed, result->not_renewed == 1 ? "" : "s");
		log_error("%s", failure);
	}
	engine_note_reload(reload->engine, false, failure);
}

static void accept(struct reload *reload, struct candidate *candidate)
{
	struct difference counts = candidate->change.difference;
	struct engine_settings settings;
	struct instances_result result;

	settings_change(reload->settings, &candidate->settings, warn_fixed, NULL);
	known_types_take(reload->types, candidate->types, &candidate->problems);
	known_graphs_take(reload->graphs, candidate->graphs);
	settings = reload_settings(reload->settings, reload->types, reload->graphs);
	engine_tune(reload->engine, &settings);
	result = instances_apply(&candidate->change, reload->instances, reload->engine, STOP_LIMIT);
	report_log(&candidate->problems);
	report_done(reload, &counts, &result);
}

bool reload_run(struct reload *reload)
{
	struct candidate candidate;
	const char *objection;
	bool accepted;
	int back = enter_folder(reload);

	read_candidate(reload, &candidate);
	leave_folder(back);
	if (candidate.problems.errors == 0)
		check_candidate(reload, &candidate);
	if (candidate.problems.errors == 0) {
		objection =
			instances_objection(&candidate.change, reload->instances, reload->engine);
		if (objection != NULL)
			problem_error(&candidate.problems, (struct place){ 0 },
				      "this configuration %s", objection);
	}
	accepted = candidate.problems.errors == 0;
	if (accepted)
		accept(reload, &candidate);
	else
		refuse(reload, &candidate);
	drop_candidate(&candidate);
	return accepted;
}
