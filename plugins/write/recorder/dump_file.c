/* SPDX-License-Identifier: MIT */
/* Facts: zlib.h. */
#define ZLIB_CONST
#include "dump_file.h"

#include <collector/kit/alloc.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#define LEVEL 1
#define GZIP_BITS (15 + 16)           /* zlib: write gzip. */
#define HELD_SIZE ((size_t)256 << 10) /* More than zlib keeps of what was put. */
#define OUT_SIZE ((size_t)64 << 10)

struct dump_file {
	int fd, errnum;
	uint64_t size, size_max;
	z_stream stream;
	unsigned char out[OUT_SIZE];
};

struct dump_file *dump_file_new(int fd, uint64_t size_max)
{
	struct dump_file *file = mc_alloc_zero(sizeof(*file));

	file->fd = fd;
	file->size_max = size_max;
	if (deflateInit2(&file->stream, LEVEL, Z_DEFLATED, GZIP_BITS, 8, Z_DEFAULT_STRATEGY) ==
	    Z_OK)
		return file;
	free(file);
	return NULL;
}

void dump_file_free(struct dump_file *file)
{
	if (file == NULL)
		return;
	deflateEnd(&file->stream);
	free(file);
}

bool dump_file_has_room(const struct dump_file *file, size_t size)
{
	return file->size + size + HELD_SIZE + DUMP_FILE_LATER <= file->size_max;
}

static bool write_out(struct dump_file *file, size_t size)
{
	const unsigned char *at = file->out;

	while (size > 0) {
		ssize_t written = write(file->fd, at, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) {
			file->errnum = written < 0 ? errno : ENOSPC;
			return false;
		}
		at += written;
		size -= (size_t)written;
		file->size += (uint64_t)written;
	}
	return true;
}

/* As far as zlib has something to write. */
static bool deflate_all(struct dump_file *file, int flush)
{
	do {
		file->stream.next_out = file->out;
		file->stream.avail_out = OUT_SIZE;
		deflate(&file->stream, flush);
		if (!write_out(file, OUT_SIZE - file->stream.avail_out))
			return false;
	} while (file->stream.avail_out == 0);
	return true;
}

bool dump_file_put(struct dump_file *file, const void *bytes, size_t size)
{
	if (file->errnum != 0)
		return false;
	file->stream.next_in = bytes;
	file->stream.avail_in = (uInt)size;
	return deflate_all(file, Z_NO_FLUSH);
}

int dump_file_end(struct dump_file *file)
{
	if (file->errnum == 0 && deflate_all(file, Z_FINISH) && fsync(file->fd) < 0)
		file->errnum = errno;
	return -file->errnum;
}
