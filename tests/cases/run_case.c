/* SPDX-License-Identifier: MIT */
/* run_case - tests of plugins, as data.
 *
 *   run_case [-u] [FOLDER...]
 *
 * A case is a folder plugins/ROLE/NAME/cases/CASE/ with
 *   conf       the plugin's configuration; "Interval" counts, too (else 10)
 *   root/      what the plugin finds below "/", see fixture.h
 *   root2/ ... what it finds one interval later, and so on
 *   peer       steps: what the program at the other end of a socket does, what
 *              is put into the plugin, and what time passes; see steps.h
 *   expect     all that is seen of it: values, notifications, lines of the log,
 *              what the peer has received
 *
 * The clock is stopped, and stepped.  Without a peer there are as many reads as
 * roots, an interval apart, but at least two of a plugin that reads. To one that
 * writes or judges a root's file "put" goes, see feed.h, and notifications are
 * expected instead of samples; of a judge both, and its samples are those that
 * a writer gets then.  Without arguments all cases below $top_srcdir are run
 * whose plugin was built; -u writes 'expect' instead of comparing it.
 */
#include <errno.h>
#include <glob.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/change/engine.h"

#include "mistake.h"
#include "network.h"
#include "places.h"
#include "setup.h"
#include "shown.h"
#include "stage.h"
#include "steps.h"

/* --- One case ------------------------------------------------------------- */

/* What a judge commits in write() waits for others when that has returned. */
static void drain(struct stage *stage)
{
	if (!engine_drain(stage->engine, 300 * MC_SECOND) ||
	    !engine_drain(stage->engine, 300 * MC_SECOND))
		fprintf(stage->out, "the writer hangs\n");
	stage_show(stage);
}

static void read_all(struct stage *stage)
{
	const unsigned least = stage->setup->plugin->read != NULL ? 2 : 0;

	stage_start(stage);
	while (stage_next_root(stage) || stage->reads <= least) {
		fprintf(stage->out, "--- read %u\n", stage->reads);
		engine_read_once(stage->engine);
		drain(stage);
		clock_step(stage->setup->interval);
	}
	stage_done(stage, stage_stop(stage));
}

/* The first step, after comments, may be that it has a network of its own; it is none
 * elsewhere, as the case would then change that of this machine. */
static void enter_network(FILE *script)
{
	bool first = true;
	char line[PATH_MAX];

	if (script == NULL)
		return;
	while (fgets(line, sizeof(line), script) != NULL) {
		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (strcmp(line, "network\n") == 0 && !first)
			mistake("network", "is not the first step");
		if (strcmp(line, "network\n") == 0 && !network_enter()) {
			printf("SKIP network: a case cannot have its own here\n");
			exit(SETUP_SKIPPED);
		}
		first = false;
	}
	rewind(script);
}

/* The outcome as text, freed by the caller. */
static char *outcome(const char *name, const char *folder)
{
	struct setup setup;
	struct stage stage;
	char *text = NULL, *hidden, path[PATH_MAX];
	FILE *out, *script;
	size_t size;

	setup_init(&setup, name, folder);
	out = open_memstream(&text, &size);
	snprintf(path, sizeof(path), "%s/peer", folder);
	script = fopen(path, "re");
	enter_network(script);
	stage_init(&stage, &setup, out, script != NULL);
	if (script == NULL)
		read_all(&stage);
	else
		steps_run(&stage, script);
	if (script != NULL)
		fclose(script);
	fclose(out);
	hidden = places_hide(setup.places, text);
	free(text);
	setup_done(&setup);
	return hidden;
}

/* --- All cases ------------------------------------------------------------ */

static int judge(const char *name, const char *folder, bool update)
{
	char path[PATH_MAX], *expected, *text = outcome(name, folder);
	size_t size;
	bool same;

	snprintf(path, sizeof(path), "%s/expect", folder);
	expected = shown_file(path, &size);
	same = expected != NULL && strcmp(text, expected) == 0;
	if (update && !same) {
		FILE *out = fopen(path, "w");

		if (out == NULL)
			return 1;
		fputs(text, out);
		same = fclose(out) == 0;
	}
	if (!same)
		printf("FAIL %s\n=== expected\n%s=== got\n%s", folder,
		       expected != NULL ? expected : "", text);
	free(text);
	free(expected);
	return same ? 0 : 1;
}

/* In a process of its own: no case can disturb another. */
static int run(const char *folder, bool update)
{
	char copy[PATH_MAX];
	char *name;
	int status = 0;
	pid_t pid;

	/* .../NAME/cases/CASE */
	snprintf(copy, sizeof(copy), "%s", folder);
	name = basename(dirname(dirname(copy)));
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		exit(judge(name, folder, update));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 99;
	if (WIFSIGNALED(status))
		printf("FAIL %s: signal %d\n", folder, WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

/* Plugins start the programs that stand beside them, not those that are installed. */
static void name_program(const char *variable, const char *folder, const char *name)
{
	char found[PATH_MAX], path[PATH_MAX];

	snprintf(found, sizeof(found), "%s/%s", folder != NULL ? folder : ".", name);
	if (realpath(found, path) != NULL)
		setenv(variable, path, 1);
}

int main(int argc, char **argv)
{
	const char *top = getenv("top_srcdir");
	bool update = argc > 1 && strcmp(argv[1], "-u") == 0;
	unsigned passed = 0, failed = 0, skipped = 0;
	glob_t found = { 0 };
	char pattern[PATH_MAX];

	snprintf(pattern, sizeof(pattern), "%s/plugins/*/*/cases/*", top != NULL ? top : ".");
	setenv("TZ", "UTC", 1);
	name_program("COLLECTOR_SPAWN", getenv("top_builddir"), "collector-spawn");
	name_program("COLLECTOR_IPMI", getenv("top_builddir"), "collector-ipmi");
	name_program("COLLECTOR_PYTHON", top, "plugins/remote/python/collectd.py");
	name_program("COLLECTOR_PERL", top, "plugins/remote/perl/collectd.pl");
	argv += update ? 2 : 1;
	if (*argv == NULL && glob(pattern, 0, NULL, &found) == 0)
		argv = found.gl_pathv;
	for (; *argv != NULL; argv++) {
		int rc = run(*argv, update);

		if (rc == SETUP_SKIPPED)
			skipped++;
		else if (rc == 0)
			passed++;
		else
			failed++;
	}
	globfree(&found);
	printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
	return failed > 0 || passed == 0 ? 1 : 0;
}
