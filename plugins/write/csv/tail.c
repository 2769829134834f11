/* SPDX-License-Identifier: MIT */
/* tail: only the writer's last batch can come again, so a few lines suffice. */
#include "tail.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define TAIL_SIZE 8192

/* Cuts off what follows the last end of a line.  Returns what is left. */
static size_t cut_half(int fd, off_t start, const char *tail, size_t size)
{
	const char *end = memrchr(tail, '\n', size);
	size_t whole = end != NULL ? (size_t)(end + 1 - tail) : 0;

	if (whole == size || (end == NULL && start > 0))
		return size;
	return ftruncate(fd, start + (off_t)whole) == 0 ? whole : 0;
}

static bool has_line(const char *tail, size_t tail_size, const char *line, size_t size)
{
	const char *end = tail + tail_size;

	while (tail < end) {
		const char *next = memchr(tail, '\n', (size_t)(end - tail));
		size_t length = (size_t)((next != NULL ? next + 1 : end) - tail);

		if (length == size && memcmp(tail, line, size) == 0)
			return true;
		tail += length;
	}
	return false;
}

size_t tail_known(int fd, const char *text, size_t size)
{
	char tail[TAIL_SIZE];
	off_t end = lseek(fd, 0, SEEK_END);
	off_t start = end > TAIL_SIZE ? end - TAIL_SIZE : 0;
	ssize_t got = end > 0 ? pread(fd, tail, sizeof(tail), start) : 0;
	size_t known = 0, tail_size;

	if (got <= 0)
		return 0;
	tail_size = cut_half(fd, start, tail, (size_t)got);
	while (known < size) {
		const char *line = text + known;
		const char *next = memchr(line, '\n', size - known);
		size_t length = (size_t)(next + 1 - line);

		if (!has_line(tail, tail_size, line, length))
			break;
		known += length;
	}
	return known;
}
