/* SPDX-License-Identifier: MIT */
/* filecount: how many files are in a directory, and their size
 * (collectd.conf(5), "Plugin filecount").
 *
 * A directory that cannot be read to its end gives no value: its count would be too small.  A file
 * that goes away meanwhile does not count.
 */
#include <collector/plugin.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <collector/check.h>
#include <collector/kit/number.h>
#include <collector/serve.h>

#define DEPTH_MAX 64 /* One descriptor each. */

struct directory {
	const char *path, *plugin, *instance, *pattern, *mtime, *size;
	bool recursive, hidden, regular_only;
	const char *size_type, *count_type, *type_instance;
	mc_time age;  /* Of mtime; negative: younger. */
	double bytes; /* Of size; negative: smaller. */
};

struct filecount {
	struct mc_blocks directories;
};

struct count {
	const struct directory *directory;
	mc_time now;
	uint64_t files;
	double size;
};

/* --- Numbers with a unit -------------------------------------------------- */

struct unit {
	char letter;
	double factor;
};

static const struct unit ages[] = {
	{ 's', 1 },     { 'm', 60 },        { 'h', 3600 },
	{ 'd', 86400 }, { 'w', 7 * 86400 }, { 'y', 31557600 },
};
static const struct unit sizes[] = {
	{ 'b', 1 }, { 'k', 1e3 }, { 'm', 1e6 }, { 'g', 1e9 }, { 't', 1e12 }, { 'p', 1e15 },
};
#define UNITS_LEN 6

/* "-1.5d"; false if it is invalid. */
static bool take_number(const char *text, const struct unit *units, double *number)
{
	double found;

	if (!mc_number_take_double(&text, &found))
		return false;
	for (size_t i = 0; i < UNITS_LEN && *text != '\0'; i++)
		if ((*text | 0x20) == units[i].letter) {
			found *= units[i].factor;
			text++;
			break;
		}
	if (*text != '\0' || fabs(found) > 9e9 * (units == sizes ? 1e9 : 1))
		return false;
	*number = found;
	return true;
}

static bool take_options(struct directory *directory)
{
	double age = 0, bytes = 0;

	if (directory->mtime != NULL && !take_number(directory->mtime, ages, &age))
		return false;
	if (directory->size != NULL && !take_number(directory->size, sizes, &bytes))
		return false;
	directory->age = (mc_time)(age * (double)MC_SECOND);
	directory->bytes = bytes;
	return true;
}

/* --- A file --------------------------------------------------------------- */

static bool has_age(const struct count *count, const struct stat *status)
{
	mc_time age = count->directory->age;
	mc_time changed = status->st_mtim.tv_sec * MC_SECOND + status->st_mtim.tv_nsec;

	if (age == 0)
		return true;
	return age > 0 ? changed < count->now - age : changed > count->now + age;
}

static bool has_size(const struct count *count, const struct stat *status)
{
	double bytes = count->directory->bytes, size = (double)status->st_size;

	if (bytes == 0)
		return true;
	return bytes > 0 ? size >= bytes : size < -bytes;
}

static void take_file(struct count *count, const char *name, const struct stat *status)
{
	const struct directory *directory = count->directory;

	if (directory->regular_only && !S_ISREG(status->st_mode))
		return;
	if (directory->pattern != NULL && fnmatch(directory->pattern, name, 0) != 0)
		return;
	if (S_ISREG(status->st_mode) && (!has_age(count, status) || !has_size(count, status)))
		return;
	count->files++;
	if (S_ISREG(status->st_mode))
		count->size += (double)status->st_size;
}

/* --- A directory ---------------------------------------------------------- */

/* The directories from the first to the one that is being read. */
struct walk {
	DIR *open[DEPTH_MAX];
	unsigned depth;
};

static int enter(struct walk *walk, int parent, const char *name)
{
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (walk->depth > 0 ? O_NOFOLLOW : 0);
	int fd;

	if (walk->depth == DEPTH_MAX)
		return -ELOOP;
	fd = openat(parent, name, flags);
	if (fd < 0)
		return -errno;
	walk->open[walk->depth] = fdopendir(fd);
	if (walk->open[walk->depth] == NULL) {
		int errnum = errno;

		close(fd);
		return -errnum;
	}
	walk->depth++;
	return 0;
}

static void leave(struct walk *walk)
{
	closedir(walk->open[--walk->depth]);
}

static int take_entry(struct walk *walk, struct count *count, const char *name)
{
	int parent = dirfd(walk->open[walk->depth - 1]), rc;
	struct stat status;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	    (name[0] == '.' && !count->directory->hidden))
		return 0;
	if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISDIR(status.st_mode) || !count->directory->recursive) {
		take_file(count, name, &status);
		return 0;
	}
	rc = enter(walk, parent, name);
	/* It has gone, or is something else since. */
	return rc == -ENOENT || rc == -ENOTDIR ? 0 : rc;
}

static int walk_all(struct count *count, const char *path)
{
	struct walk walk = { .depth = 0 };
	int rc = enter(&walk, AT_FDCWD, path);

	while (rc == 0 && walk.depth > 0) {
		struct dirent *entry;

		errno = 0;
		entry = readdir(walk.open[walk.depth - 1]);
		if (entry != NULL)
			rc = take_entry(&walk, count, entry->d_name);
		else if (errno != 0)
			rc = -errno;
		else
			leave(&walk);
	}
	while (walk.depth > 0)
		leave(&walk);
	return rc;
}

/* --- Reading -------------------------------------------------------------- */

/* As in collectd: without the '/' that it begins with, and '_' for others. */
static const char *instance_of(const struct directory *directory, char *out, size_t size)
{
	if (directory->instance != NULL)
		return directory->instance;
	snprintf(out, size, "%s", directory->path + strspn(directory->path, "/"));
	return out; /* The core replaces '/'. */
}

static void report(const struct directory *directory, const struct count *count,
		   struct mc_batch *out)
{
	char instance[PATH_MAX];
	struct mc_id id = {
		.plugin = directory->plugin,
		.plugin_instance = instance_of(directory, instance, sizeof(instance)),
		.type_instance = directory->type_instance,
	};

	id.type = directory->count_type;
	if (id.type[0] != '\0')
		mc_gauge(out, mc_series(out, id), (double)count->files);
	id.type = directory->size_type;
	if (id.type[0] != '\0')
		mc_gauge(out, mc_series(out, id), count->size);
}

static int filecount_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	const struct filecount *self = ctx->self;
	const struct directory *directories = self->directories.items;
	int failed = 0;

	/* The others count. */
	for (size_t i = 0; i < self->directories.len; i++) {
		struct count count = { .directory = &directories[i], .now = mc_wall() };
		char path[PATH_MAX];
		int rc = walk_all(&count, mc_path(ctx, directories[i].path, path, sizeof(path)));

		if (rc == 0)
			report(&directories[i], &count, out);
		else
			failed = mc_fail(ctx, EAGAIN, "cannot count files in '%s': %s",
					 directories[i].path, strerror(-rc));
	}
	return failed;
}

static int filecount_start(struct mc_ctx *ctx)
{
	struct filecount *self = ctx->self;
	struct directory *directories = self->directories.items;

	for (size_t i = 0; i < self->directories.len; i++)
		if (!take_options(&directories[i]))
			return mc_fail(ctx, 0, "invalid MTime or Size of '%s'",
				       directories[i].path);
	return 0;
}

static void check_type(struct mc_ctx *ctx, const char *const *field)
{
	const struct mc_type *type = mc_type_find(ctx, *field);

	if (**field == '\0')
		return;
	if (type == NULL)
		mc_check_error(ctx, field, "is in no TypesDB");
	else if (type->sources_len != 1 || type->sources[0].kind != MC_GAUGE)
		mc_check_error(ctx, field, "is not the type of one gauge");
}

static void filecount_check(struct mc_ctx *ctx)
{
	const struct filecount *self = ctx->self;
	const struct directory *directories = self->directories.items;
	double number;

	for (size_t i = 0; i < self->directories.len; i++) {
		const struct directory *directory = &directories[i];

		if (directory->mtime != NULL && !take_number(directory->mtime, ages, &number))
			mc_check_error(ctx, &directory->mtime,
				       "is not a number with or without s, m, "
				       "h, d, w or y");
		if (directory->size != NULL && !take_number(directory->size, sizes, &number))
			mc_check_error(ctx, &directory->size,
				       "is not a number with or without b, k, "
				       "m, g, t or p");
		check_type(ctx, &directory->count_type);
		check_type(ctx, &directory->size_type);
	}
}

/* --- The options ---------------------------------------------------------- */

static const struct mc_option directory_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct directory, path),
	  .required = true,
	  .sample = "/var/spool/mail",
	  .help = "Path of the directory." },
	{ .name = "Plugin",
	  MC_OPT_STRING(struct directory, plugin),
	  .sample = "filecount",
	  .help = "Plugin in the names of the series; without it, filecount." },
	{ .name = "Instance",
	  MC_OPT_STRING(struct directory, instance),
	  .sample = "mails",
	  .help = "Plugin instance of the series; without it, the path with "
		  "'_' for each '/'." },
	{ .name = "Name",
	  MC_OPT_STRING(struct directory, pattern),
	  .sample = "*.eml",
	  .help = "Glob for the names of files that count." },
	{ .name = "MTime",
	  MC_OPT_STRING(struct directory, mtime),
	  .sample = "1d",
	  .help = "Counts files that were changed longer ago, or since then "
		  "if it is negative; seconds, or with m, h, d, w, y." },
	{ .name = "Size",
	  MC_OPT_STRING(struct directory, size),
	  .sample = "10k",
	  .help = "Counts files of at least this size, or smaller ones if it "
		  "is negative; bytes, or thousands with k, and m, g, t, p." },
	{ .name = "Recursive",
	  MC_OPT_BOOL(struct directory, recursive),
	  .default_value = "true",
	  .help = "Counts files in directories below, too." },
	{ .name = "IncludeHidden",
	  MC_OPT_BOOL(struct directory, hidden),
	  .default_value = "false",
	  .help = "Counts files, and looks into directories, whose names "
		  "begin with a dot." },
	{ .name = "RegularOnly",
	  MC_OPT_BOOL(struct directory, regular_only),
	  .default_value = "true",
	  .help = "Counts regular files alone: no links, sockets and so on." },
	{ .name = "FilesSizeType",
	  MC_OPT_STRING(struct directory, size_type),
	  .default_value = "bytes",
	  .help = "Type of the sum of sizes; \"\": it is not reported." },
	{ .name = "FilesCountType",
	  MC_OPT_STRING(struct directory, count_type),
	  .default_value = "files",
	  .help = "Type of the number of files; \"\": it is not reported." },
	{ .name = "TypeInstance",
	  MC_OPT_STRING(struct directory, type_instance),
	  .sample = "",
	  .help = "Type instance of the series." },
	{ 0 }
};

static const struct mc_option options[] = {
	{ .name = "Directory",
	  MC_OPT_BLOCKS(struct filecount, directories),
	  .block = &(const struct mc_block){ .size = sizeof(struct directory),
					     .options = directory_options },
	  .help = "A directory whose files are counted." },
	{ 0 }
};

MC_PLUGIN(filecount) = {
	MC_NAMED(filecount),
	.help = "Counts the files in directories and their bytes.",
	.self_size = sizeof(struct filecount),
	.options = options,
	.types = (const char *const[]){ "files", "bytes", NULL },
	.check = filecount_check,
	.start = filecount_start,
	.read = filecount_read,
};
