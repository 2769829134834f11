/* SPDX-License-Identifier: MIT */
#include "shown.h"

#include <stdbool.h>
#include <string.h>

enum { PIECE = 100 };

/* UTF-8 passes. */
static bool is_text(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (c == 0x7f || c == 0xff || (c < ' ' && strchr("\t\r\n", c) == NULL) || c == 0)
			return false;
	}
	return true;
}

static void print_binary(FILE *out, const char *prefix, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (i % PIECE == 0)
			fputs(prefix, out);
		if (c < ' ' || c >= 0x7f || c == '\\')
			fprintf(out, "\\x%02x", c);
		else
			fputc(c, out);
		if (i % PIECE == PIECE - 1 || i == size - 1)
			fputc('\n', out);
	}
}

/* The size of a head as that of HTTP, before what is no text; 0: there is none. */
static size_t head_size(const char *bytes, size_t size)
{
	static const char end[] = { '\r', '\n', '\r', '\n' };
	const char *found = memmem(bytes, size, end, sizeof(end));
	size_t head = found != NULL ? (size_t)(found - bytes) + sizeof(end) : 0;

	return head < size && is_text(bytes, head) ? head : 0;
}

void shown_print(FILE *out, const char *prefix, const char *bytes, size_t size)
{
	const char *end = bytes + size;

	if (!is_text(bytes, size) && head_size(bytes, size) > 0) {
		size_t head = head_size(bytes, size);

		shown_print(out, prefix, bytes, head);
		bytes += head;
		size -= head;
	}
	if (!is_text(bytes, size)) {
		print_binary(out, prefix, bytes, size);
		return;
	}
	while (bytes < end) {
		const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
		size_t line = (size_t)((newline != NULL ? newline : end) - bytes);

		size = line > 0 && newline != NULL && bytes[line - 1] == '\r' ? line - 1 : line;
		/* No blank at the end of a line. */
		fprintf(out, "%.*s%.*s%s\n", (int)strlen(prefix) - (size == 0 && newline != NULL),
			prefix, (int)size, bytes, newline != NULL ? "" : "\\");
		bytes += line + (newline != NULL);
	}
}

char *shown_file(const char *path, size_t *size)
{
	char *bytes = NULL, piece[4096];
	FILE *in = fopen(path, "re"), *out;
	size_t n;

	if (in == NULL)
		return NULL;
	out = open_memstream(&bytes, size);
	while ((n = fread(piece, 1, sizeof(piece), in)) > 0)
		fwrite(piece, 1, n, out);
	fclose(in);
	fclose(out);
	return bytes;
}
