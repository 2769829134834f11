/* SPDX-License-Identifier: MIT */
/* Has the paths of the global options judged. */
#include "daemon/config/check_paths.h"

#include <libgen.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "conf/given.h"
#include "engine/check/check.h"

struct checking {
	const struct conf_keep *keep;
	struct sandbox *sandbox;
	struct problems *problems;
};

/* Where the file gives a field; of no file if it does not. */
static struct place place_of(const struct checking *checking, const void *field)
{
	struct given given = { 0 };

	given_find(checking->keep, field, &given);
	return given.value != NULL ? given.place : (struct place){ 0 };
}

static void check_hiding(const struct checking *checking, const char *option,
			 const char *const *field)
{
	char *why = NULL;

	if (checking->sandbox != NULL)
		why = sandbox_hides(checking->sandbox, NULL, *field, CHECK_WRITE);
	if (why != NULL)
		problem_warn(checking->problems, place_of(checking, field), "%s '%s' %s", option,
			     *field, why);
	free(why);
}

static void check_journal(const struct checking *checking, const struct settings *settings)
{
	const char *path = settings->journal_dir;
	struct place place = place_of(checking, &settings->journal_dir);
	char *fault;

	if (settings->journal == SETTINGS_JOURNAL_OFF)
		return;
	check_hiding(checking, "JournalDir", &settings->journal_dir);
	fault = place.file != NULL ? check_folder(path) : NULL;
	if (fault != NULL)
		problem_error(checking->problems, place, "JournalDir '%s' %s", path, fault);
	free(fault);
}

/* No PID file in the foreground. */
static void check_pid_file(const struct checking *checking, const struct settings *settings)
{
	const char *path = settings->pid_file;
	struct place place = place_of(checking, &settings->pid_file);
	char *copy, *fault;

	if (place.file == NULL || path[0] == '\0')
		return;
	copy = alloc_copy(path);
	fault = check_folder(dirname(copy));
	if (fault != NULL)
		problem_warn(checking->problems, place,
			     "PIDFile '%s' cannot be made, so only -f works: "
			     "its folder %s",
			     path, fault);
	free(fault);
	free(copy);
}

void check_paths(const struct settings *settings, const struct conf_keep *keep,
		 struct sandbox *sandbox, struct problems *problems)
{
	struct checking checking = { keep, sandbox, problems };

	check_hiding(&checking, "BaseDir", &settings->base_dir);
	check_journal(&checking, settings);
	check_pid_file(&checking, settings);
}
