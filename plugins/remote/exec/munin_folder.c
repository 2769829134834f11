/* SPDX-License-Identifier: MIT */
#include "munin_folder.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/list_folder.h>
#include <collector/kit/number.h>
#include <collector/kit/state_file.h>

#include "plugin_conf.h"

#define NAME_LETTERS                                                                               \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"                          \
	"-@.:"
enum { PATH_SIZE = 4096, WORDS_MAX = 64 };

static const struct mc_option options[] = {
	{ "", MC_OPT_STRING(struct munin_folder_block, path), .required = true,
	  .sample = "/etc/munin/plugins",
	  .help = "Folder of plugins of Munin, or of links to them." },
	{ "ConfigDir", MC_OPT_STRING(struct munin_folder_block, conf_path),
	  .default_value = "/etc/munin/plugin-conf.d",
	  .help = "Folder of what they are configured with." },
	{ "StateDir", MC_OPT_STRING(struct munin_folder_block, state_path),
	  .default_value = "/var/lib/munin-node/plugin-state",
	  .help = "Folder in which each user has one for the plugins' state." },
	{ "User", MC_OPT_STRING(struct munin_folder_block, user), .default_value = "nobody",
	  .help = "User of plugins for which ConfigDir names none." },
	{ "Root", MC_OPT_BOOL(struct munin_folder_block, root), .default_value = "false",
	  .help = "Runs plugins as root for which ConfigDir says so; else "
		  "these are not run." },
	{ "Master", MC_OPT_STRING(struct munin_folder_block, master), .default_value = "",
	  .help = "Address of the master that has asked before, which is part "
		  "of the names of plugins' state files." },
	{ "Plugin", MC_OPT_SELECT(struct munin_folder_block, plugins),
	  .help = "Name of a plugin to run, or /expression/; by default "
		  "all." },
	{ "IgnoreSelected", MC_OPT_BOOL(struct munin_folder_block, ignore_selected),
	  .default_value = "false", .help = "Runs all plugins but those of Plugin." },
	{ "Interval", MC_OPT_TIME(struct munin_folder_block, interval), .default_value = "300",
	  .min = 1, .max = 86400, .help = "Seconds between two runs of a plugin." },
	{ "Timeout", MC_OPT_TIME(struct munin_folder_block, timeout), .default_value = "60",
	  .min = 0.1, .max = 3600,
	  .help = "Seconds that a plugin may run, if ConfigDir says nothing "
		  "else." },
	{ 0 },
};
const struct mc_block munin_folder_options = { sizeof(struct munin_folder_block), options };

/* --- What is kept -------------------------------------------------------- */

static const char *keep(struct munin_folders *all, char *text)
{
	all->texts = mc_alloc_resize(all->texts, all->texts_len + 1, sizeof(*all->texts));
	all->texts[all->texts_len++] = text;
	return text;
}

/* An array of texts that others have. */
static struct mc_strings keep_words(struct munin_folders *all, const char *const *words, size_t len)
{
	const char **copy = mc_alloc_array(len + 1, sizeof(*copy));

	for (size_t i = 0; i < len; i++)
		copy[i] = words[i];
	keep(all, (char *)copy);
	return (struct mc_strings){ copy, len };
}

/* Warns about the folders, only in check(), so that it does so once. */
static void warn(const struct munin_folders *all, const void *field, const char *format, ...)
{
	char text[2 * PATH_SIZE];
	va_list args;

	if (!all->is_check)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	mc_check_warn(all->ctx, field, "%s", text);
}

/* --- Which files --------------------------------------------------------- */

static bool ends_with(const char *name, const char *end)
{
	size_t size = strlen(name), rest = strlen(end);

	return size >= rest && strcmp(name + size - rest, end) == 0;
}

/* As munin-node has it, with the ignore_file lines that Debian configures. */
static bool is_plugin(const char *folder, const char *name)
{
	static const char *const ends[] = { ".conf",     "DEADJOE",   ".bak",       ".dpkg-tmp",
					    ".dpkg-new", ".dpkg-old", ".dpkg-dist", ".rpmsave",
					    ".rpmnew",   ".pod" };
	char path[PATH_SIZE];
	struct stat status;

	if (name[0] == '.' || strspn(name, NAME_LETTERS) != strlen(name))
		return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (ends_with(name, ends[i]))
			return false;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

static void read_conf(const struct munin_folders *all, struct plugin_conf *conf,
		      const struct munin_folder_block *block)
{
	const char *folder = block->conf_path;
	struct mc_names names = { NULL, 0 };
	struct mc_buffer text = { 0 };
	char path[PATH_SIZE];
	int rc = mc_list_path(&names, folder, "");
	unsigned line;

	if (rc < 0)
		warn(all, &block->conf_path, "cannot be listed: %s", strerror(-rc));
	for (size_t i = 0; i < names.len; i++) {
		if (strspn(names.items[i], NAME_LETTERS) != strlen(names.items[i]) ||
		    ends_with(names.items[i], ".bak") || strstr(names.items[i], ".dpkg-") != NULL)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, names.items[i]);
		mc_buffer_clear(&text);
		rc = mc_state_file_read(path, &text);
		mc_buffer_add(&text, "", 0);
		line = rc == 0 ? plugin_conf_take(conf, text.at) : 0;
		if (rc < 0 && rc != -EISDIR)
			warn(all, &block->conf_path, "has '%s': cannot read it: %s", names.items[i],
			     strerror(-rc));
		if (line > 0)
			warn(all, &block->conf_path,
			     "has a line that cannot be used, nor what "
			     "follows: %s:%u",
			     path, line);
	}
	mc_buffer_free(&text);
	mc_names_done(&names);
}

/* --- A plugin ------------------------------------------------------------ */

/* "adm, (Debian-exim)": those that there are, of the ones in brackets. */
static void add_groups(const char *groups, struct mc_buffer *out)
{
	char *copy = mc_alloc_copy(groups), *rest = copy, *word;
	bool first = true;

	while ((word = strsep(&rest, ", \t")) != NULL) {
		size_t size = strlen(word);
		bool optional = size > 2 && word[0] == '(' && word[size - 1] == ')';

		if (optional) {
			word[size - 1] = '\0';
			word++;
		}
		if (*word == '\0' || (optional && getgrnam(word) == NULL))
			continue;
		mc_buffer_add(out, first ? ":" : ",", 1);
		mc_buffer_add(out, word, strlen(word));
		first = false;
	}
	free(copy);
}

/* "USER:GROUP,GROUP".  Who is not root runs all as it is. */
static const char *who_runs(struct munin_folders *all, const struct plugin_conf *conf,
			    const char *plugin, const char *user)
{
	const char *groups = plugin_conf_find(conf, plugin, "group");
	struct mc_buffer out = { 0 };

	if (geteuid() != 0)
		return NULL;
	mc_buffer_add(&out, user, strlen(user));
	add_groups(groups != NULL ? groups : "(munin)", &out);
	return keep(all, out.at);
}

/* The folder of a user's state is made, as by munin-node.  False, and errno is
 * set: it cannot be made. */
static bool make_state(const char *folder, const char *user)
{
	const struct passwd *found = getpwnam(user);
	char path[PATH_SIZE];
	int why;

	snprintf(path, sizeof(path), "%s/%s", folder, user);
	if (geteuid() != 0 || found == NULL || access(path, F_OK) == 0)
		return true;
	if (mkdir(path, 0755) != 0)
		return errno == EEXIST;
	if (lchown(path, found->pw_uid, found->pw_gid) == 0)
		return true;
	why = errno;
	rmdir(path);
	errno = why;
	return false;
}

/* Its folder is made at the start; whether it can be is looked at before that. */
static void need_state(struct munin_folders *all, const struct munin_folder_block *block,
		       const char *user)
{
	char path[PATH_SIZE];

	if (all->lacks_state)
		return;
	snprintf(path, sizeof(path), "%s/%s", block->state_path, user);
	if (all->is_check) {
		all->lacks_state = access(path, F_OK) != 0;
		if (all->lacks_state)
			mc_check_capabilities(all->ctx, &block->state_path, "CAP_CHOWN");
	} else if (!make_state(block->state_path, user)) {
		all->lacks_state = true;
		mc_log(all->ctx, MC_WARN, "cannot make '%s': %s: plugins keep no state there", path,
		       strerror(errno));
	}
}

static struct mc_strings make_env(struct munin_folders *all, const struct plugin_conf *conf,
				  const struct munin_folder_block *block, const char *plugin,
				  const char *user)
{
	const char **words = mc_alloc_array(conf->len + 2, sizeof(*words));
	struct mc_strings kept;
	size_t len = 0;

	for (size_t i = 0; i < conf->len; i++) {
		const char *key = plugin_conf_variable(conf, plugin, i);

		if (key != NULL)
			words[len++] =
				keep(all, mc_alloc_printf("%s=%s", key + 4, conf->items[i].value));
	}
	words[len++] = keep(all, mc_alloc_printf("MUNIN_PLUGSTATE=%s/%s", block->state_path, user));
	words[len++] = keep(all, mc_alloc_printf("MUNIN_STATEFILE=%s/%s/%s-%s", block->state_path,
						 user, plugin, block->master));
	kept = keep_words(all, words, len);
	free(words);
	return kept;
}

/* The plugin itself, or the words of "command", in which %c stands for it. */
static struct mc_strings make_words(struct munin_folders *all, const struct plugin_conf *conf,
				    const struct munin_folder_block *block, const char *plugin)
{
	const char *path = keep(all, mc_alloc_printf("%s/%s", block->path, plugin));
	const char *command = plugin_conf_find(conf, plugin, "command");
	const char *words[WORDS_MAX];
	char *rest, *word;
	size_t len = 0;

	if (command == NULL)
		return keep_words(all, &path, 1);
	rest = mc_alloc_copy(command);
	keep(all, rest);
	while ((word = strsep(&rest, " \t")) != NULL && len < WORDS_MAX)
		if (*word != '\0')
			words[len++] = strcmp(word, "%c") == 0 ? path : word;
	return keep_words(all, words, len);
}

/* False: the plugin's series are those of another program. */
static bool has_own_series(struct munin_folders *all, const struct munin_folder_block *block,
			   const struct program_block *program)
{
	const char *series = keep(all, programs_series(program, all->ctx->host));
	const char *path = keep(all, mc_alloc_printf("%s/%s", block->path, program->name));
	const char *owner = claims_take(&all->claims, series, path);

	if (owner != path)
		warn(all, &block->path,
		     "has a plugin '%s' that does not run: '%s' has its series "
		     "%s",
		     program->name, owner, strchr(series, '/') + 1);
	return owner == path;
}

static void add_plugin(struct munin_folders *all, const struct plugin_conf *conf,
		       const struct munin_folder_block *block, const char *plugin)
{
	const char *user = plugin_conf_find(conf, plugin, "user");
	const char *timeout = plugin_conf_find(conf, plugin, "timeout");
	const char *host = plugin_conf_find(conf, plugin, "host_name");
	double seconds;
	struct program_block program;
	bool is_root;

	if (user == NULL)
		user = block->user;
	is_root = geteuid() == 0 && (strcmp(user, "root") == 0 || strcmp(user, "0") == 0);
	if (is_root && !block->root) {
		warn(all, &block->path,
		     "has a plugin '%s' that is to run as root, so it does "
		     "not, see Root",
		     plugin);
		return;
	}
	program = (struct program_block){
		.name = keep(all, mc_alloc_copy(plugin)),
		.words = { who_runs(all, conf, plugin, user),
			   make_words(all, conf, block, plugin) },
		.env = make_env(all, conf, block, plugin, user),
		.format = programs_format_munin,
		.interval = block->interval,
		.timeout = block->timeout,
		.may_be_root = is_root,
	};
	if (host != NULL)
		program.host = keep(all, mc_alloc_copy(host));
	if (timeout != NULL && mc_number_double(timeout, &seconds) && seconds >= 0.1 &&
	    seconds <= 86400)
		program.timeout = (mc_time)(seconds * MC_SECOND);
	if (!has_own_series(all, block, &program))
		return;
	need_state(all, block, user);
	all->items = mc_alloc_resize(all->items, all->len + 1, sizeof(*all->items));
	all->items[all->len++] = program;
}

static void add_folder(struct munin_folders *all, const struct munin_folder_block *block)
{
	struct mc_names names = { NULL, 0 };
	struct plugin_conf conf = { 0 };
	int rc = mc_list_path(&names, block->path, "");

	if (rc < 0)
		warn(all, &block->path, "cannot be listed: %s", strerror(-rc));
	if (names.len > 0)
		read_conf(all, &conf, block);
	all->lacks_state = false;
	for (size_t i = 0; i < names.len; i++)
		if (is_plugin(block->path, names.items[i]) &&
		    mc_selected(block->plugins, block->ignore_selected, names.items[i]))
			add_plugin(all, &conf, block, names.items[i]);
	plugin_conf_done(&conf);
	mc_names_done(&names);
}

static void add_all(struct munin_folders *all, const struct mc_blocks *programs,
		    const struct mc_blocks *folders)
{
	const struct program_block *items = programs->items;
	const struct munin_folder_block *blocks = folders->items;

	all->items = mc_alloc_array(programs->len + 1, sizeof(*all->items));
	for (size_t i = 0; i < programs->len; i++) {
		char *series = programs_series(&items[i], all->ctx->host);
		const char *name = keep(all, mc_alloc_copy(items[i].name));

		if (series == NULL || claims_take(&all->claims, series, name) == name)
			all->items[all->len++] = items[i];
		free(series);
	}
	for (size_t i = 0; i < folders->len; i++)
		add_folder(all, &blocks[i]);
}

static void check_folder(struct mc_ctx *ctx, const struct munin_folder_block *block)
{
	mc_command_check_user(ctx, &block->user, false);
	if (block->plugins == NULL && block->ignore_selected)
		mc_check_warn(ctx, &block->ignore_selected, "has no effect without Plugin");
	if (mc_check_host(ctx))
		mc_check_access(ctx, &block->state_path, block->state_path, MC_ACCESS_WRITE);
}

void munin_folder_check(struct mc_ctx *ctx, const struct mc_blocks *programs,
			const struct mc_blocks *folders)
{
	const struct munin_folder_block *blocks = folders->items;
	struct munin_folders all = { .ctx = ctx, .is_check = true };

	for (size_t i = 0; i < folders->len; i++)
		check_folder(ctx, &blocks[i]);
	if (mc_check_host(ctx))
		add_all(&all, programs, folders);
	munin_folder_done(&all);
}

void munin_folder_make(struct munin_folders *all, struct mc_ctx *ctx,
		       const struct mc_blocks *programs, const struct mc_blocks *folders)
{
	*all = (struct munin_folders){ .ctx = ctx };
	add_all(all, programs, folders);
}

void munin_folder_done(struct munin_folders *all)
{
	for (size_t i = 0; i < all->texts_len; i++)
		free(all->texts[i]);
	free(all->texts);
	free(all->items);
	claims_done(&all->claims);
	*all = (struct munin_folders){ 0 };
}
