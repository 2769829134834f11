/* SPDX-License-Identifier: MIT */
#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>
#include <collector/kit/json.h>
#include <collector/kit/number.h>

#include "dump.h"

#define LIST "/api/1/dumps"
#define LISTED_MAX 1000
#define PIECE_SIZE ((size_t)1 << 20)

static void refuse(struct mc_page *page, unsigned status, const char *why)
{
	page->status = status;
	page->size = strlen(why);
	page->bytes = mc_alloc_copy(why);
}

/* Takes the bytes. */
static void answer(struct mc_page *page, const char *type, char *bytes, size_t size)
{
	page->status = 200;
	snprintf(page->type, sizeof(page->type), "%s", type);
	page->bytes = bytes;
	page->size = size;
}

static int open_folder(const char *folder)
{
	return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* --- The list --------------------------------------------------------------------- */

static void add_dump(struct mc_json *json, int folder, const char *name)
{
	struct stat stat;

	if (fstatat(folder, name, &stat, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(stat.st_mode))
		return;
	mc_json_map(json, NULL);
	mc_json_text(json, "name", name);
	mc_json_unsigned(json, "size", (uint64_t)stat.st_size);
	mc_json_map_end(json);
}

/* The newest first. */
static void add_list(struct mc_json *json, int folder)
{
	struct dirent **entries = NULL;
	int len = folder >= 0 ? dump_list(folder, &entries) : 0, left = len;

	while (left-- > 0) {
		if (len - left <= LISTED_MAX)
			add_dump(json, folder, entries[left]->d_name);
		free(entries[left]);
	}
	free(entries);
}

static void answer_list(const char *path, struct mc_page *page)
{
	struct mc_json *json = mc_json_new(false);
	int folder = open_folder(path);
	const char *text;
	size_t size;

	mc_json_map(json, NULL);
	mc_json_unsigned(json, "v", 1);
	mc_json_list(json, "dumps");
	add_list(json, folder);
	mc_json_list_end(json);
	mc_json_map_end(json);
	if (folder >= 0)
		close(folder);
	text = mc_json_bytes(json, &size);
	answer(page, "application/json", mc_alloc_bytes(text, size), size);
	mc_json_free(json);
}

/* --- Pieces ----------------------------------------------------------------------- */

/* A descriptor, or -errno. */
static int open_dump(const char *path, const char *name)
{
	int folder = open_folder(path), fd, rc = 0;
	struct stat stat;

	if (folder < 0)
		return -errno;
	fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &stat) < 0)
		rc = -errno;
	else if (!S_ISREG(stat.st_mode))
		rc = -ENOENT;
	close(folder);
	if (rc < 0 && fd >= 0)
		close(fd);
	return rc < 0 ? rc : fd;
}

/* 0 or -errno. */
static int read_piece(int fd, uint64_t offset, struct mc_buffer *piece)
{
	mc_buffer_reserve(piece, PIECE_SIZE + 1);
	while (piece->size < PIECE_SIZE) {
		ssize_t got = pread(fd, piece->at + piece->size, PIECE_SIZE - piece->size,
				    (off_t)(offset + piece->size));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		piece->size += (size_t)got;
	}
	return 0;
}

static void answer_piece(const char *path, const char *name, uint64_t offset, struct mc_page *page)
{
	struct mc_buffer piece = { 0 };
	int fd = open_dump(path, name), rc = fd;

	if (fd >= 0) {
		rc = read_piece(fd, offset, &piece);
		close(fd);
	}
	if (rc >= 0) {
		answer(page, "application/octet-stream", piece.at, piece.size);
		return;
	}
	mc_buffer_free(&piece);
	refuse(page, rc == -ENOENT || rc == -ELOOP ? 404 : 500,
	       rc == -ENOENT || rc == -ELOOP ? "there is no such dump" : "it cannot be read");
}

int pages_answer(const char *folder, const struct mc_page_question *question, struct mc_page *page)
{
	const char *name = question->path + strlen(LIST);
	const char *offset = question->parameter(question->argument, "offset", 0);
	uint64_t from = 0;

	if (strncmp(question->path, LIST, strlen(LIST)) != 0 || (*name != '\0' && *name != '/'))
		return -ENOENT;
	*page = (struct mc_page){ .status = 0 };
	if (*name == '\0')
		answer_list(folder, page);
	else if (!dump_is_name(++name))
		refuse(page, 404, "there is no such dump");
	else if (offset != NULL && !mc_number_unsigned(offset, 10, INT64_MAX - PIECE_SIZE, &from))
		refuse(page, 400, "'offset' is no number of bytes");
	else
		answer_piece(folder, name, from, page);
	return 0;
}
