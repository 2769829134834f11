/* SPDX-License-Identifier: MIT */
/* csv: one text file per series and day, byte for byte as collectd 5.12 writes them (found by
 * running it): "epoch,value" on top, then a line per sample.
 *
 * A file is opened, appended to with one write(2), and closed: no more than one descriptor is in
 * use, whatever the number of series, and a file that was moved or removed is simply made anew.
 * Names come from mc_name(), which is a safe relative path; all is opened below a descriptor of
 * DataDir, and through no symbolic link.
 *
 * write(2) outlives a kill of the collector, so a batch is safe when it was written.  The last one
 * before a kill may come again from the journal: the first lines for a file are compared with those
 * at its end.
 *
 * When the disk fails, is full or must not be written, the batch is offered again until it is over.
 * Lines of it that were written before are not written twice: it begins where it ended.
 */
#include <collector/check.h>
#include <collector/history.h>
#include <collector/kit/alloc.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>
#include <collector/print.h>
#include <collector/private/beneath.h>
#include <collector/writer.h>

#include "kit/base/decimal.h"
#include "kit/series/stored_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tail.h"

enum {
	PATH_SIZE = 1024, /* Three components of at most 240, and a date. */
	OPEN_FLAGS = O_APPEND | O_NOCTTY | O_NONBLOCK,
};
/* Until another file may be named. */
static const mc_time name_pause = 600 * MC_SECOND;

struct csv {
	const char *data_dir;
	bool store_rates, file_date;

	int stdio;     /* STDOUT_FILENO, STDERR_FILENO, or -1: files. */
	int root;      /* DataDir, or -1. */
	bool unusable; /* It could not be opened when it was to be. */
	char *text;
	size_t size, capacity; /* Of text. */
	char date[16];         /* "-2009-02-13" */

	struct mc_once once; /* That a file could not be written, */
	mc_time named;       /* and when one was named in the log: */
	char failing[PATH_SIZE];

	/* A waiting batch, of which this number of samples are written. */
	const struct mc_batch *waiting;
	uint64_t written;
};

static const struct mc_option options[] = {
	{ .name = "DataDir",
	  MC_OPT_STRING(struct csv, data_dir),
	  .default_value = ".",
	  .sample = "csv",
	  .help = "Directory of the files, or stdout or stderr; a relative "
		  "path starts at BaseDir." },
	{ .name = "StoreRates",
	  MC_OPT_BOOL(struct csv, store_rates),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Writes changes per second instead of raw counters." },
	{ .name = "FileDate",
	  MC_OPT_BOOL(struct csv, file_date),
	  .default_value = "true",
	  .help = "Appends the local date to file names: a file per day." },
	{ 0 }
};

static char *reserve(struct csv *csv, size_t size)
{
	if (csv->capacity - csv->size < size) {
		csv->capacity = 2 * (csv->capacity + size);
		csv->text = mc_alloc_resize(csv->text, csv->capacity, 1);
	}
	return csv->text + csv->size;
}

static void append(struct csv *csv, const char *text)
{
	size_t size = strlen(text);

	memcpy(reserve(csv, size), text, size);
	csv->size += size;
}

/* "1234567890.123,1,2" with that separator, without an end of line. */
static void append_sample(struct csv *csv, const struct mc_sample *sample, char separator)
{
	const struct mc_type *type = mc_type(sample->series);
	char *start = reserve(csv, (sample->values_len + 1) * (MC_DECIMAL_SIZE + (size_t)1));
	char *out = start;

	out += mc_decimal_seconds(out, sample->time);
	for (unsigned i = 0; i < sample->values_len; i++) {
		enum mc_kind kind = type->sources[i].kind;
		union mc_value value = sample->values[i];

		*out++ = separator;
		if (kind == MC_GAUGE)
			out += mc_decimal_fixed(out, value.gauge);
		else if (csv->store_rates)
			out += mc_decimal_fixed(out, mc_rate(sample, i));
		else if (kind == MC_DERIVE)
			out += mc_print_i64(out, value.derive);
		else
			out += mc_print_u64(out, value.counter);
	}
	csv->size += (size_t)(out - start);
}

static void append_header(struct csv *csv, const struct mc_type *type)
{
	append(csv, "epoch");
	for (unsigned i = 0; i < type->sources_len; i++) {
		append(csv, ",");
		append(csv, type->sources[i].name);
	}
	append(csv, "\n");
}

/* --- To standard output -------------------------------------------------- */

/* In quotes where the text protocol needs them. */
static void append_name(struct csv *csv, const char *name)
{
	char *out;

	if (strpbrk(name, " \t\"\\") == NULL) {
		append(csv, name);
		return;
	}
	out = reserve(csv, 2 * strlen(name) + 2);
	*out++ = '"';
	for (; *name != '\0'; name++) {
		if (*name == '"' || *name == '\\')
			*out++ = '\\';
		*out++ = *name;
	}
	*out++ = '"';
	csv->size = (size_t)(out - csv->text);
}

/* "PUTVAL host/cpu-0/cpu-idle interval=10.000 1234567890.123:1" */
static int write_stdio(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct csv *csv = ctx->self;
	char interval[MC_DECIMAL_SIZE + 1];

	csv->size = 0;
	MC_FOR_EACH_SAMPLE (sample, batch) {
		append(csv, "PUTVAL ");
		append_name(csv, mc_name(sample->series));
		append(csv, " interval=");
		interval[mc_decimal_seconds(interval, sample->interval)] = '\0';
		append(csv, interval);
		append(csv, " ");
		append_sample(csv, sample, ':');
		append(csv, "\n");
	}
	for (size_t done = 0; done < csv->size;) {
		ssize_t size = write(csv->stdio, csv->text + done, csv->size - done);

		if (size < 0 && errno != EINTR)
			return mc_fail(ctx, errno, "cannot write to '%s'", csv->data_dir);
		if (size > 0)
			done += (size_t)size;
	}
	return 0;
}

/* --- To files ------------------------------------------------------------ */

/* Makes and opens DataDir, again if it was removed. */
static int open_root(struct csv *csv)
{
	int fd = mc_open_folder(csv->data_dir, 0777);

	if (fd < 0)
		return fd;
	if (csv->root >= 0)
		close(csv->root);
	csv->root = fd;
	return 0;
}

static int create_file(struct csv *csv, const char *path)
{
	int fd = -ENOENT;

	for (int attempt = 0; fd < 0 && attempt < 3; attempt++) {
		int error = attempt < 2 ? 0 : open_root(csv);

		csv->unusable = error != 0;
		if (error == 0 && attempt > 0) {
			error = mc_mkdirs_beneath(csv->root, path, 0777);
			/* DataDir itself was removed, or never open. */
			if (error == -ENOENT || error == -EBADF)
				continue;
		}
		if (error != 0)
			return error;
		fd = mc_open_beneath(csv->root, path, OPEN_FLAGS | O_WRONLY | O_CREAT | O_EXCL,
				     0666);
		if (fd < 0 && fd != -ENOENT && fd != -EBADF)
			return fd;
	}
	return fd;
}

/* Undoes what an interrupted write left: half a line would join the next. */
static void take_back(struct csv *csv, int fd, const char *path, size_t written, bool created)
{
	off_t end = lseek(fd, 0, SEEK_END);

	if (created)
		unlinkat(csv->root, path, 0);
	else if (written > 0 && end >= (off_t)written && ftruncate(fd, end - (off_t)written) != 0)
		return; /* Nothing more can be done, and it is reported. */
}

/* Appends the text from 'header_size' on, or all of it if the file is new.
 * 'fresh': nothing new was written to it since the start. */
static int write_file(struct csv *csv, const char *path, size_t header_size, bool *fresh)
{
	int fd = mc_open_beneath(csv->root, path, OPEN_FLAGS | (*fresh ? O_RDWR : O_WRONLY), 0);
	bool created = fd == -ENOENT || fd == -EBADF;
	const char *text = csv->text + header_size;
	size_t size = csv->size - header_size;
	ssize_t written;
	int error = 0;

	if (created) {
		fd = create_file(csv, path);
		if (fd < 0)
			return fd;
		text = csv->text;
		size = csv->size;
	}
	if (fd < 0)
		return fd;
	if (*fresh && !created) {
		size_t known = tail_known(fd, text, size);

		if (lseek(fd, 0, SEEK_END) == 0) { /* Not even a header. */
			text = csv->text;
			size = csv->size;
		}
		text += known;
		size -= known;
	}
	*fresh = *fresh && size == 0;
	written = size > 0 ? write(fd, text, size) : 0;
	if (written < 0)
		error = -errno;
	else if ((size_t)written < size)
		error = -ENOSPC;
	if (error != 0)
		take_back(csv, fd, path, written < 0 ? 0 : (size_t)written, created);
	close(fd);
	return error;
}

/* Whether files of DataDir can be written: then one that cannot is bad by itself. */
static bool writes_others(const struct csv *csv)
{
	static const char name[] = ".collector-probe";
	int fd = mc_open_beneath(csv->root, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	bool good;

	if (fd < 0)
		return false;
	good = write(fd, "\n", 1) == 1 && fsync(fd) == 0;
	close(fd);
	unlinkat(csv->root, name, 0);
	return good;
}

/* Whether the cause is not that file alone, and may end some time. */
static bool is_general(const struct csv *csv, int error)
{
	switch (-error) {
	case ENOSPC:
	case EDQUOT:
	case EROFS:
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		return true;
	case EIO:
		return !writes_others(csv);
	default:
		return csv->unusable;
	}
}

/* The file that is named stays the same as long as the reason does: the core logs a text once. */
static void lose(struct mc_ctx *ctx, const char *path, int error, uint64_t lines)
{
	struct csv *csv = ctx->self;

	if (mc_once_failed(&csv->once, (uint64_t)-error))
		csv->named = 0;
	if (mc_once_in(&csv->named, mc_now(), name_pause))
		snprintf(csv->failing, sizeof(csv->failing), "%s", path);
	mc_drop(ctx, lines, -error, "cannot write '%s/%s'", csv->data_dir, csv->failing);
}

/* Writes '*sample' and those after it that are of the same series, which are '*lines'; '*sample'
 * becomes the last of them.  -EAGAIN: none is written, for a reason that concerns all. */
static int write_series(struct mc_ctx *ctx, const struct mc_batch *batch,
			const struct mc_sample **sample, uint64_t *lines)
{
	struct csv *csv = ctx->self;
	const struct mc_sample *next = *sample, *last;
	void **slot = mc_slot(ctx, next->series);
	bool fresh = *slot == NULL;
	char path[PATH_SIZE];
	size_t header_size;
	int error;

	csv->size = 0;
	append_header(csv, mc_type(next->series));
	header_size = csv->size;
	*lines = 0;
	do {
		last = next;
		append_sample(csv, last, ',');
		append(csv, "\n");
		++*lines;
		next = mc_next(batch, last);
	} while (next != NULL && next->series == last->series);

	snprintf(path, sizeof(path), "%s%s", mc_name(last->series),
		 csv->file_date ? csv->date : "");
	csv->unusable = false;
	error = write_file(csv, path, header_size, &fresh);
	*slot = fresh ? NULL : csv;
	if (error != 0 && is_general(csv, error))
		return mc_fail(ctx, EAGAIN, "samples wait: cannot write to '%s': %s", csv->data_dir,
			       strerror(-error));
	if (error != 0)
		lose(ctx, path, error, *lines);
	*sample = last;
	return 0;
}

static int csv_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct csv *csv = ctx->self;
	time_t now = mc_wall() / MC_SECOND;
	const struct mc_sample *sample;
	uint64_t skip = csv->waiting == batch ? csv->written : 0, lines;
	struct tm local;

	if (csv->stdio >= 0)
		return write_stdio(ctx, batch);
	localtime_r(&now, &local);
	strftime(csv->date, sizeof(csv->date), "-%Y-%m-%d", &local);
	csv->waiting = batch;
	csv->written = skip;
	sample = mc_next(batch, NULL);
	for (; skip > 0 && sample != NULL; skip--)
		sample = mc_next(batch, sample);
	for (; sample != NULL; sample = mc_next(batch, sample)) {
		int rc = write_series(ctx, batch, &sample, &lines);

		if (rc < 0)
			return rc;
		csv->written += lines;
	}
	csv->waiting = NULL;
	return 0;
}

static void csv_where(struct mc_ctx *ctx, const char *name, char *out, size_t size)
{
	struct csv *csv = ctx->self;
	char date[16] = "";
	time_t now = mc_wall() / MC_SECOND;
	struct tm local;

	if (csv->stdio >= 0) {
		snprintf(out, size, "%s", csv->data_dir);
		return;
	}
	if (csv->file_date && localtime_r(&now, &local) != NULL)
		strftime(date, sizeof(date), "-%Y-%m-%d", &local);
	snprintf(out, size, "%s/%s%s", csv->data_dir, name, date);
}

/* --- Removing ------------------------------------------------------------ */

/* "-2009-02-13" */
static bool is_date(const char *text)
{
	static const char form[] = "-0000-00-00";

	for (size_t i = 0; i < sizeof(form) - 1; i++)
		if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
			return false;
	return text[sizeof(form) - 1] == '\0';
}

static int unremoved(const char *path, int error, char *why)
{
	snprintf(why, MC_HISTORY_WHY, "cannot remove '%.150s': %s", path,
		 error == -EINVAL ? "it is no file" : strerror(-error));
	return error;
}

/* Removes the file of each day, or the only one.  Folder: where DataDir is. */
static int remove_below(const struct csv *csv, int root, const char *name, size_t *len, char *why)
{
	int folder = mc_parent_beneath(root, name), rc = 0;
	int fd = folder < 0 ? folder
			    : mc_open_beneath(folder, ".", O_RDONLY | O_DIRECTORY | O_NONBLOCK, 0);
	const char *base = strrchr(name, '/') + 1;
	size_t size = strlen(base);
	struct dirent *entry;
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	char path[PATH_SIZE];

	if (folder >= 0)
		close(folder);
	if (entries == NULL)
		return fd == -ENOENT ? 0 : unremoved(name, fd < 0 ? fd : -errno, why);
	while (rc == 0 && (entry = readdir(entries)) != NULL) {
		const char *rest = entry->d_name + size;

		if (strncmp(entry->d_name, base, size) != 0 ||
		    (csv->file_date ? !is_date(rest) : *rest != '\0'))
			continue;
		snprintf(path, sizeof(path), "%s%s", name, rest);
		rc = mc_remove_beneath(root, path);
		*len += rc == 0;
		if (rc < 0)
			unremoved(path, rc, why);
	}
	closedir(entries);
	return rc;
}

static int csv_remove_files(struct mc_ctx *ctx, const char *name, size_t *len, char *why)
{
	const struct csv *csv = ctx->self;
	int root, rc;

	if (csv->stdio >= 0)
		return 0;
	root = open(csv->data_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return errno == ENOENT ? 0 : unremoved(csv->data_dir, -errno, why);
	rc = remove_below(csv, root, name, len, why);
	close(root);
	return rc;
}

/* --- Finding ------------------------------------------------------------- */

struct shown {
	mc_stored_show *show;
	void *argument;
	bool dated;
};

/* A file of a day, or the only one; the time of its last line is that of its last change. */
static bool show_file(void *argument, const struct mc_stored_file *file)
{
	const struct shown *shown = argument;
	size_t size = strlen(file->file), date = sizeof("-2009-02-13") - 1;
	char name[PATH_SIZE];
	struct mc_stored stored = { .name = name };
	struct stat status;

	if (shown->dated && (size <= date || !is_date(file->file + size - date)))
		return true;
	if (fstatat(file->folder, file->file, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISREG(status.st_mode))
		return true;
	snprintf(name, sizeof(name), "%s/%.*s", file->prefix,
		 (int)(shown->dated ? size - date : size), file->file);
	stored.first = stored.last = status.st_mtim.tv_sec * MC_SECOND;
	return shown->show(shown->argument, &stored);
}

static void csv_each_stored(struct mc_ctx *ctx, mc_stored_show *show, void *argument)
{
	const struct csv *csv = ctx->self;
	struct shown shown = { show, argument, csv->file_date };

	if (csv->stdio < 0)
		mc_stored_tree(ctx, csv->data_dir,
			       &(struct mc_stored_walk){ 2, 2, show_file, &shown });
}

/* STDOUT_FILENO, STDERR_FILENO, or -1: a folder. */
static int stdio_of(const struct csv *csv)
{
	if (strcasecmp(csv->data_dir, "stdout") == 0)
		return STDOUT_FILENO;
	if (strcasecmp(csv->data_dir, "stderr") == 0)
		return STDERR_FILENO;
	return -1;
}

static void csv_check(struct mc_ctx *ctx)
{
	struct csv *csv = ctx->self;

	char key[PATH_MAX + 16];

	if (stdio_of(csv) >= 0)
		return;
	mc_check_data_dir(ctx, &csv->data_dir);
	snprintf(key, sizeof(key), "CSV files in %s", csv->data_dir);
	mc_check_only(ctx, &csv->data_dir, key);
}

static int csv_start(struct mc_ctx *ctx)
{
	struct csv *csv = ctx->self;
	int error;

	csv->root = -1;
	csv->stdio = stdio_of(csv);
	mc_accept_late(ctx, INT64_MAX);
	if (csv->stdio >= 0)
		return 0;
	/* It may be mounted or made writable later: not a reason to end. */
	error = open_root(csv);
	if (error != 0)
		mc_log(ctx, MC_ERROR, "cannot open DataDir '%s': %s", csv->data_dir,
		       strerror(-error));
	return 0;
}

/* A slot only says that the series has been seen. */
static void csv_forget(struct mc_ctx *ctx, void *slot)
{
	(void)ctx;
	(void)slot;
}

static void csv_stop(struct mc_ctx *ctx)
{
	struct csv *csv = ctx->self;

	if (csv->root >= 0)
		close(csv->root);
	free(csv->text);
}

static const struct mc_writer writer = {
	.write = csv_write,
	.where = csv_where,
	.remove_files = csv_remove_files,
	.each_stored = csv_each_stored,
	.forget = csv_forget,
	.durable = true,
};

MC_PLUGIN(csv) = {
	MC_NAMED(csv),
	.help = "Writes samples to text files, one per series and day.",
	.self_size = sizeof(struct csv),
	.options = options,
	.check = csv_check,
	.start = csv_start,
	.writer = &writer,
	.stop = csv_stop,
};
