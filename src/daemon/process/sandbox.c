/* SPDX-License-Identifier: MIT */
/* The parts of the file system that the unit of systemd leaves accessible: ProtectSystem,
 * ProtectHome, PrivateTmp, ReadWritePaths and the directories; and root's remaining powers: User,
 * CapabilityBoundingSet, AmbientCapabilities; see systemd.exec(5). */
#include "daemon/process/sandbox.h"

#include <errno.h>
#include <grp.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "daemon/process/drop_in.h"
#include "daemon/process/unit_file.h"
#include "daemon/process/unit_user.h"

#define NAME "collector.service"

struct paths {
	char **items;
	size_t len;
};

struct sandbox {
	char *base_dir;
	bool private_tmp;
	char system[8], home[12];   /* ProtectSystem, ProtectHome. */
	struct paths writable;      /* ReadWritePaths; */
	struct paths own;           /* folders that systemd makes for the unit. */
	struct paths no_exec, exec; /* NoExecPaths, ExecPaths. */
	struct paths bounds;        /* CapabilityBoundingSet: */
	bool bounded;               /* these alone; if not, all but these. */
	struct paths ambient;       /* The powers of another user than root. */
	struct unit_user user;
	const char *drop_ins; /* A folder, with one for some plugins. */

	/* The settings that a drop-in needs. */
	struct paths wanted, wanted_capabilities, wanted_groups, wanted_exec;
	bool wants_tmp, wants_home;
};

static bool has(const struct paths *words, const char *word)
{
	for (size_t i = 0; i < words->len; i++)
		if (strcmp(words->items[i], word) == 0)
			return true;
	return false;
}

static void add(struct paths *paths, const char *path)
{
	if (has(paths, path))
		return;
	paths->items = alloc_resize(paths->items, paths->len + 1, sizeof(char *));
	paths->items[paths->len++] = alloc_copy(path);
}

static void clear(struct paths *paths)
{
	for (size_t i = 0; i < paths->len; i++)
		free(paths->items[i]);
	free(paths->items);
	*paths = (struct paths){ 0 };
}

static bool is_below_any(const char *path, const struct paths *folders)
{
	for (size_t i = 0; i < folders->len; i++)
		if (unit_file_is_below(path, folders->items[i]))
			return true;
	return false;
}

static void remove_all(struct paths *words, const struct paths *others)
{
	size_t len = 0;

	for (size_t i = 0; i < words->len; i++)
		if (has(others, words->items[i]))
			free(words->items[i]);
		else
			words->items[len++] = words->items[i];
	words->len = len;
}

static void clear_below(struct paths *paths, const char *folder)
{
	size_t len = 0;

	for (size_t i = 0; i < paths->len; i++)
		if (unit_file_is_below(paths->items[i], folder))
			free(paths->items[i]);
		else
			paths->items[len++] = paths->items[i];
	paths->len = len;
}

/* --- The unit ---------------------------------------------------------- */

static bool is_yes(const char *value)
{
	return strcasecmp(value, "yes") == 0 || strcasecmp(value, "true") == 0 ||
	       strcasecmp(value, "on") == 0 || strcmp(value, "1") == 0;
}

static void add_words(struct paths *paths, const char *top, char *value)
{
	char *rest, path[PATH_MAX];

	for (char *word = strtok_r(value, " \t", &rest); word != NULL;
	     word = strtok_r(NULL, " \t", &rest)) {
		snprintf(path, sizeof(path), "%s%s", top, word + strspn(word, "-+"));
		add(paths, path);
	}
}

/* Several lines add up; an empty one leaves nothing, "~" alone all. */
static void take_bounds(struct sandbox *sandbox, char *value)
{
	bool inverted = value[0] == '~';
	struct paths words = { 0 };

	add_words(&words, "", value + inverted);
	if (words.len == 0)
		clear(&sandbox->bounds);
	if (words.len == 0 || (!sandbox->bounded && sandbox->bounds.len == 0))
		sandbox->bounded = !inverted;
	if (sandbox->bounded == inverted)
		remove_all(&sandbox->bounds, &words);
	else
		for (size_t i = 0; i < words.len; i++)
			add(&sandbox->bounds, words.items[i]);
	clear(&words);
}

/* Several lines add up; an empty one begins anew. */
static void take_words(struct paths *paths, char *value)
{
	if (value[0] == '\0')
		clear(paths);
	add_words(paths, "", value);
}

static void take_word(char *out, size_t size, const char *value)
{
	snprintf(out, size, "%s", is_yes(value) ? "yes" : value);
}

/* StateDirectory and its like; an empty one takes back those above it. */
static void take_folders(struct sandbox *sandbox, const char *name, char *value)
{
	static const char *const tops[][2] = {
		{ "StateDirectory", "/var/lib/" },
		{ "CacheDirectory", "/var/cache/" },
		{ "LogsDirectory", "/var/log/" },
		{ "RuntimeDirectory", "/run/" },
	};

	for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]); i++) {
		if (strcmp(name, tops[i][0]) != 0)
			continue;
		if (value[0] == '\0')
			clear_below(&sandbox->own, tops[i][1]);
		add_words(&sandbox->own, tops[i][1], value);
	}
}

static void take(void *argument, const char *name, char *value)
{
	struct sandbox *sandbox = argument;

	if (strcmp(name, "CapabilityBoundingSet") == 0)
		take_bounds(sandbox, value);
	else if (strcmp(name, "AmbientCapabilities") == 0)
		take_words(&sandbox->ambient, value);
	else if (strcmp(name, "User") == 0)
		unit_user_set_name(&sandbox->user, value);
	else if (strcmp(name, "Group") == 0)
		unit_user_set_group(&sandbox->user, value);
	else if (strcmp(name, "SupplementaryGroups") == 0)
		unit_user_add_groups(&sandbox->user, value);
	else if (strcmp(name, "PrivateTmp") == 0)
		sandbox->private_tmp = is_yes(value);
	else if (strcmp(name, "ProtectSystem") == 0)
		take_word(sandbox->system, sizeof(sandbox->system), value);
	else if (strcmp(name, "ProtectHome") == 0)
		take_word(sandbox->home, sizeof(sandbox->home), value);
	else if (strcmp(name, "ReadWritePaths") == 0)
		take_words(&sandbox->writable, value);
	else if (strcmp(name, "NoExecPaths") == 0)
		take_words(&sandbox->no_exec, value);
	else if (strcmp(name, "ExecPaths") == 0)
		take_words(&sandbox->exec, value);
	else
		take_folders(sandbox, name, value);
}

/* Also of the capabilities that it leaves, a user has only those that it is given. */
static bool leaves(const struct sandbox *sandbox, const char *capability)
{
	return has(&sandbox->bounds, capability) == sandbox->bounded &&
	       (unit_user_is_root(&sandbox->user) || has(&sandbox->ambient, capability));
}

struct sandbox *sandbox_read(const char *unit, const char *base_dir, const char *drop_ins)
{
	struct sandbox *sandbox = alloc_zero(sizeof(*sandbox));
	int rc;

	sandbox->drop_ins = drop_ins;
	sandbox->base_dir = alloc_copy(base_dir);
	rc = unit != NULL ? unit_file_read(unit, take, sandbox)
			  : unit_file_find(NULL, NAME, take, sandbox);
	if (rc < 0) {
		sandbox_free(sandbox);
		errno = -rc;
		return NULL;
	}
	unit_user_find(&sandbox->user);
	sandbox->user.reads_all = leaves(sandbox, "CAP_DAC_READ_SEARCH");
	sandbox->user.writes_all = leaves(sandbox, "CAP_DAC_OVERRIDE");
	return sandbox;
}

void sandbox_free(struct sandbox *sandbox)
{
	if (sandbox == NULL)
		return;
	clear(&sandbox->writable);
	clear(&sandbox->own);
	clear(&sandbox->no_exec);
	clear(&sandbox->exec);
	clear(&sandbox->wanted_exec);
	clear(&sandbox->wanted);
	clear(&sandbox->wanted_capabilities);
	clear(&sandbox->wanted_groups);
	clear(&sandbox->ambient);
	clear(&sandbox->bounds);
	free(sandbox->base_dir);
	free(sandbox);
}

/* --- Paths ------------------------------------------------------------- */

/* The path from the root, or else from 'top', links followed as far as it is there. */
static void resolve(const char *path, const char *top, char out[PATH_MAX])
{
	char whole[PATH_MAX], there[PATH_MAX], *slash;
	size_t kept;

	snprintf(whole, sizeof(whole), "%s%s%s", path[0] == '/' ? "" : top,
		 path[0] == '/' ? "" : "/", path);
	snprintf(out, PATH_MAX, "%s", whole);
	kept = strlen(whole);
	while (realpath(out, there) == NULL) {
		slash = strrchr(out, '/');
		if (slash == NULL || slash == out) {
			snprintf(out, PATH_MAX, "%s", whole);
			return;
		}
		*slash = '\0';
		kept = (size_t)(slash - out);
	}
	snprintf(out, PATH_MAX, "%s%s", there, whole + kept);
}

/* The folder that must be open for writing. */
static void want_folder(struct sandbox *sandbox, const char *path)
{
	struct stat st;
	char *copy = alloc_copy(path);
	bool folder =
		stat(path, &st) == 0 ? S_ISDIR(st.st_mode) : strchr(basename(copy), '.') == NULL;

	free(copy);
	copy = alloc_copy(path);
	add(&sandbox->wanted, folder ? path : dirname(copy));
	free(copy);
}

static bool is_protected(const struct sandbox *sandbox, const char *path)
{
	const char *level = sandbox->system;

	if (unit_file_is_below(path, "/dev") || unit_file_is_below(path, "/proc") ||
	    unit_file_is_below(path, "/sys"))
		return false;
	if (strcmp(level, "strict") == 0)
		return true;
	if (strcmp(level, "full") == 0 && unit_file_is_below(path, "/etc"))
		return true;
	return (strcmp(level, "full") == 0 || strcmp(level, "yes") == 0) &&
	       (unit_file_is_below(path, "/usr") || unit_file_is_below(path, "/boot"));
}

static bool is_home(const char *path)
{
	return unit_file_is_below(path, "/home") || unit_file_is_below(path, "/root") ||
	       unit_file_is_below(path, "/run/user");
}

/* The text, and after it the drop-in of the plugin if that has the words in that setting. */
static char *reason(const struct sandbox *sandbox, const char *plugin, const char *setting,
		    const char *words, const char *text)
{
	char drop_in[PATH_MAX], whole[PATH_MAX + 400];

	if (!drop_in_find(sandbox->drop_ins, plugin, setting, words, drop_in))
		return alloc_copy(text);
	snprintf(whole, sizeof(whole), "%s: the drop-in '%s' is missing", text, drop_in);
	return alloc_copy(whole);
}

/* The longest of the folders that the path is below, or 0. */
static size_t longest_above(const char *path, const struct paths *folders)
{
	size_t longest = 0;

	for (size_t i = 0; i < folders->len; i++)
		if (unit_file_is_below(path, folders->items[i]) &&
		    strlen(folders->items[i]) > longest)
			longest = strlen(folders->items[i]);
	return longest;
}

/* The mode of a path; what systemd makes for the unit is its user's. */
static char *closed(struct sandbox *sandbox, const char *plugin, const char *path,
		    enum check_use use)
{
	static const char *const how[] = {
		[CHECK_READ] = "read",
		[CHECK_WRITE] = "written to",
		[CHECK_CONNECT] = "connected to",
		[CHECK_RUN] = "run",
	};
	const struct group *found;
	char text[160];
	gid_t group;

	if (is_below_any(path, &sandbox->own) || unit_user_may(&sandbox->user, path, use, &group))
		return NULL;
	found = group != (gid_t)-1 ? getgrgid(group) : NULL;
	snprintf(text, sizeof(text), "cannot be %s by '%s', the user of " NAME, how[use],
		 sandbox->user.name);
	if (found == NULL)
		return alloc_copy(text);
	add(&sandbox->wanted_groups, found->gr_name);
	return reason(sandbox, plugin, "SupplementaryGroups", found->gr_name, text);
}

/* No program can be run where NoExecPaths is the nearest above it. */
static char *no_program(struct sandbox *sandbox, const char *plugin, const char *path)
{
	size_t shut = longest_above(path, &sandbox->no_exec);

	if (shut == 0 || longest_above(path, &sandbox->exec) >= shut)
		return closed(sandbox, plugin, path, CHECK_RUN);
	add(&sandbox->wanted_exec, path);
	return reason(sandbox, plugin, "ExecPaths", "",
		      "cannot be run under " NAME ": NoExecPaths");
}

char *sandbox_hides(struct sandbox *sandbox, const char *plugin, const char *path,
		    enum check_use use)
{
	bool tmpfs = strcmp(sandbox->home, "yes") == 0 || strcmp(sandbox->home, "tmpfs") == 0;
	bool named = use == CHECK_RUN && strchr(path, '/') == NULL;
	char whole[PATH_MAX], text[100];

	resolve(path, named ? "/usr/bin" : sandbox->base_dir, whole);
	if (sandbox->private_tmp &&
	    (unit_file_is_below(whole, "/tmp") || unit_file_is_below(whole, "/var/tmp"))) {
		sandbox->wants_tmp = true;
		if (use == CHECK_WRITE && sandbox->system[0] != '\0')
			want_folder(sandbox, whole);
		return alloc_copy("is another file under " NAME ": PrivateTmp");
	}
	if (is_home(whole) && tmpfs) {
		sandbox->wants_home = true;
		return alloc_copy("is not there under " NAME ": ProtectHome");
	}
	if (use == CHECK_RUN)
		return no_program(sandbox, plugin, whole);
	if (use != CHECK_WRITE || is_below_any(whole, &sandbox->writable) ||
	    is_below_any(whole, &sandbox->own))
		return closed(sandbox, plugin, whole, use);
	if (!is_protected(sandbox, whole) &&
	    !(is_home(whole) && strcmp(sandbox->home, "read-only") == 0))
		return closed(sandbox, plugin, whole, use);
	want_folder(sandbox, whole);
	snprintf(text, sizeof(text), "cannot be written to under " NAME ": %s",
		 is_protected(sandbox, whole) ? "ProtectSystem" : "ProtectHome");
	return reason(sandbox, plugin, "ReadWritePaths", whole, text);
}

/* --- Capabilities ------------------------------------------------------ */

char *sandbox_lacks(struct sandbox *sandbox, const char *plugin, const char *capabilities)
{
	char *copy = alloc_copy(capabilities), *rest;
	char lacking[200] = "", text[300];

	for (char *word = strtok_r(copy, " ", &rest); word != NULL;
	     word = strtok_r(NULL, " ", &rest)) {
		size_t size = strlen(lacking);

		if (leaves(sandbox, word))
			continue;
		snprintf(lacking + size, sizeof(lacking) - size, "%s%s", size > 0 ? " " : "", word);
		add(&sandbox->wanted_capabilities, word);
	}
	free(copy);
	if (lacking[0] == '\0')
		return NULL;
	snprintf(text, sizeof(text), "needs %s, which " NAME " does not have", lacking);
	return reason(sandbox, plugin, "CapabilityBoundingSet", lacking, text);
}

char *sandbox_is_outside(struct sandbox *sandbox, const char *plugin, const char *group)
{
	const struct group *found = getgrnam(group);
	char text[256];

	if (found == NULL || !sandbox->user.known || unit_user_is_root(&sandbox->user) ||
	    unit_user_is_member(&sandbox->user, found->gr_gid))
		return NULL;
	add(&sandbox->wanted_groups, group);
	snprintf(text, sizeof(text),
		 "needs the group '%.64s', which '%s', the user of " NAME ", is not in", group,
		 sandbox->user.name);
	return reason(sandbox, plugin, "SupplementaryGroups", group, text);
}

/* --- The drop-in ------------------------------------------------------- */

static void print_words(const char *name, const struct paths *words, FILE *out)
{
	fprintf(out, "%s=", name);
	for (size_t i = 0; i < words->len; i++)
		fprintf(out, "%s%s", i > 0 ? " " : "", words->items[i]);
	fputc('\n', out);
}

/* The calls that need them are shut as well.  Who may become another user is
 * root, whose programs then have none of this. */
static void print_capabilities(const struct sandbox *sandbox, FILE *out)
{
	const struct paths *wanted = &sandbox->wanted_capabilities;
	bool becomes = has(wanted, "CAP_SETUID") || has(wanted, "CAP_SETGID");

	if (wanted->len == 0)
		return;
	print_words("CapabilityBoundingSet", wanted, out);
	if (becomes)
		fputs("SystemCallFilter=@setuid\n", out);
	if (has(wanted, "CAP_CHOWN"))
		fputs("SystemCallFilter=@chown\n", out);
	if (unit_user_is_root(&sandbox->user))
		return;
	if (becomes)
		fputs("User=root\n", out);
	else
		print_words("AmbientCapabilities", wanted, out);
}

/* A path made writable has lost the NoExecPaths of those above it. */
void sandbox_print(const struct sandbox *sandbox, FILE *out)
{
	if (!sandbox->wants_tmp && !sandbox->wants_home &&
	    sandbox->wanted.len + sandbox->wanted_capabilities.len + sandbox->wanted_groups.len +
			    sandbox->wanted_exec.len ==
		    0)
		return;
	fputs("A drop-in makes room, /etc/systemd/system/" NAME ".d/paths.conf:\n[Service]\n", out);
	if (sandbox->wants_tmp)
		fputs("PrivateTmp=no\n", out);
	if (sandbox->wants_home)
		fputs("ProtectHome=read-only\n", out);
	for (size_t i = 0; i < sandbox->wanted.len; i++)
		fprintf(out, "ReadWritePaths=%s\nNoExecPaths=%s\n", sandbox->wanted.items[i],
			sandbox->wanted.items[i]);
	if (sandbox->wanted_exec.len > 0)
		print_words("ExecPaths", &sandbox->wanted_exec, out);
	if (sandbox->wanted_groups.len > 0)
		print_words("SupplementaryGroups", &sandbox->wanted_groups, out);
	print_capabilities(sandbox, out);
}
