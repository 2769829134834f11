/* SPDX-License-Identifier: MIT */
/* Facts: RFC 9110, "Field Names" and "Field Values". */
#include "kit/net/http_client/http_header.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <collector/kit/alloc.h>

/* Headers that each request has anyway. */
static const char *const of_http[] = {
	"Content-Encoding", "Content-Length", "Content-Type", "Expect", "Transfer-Encoding", NULL,
};

void http_header_free(struct http_headers *headers)
{
	for (size_t i = 0; i < headers->len; i++)
		free(headers->items[i]);
	free(headers->items);
	*headers = (struct http_headers){ 0 };
}

static bool is_name(const char *name)
{
	return name[0] != '\0' && name[strspn(name, "!#$%&'*+-.^_`|~0123456789"
						    "abcdefghijklmnopqrstuvwxyz"
						    "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '\0';
}

static bool is_value(const char *value)
{
	for (; *value != '\0'; value++)
		if ((unsigned char)*value < ' ' || *value == 0x7f)
			return false;
	return true;
}

static bool is_in(const char *const *names, const char *name)
{
	for (; names != NULL && *names != NULL; names++)
		if (strcasecmp(name, *names) == 0)
			return true;
	return false;
}

int http_header_add(struct http_headers *headers, const char *name, const char *value)
{
	if (!is_name(name) || !is_value(value))
		return -EINVAL;
	if (is_in(of_http, name) || is_in(headers->reserved, name))
		return -EEXIST;
	headers->items = mc_alloc_resize(headers->items, headers->len + 1, sizeof(*headers->items));
	/* To libcurl a ':' and nothing after it would mean: not this one. */
	headers->items[headers->len++] =
		mc_alloc_printf("%s%s%s", name, *value != '\0' ? ": " : ";", value);
	return 0;
}

static char *trim(char *text)
{
	size_t size;

	text += strspn(text, " \t");
	size = strlen(text);
	while (size > 0 && strchr(" \t\r\n", text[size - 1]) != NULL)
		text[--size] = '\0';
	return text;
}

static int add_line(struct http_headers *headers, char *line)
{
	char *name = trim(line), *colon;

	if (name[0] == '\0' || name[0] == '#')
		return 0;
	colon = strchr(name, ':');
	if (colon == NULL)
		return -EINVAL;
	*colon = '\0';
	return http_header_add(headers, name, trim(colon + 1));
}

int http_header_read(struct http_headers *headers, const char *path, unsigned *line)
{
	FILE *file = fopen(path, "re");
	size_t room = 0, sum = 0;
	char *text = NULL;
	ssize_t size;
	int rc = 0;

	*line = 0;
	if (file == NULL)
		return -errno;
	while (rc == 0 && (size = getline(&text, &room, file)) >= 0) {
		++*line;
		sum += (size_t)size;
		rc = sum > HTTP_HEADER_FILE_MAX ? -EFBIG : add_line(headers, text);
	}
	if (rc == 0 && ferror(file)) {
		rc = -EIO;
		*line = 0;
	}
	free(text);
	fclose(file);
	return rc;
}
