/* SPDX-License-Identifier: MIT */
/* Whether files and folders that options name can be used. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <collector/check.h>

#include "base/alloc.h"
#include "base/slow_file.h"
#include "engine/check/check.h"
#include "engine/check/check_tree.h"
#include "engine/context.h"

#define OTHERS (S_IWGRP | S_IRWXO) /* Forbidden permissions of a secret. */

/* Fills 'st'. */
static bool try(struct mc_ctx *ctx, const char *const *field, struct stat *st)
{
	int rc = slow_file_try(check_of(ctx)->files, *field, st);

	if (rc < 0)
		mc_check_error(ctx, field, "cannot be read: %s", slow_file_reason(rc));
	else if (S_ISDIR(st->st_mode))
		mc_check_error(ctx, field, "is a folder, not a file");
	return rc == 0 && !S_ISDIR(st->st_mode);
}

bool mc_check_file(struct mc_ctx *ctx, const char *const *field)
{
	struct stat st;

	if (*field == NULL || !mc_check_host(ctx))
		return true;
	check_hidden(ctx, field, CHECK_READ);
	return try(ctx, field, &st);
}

static void warn_of_others(struct mc_ctx *ctx, const void *field, const char *path,
			   const struct stat *st)
{
	bool write = (st->st_mode & (S_IWGRP | S_IWOTH)) != 0;

	if (st->st_mode & OTHERS)
		mc_check_warn(ctx, field,
			      "is not secret: others can %s '%s' (mode %04o); "
			      "chmod 600 keeps them out",
			      write ? "write to" : "read", path, (unsigned)st->st_mode & 07777);
}

bool mc_check_secret(struct mc_ctx *ctx, const char *const *field)
{
	struct stat st;

	if (*field == NULL || !mc_check_host(ctx))
		return true;
	check_hidden(ctx, field, CHECK_READ);
	if (!try(ctx, field, &st))
		return false;
	warn_of_others(ctx, field, *field, &st);
	return true;
}

void mc_check_password(struct mc_ctx *ctx, const char *const *field)
{
	const struct check *check = check_of(ctx);
	const char *file = check->source(check->argument, field);
	struct stat st;

	if (*field != NULL && check->host && file != NULL &&
	    fstatat(check->folder, file, &st, 0) == 0)
		warn_of_others(ctx, field, file, &st);
}

/* The existing part of a path: itself, or the nearest folder above it.  Freed with free(). */
static char *find_existing(const char *path)
{
	char *copy = alloc_copy(path), *parent = copy;
	struct stat st;

	while (strcmp(parent, ".") != 0 && lstat(parent, &st) != 0 && errno == ENOENT)
		parent = dirname(parent);
	parent = alloc_copy(parent);
	free(copy);
	return parent;
}

/* NULL, or why nothing can be made in a folder. */
static const char *fault_of(const char *folder)
{
	struct statfs fs;
	struct stat st;

	if (stat(folder, &st) != 0 || statfs(folder, &fs) != 0)
		return strerror(errno);
	if (!S_ISDIR(st.st_mode))
		return strerror(ENOTDIR);
	if (fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC)
		return "the kernel has no files there";
	if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
		return strerror(errno);
	return NULL;
}

char *check_folder(const char *path)
{
	char *existing = find_existing(path);
	const char *fault = fault_of(existing);
	char text[400];

	if (fault != NULL && strcmp(existing, path) == 0)
		snprintf(text, sizeof(text), "cannot be written to: %s", fault);
	else if (fault != NULL)
		snprintf(text, sizeof(text), "cannot be made, nothing can be made in '%s': %s",
			 existing, fault);
	free(existing);
	return fault != NULL ? alloc_copy(text) : NULL;
}

bool mc_check_folder(struct mc_ctx *ctx, const char *const *field)
{
	char *fault;

	if (*field == NULL || !mc_check_host(ctx))
		return true;
	check_hidden(ctx, field, CHECK_WRITE);
	fault = check_folder(*field);
	if (fault == NULL)
		return true;
	mc_check_error(ctx, field, "%s", fault);
	free(fault);
	return false;
}

bool mc_check_data_dir(struct mc_ctx *ctx, const char *const *field)
{
	const char *plugin = context_of(ctx)->plugin->name;
	struct check_process other;

	if (!mc_check_folder(ctx, field))
		return false;
	if (*field == NULL || !mc_check_host(ctx))
		return true;
	if (!check_tree_of_collectd(plugin, *field, check_of(ctx)->files, &other) &&
	    !check_tree_of_collector(*field, &other))
		return true;
	return !check_held(ctx, field, "is written to by", &other);
}

/* NULL, or why a file that is there cannot be written to. */
static const char *output_fault(const struct stat *st, const char *path)
{
	if (S_ISDIR(st->st_mode))
		return strerror(EISDIR);
	if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
		return strerror(errno);
	return NULL;
}

bool mc_check_output(struct mc_ctx *ctx, const char *const *field)
{
	const char *fault;
	struct stat st;
	char *folder;

	if (*field == NULL || !mc_check_host(ctx))
		return true;
	check_hidden(ctx, field, CHECK_WRITE);
	if (stat(*field, &st) == 0) {
		fault = output_fault(&st, *field);
		if (fault != NULL)
			mc_check_error(ctx, field, "cannot be written to: %s", fault);
		return fault == NULL;
	}
	folder = alloc_copy(*field);
	fault = fault_of(dirname(folder));
	if (fault != NULL)
		mc_check_error(ctx, field, "cannot be made: %s", fault);
	free(folder);
	return fault == NULL;
}
