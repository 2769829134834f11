/* SPDX-License-Identifier: MIT */
#include "places.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

#include "mistake.h"

/* Below those that the kernel gives to clients. */
enum { PORT_FIRST = 20000, PORTS = 12000, CLIENTS = 64 };

struct places {
	char folder[64];
	char own[PATH_MAX]; /* Of the case. */
	char root[PATH_MAX];
	unsigned ports[PLACES_MAX];
	unsigned clients[CLIENTS]; /* 0: none. */
	unsigned clients_len;
};

static bool is_free(unsigned port, int type)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)port),
				       .sin_addr.s_addr = htonl(INADDR_ANY) };
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	bool bound = bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0;

	close(fd);
	return bound;
}

static unsigned find_port(unsigned above)
{
	for (unsigned port = above + 1; port < PORT_FIRST + 2 * PORTS; port++)
		if (is_free(port, SOCK_STREAM) && is_free(port, SOCK_DGRAM))
			return port;
	mistake_errno("no port is free");
	return 0;
}

struct places *places_new(const char *folder)
{
	struct places *places = alloc_zero(sizeof(*places));
	const char *temporary = getenv("TMPDIR");
	unsigned random = 0;

	if (realpath(folder, places->own) == NULL)
		mistake_errno(folder);
	snprintf(places->folder, sizeof(places->folder), "%s/case.XXXXXX",
		 temporary != NULL ? temporary : "/tmp");
	if (mkdtemp(places->folder) == NULL || chmod(places->folder, 0755) != 0)
		mistake_errno(places->folder);
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		mistake_errno("getrandom");
	for (unsigned i = 0; i < PLACES_MAX; i++)
		places->ports[i] =
			find_port(i > 0 ? places->ports[i - 1] : PORT_FIRST + random % PORTS);
	return places;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st, (void)kind, (void)ftw;
	remove(path);
	return 0;
}

void places_free(struct places *places)
{
	nftw(places->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(places);
}

void places_set_root(struct places *places, const char *root)
{
	snprintf(places->root, sizeof(places->root), "%s", root);
}

void places_add_client(struct places *places, unsigned port)
{
	places->clients[places->clients_len++ % CLIENTS] = port;
}

const char *places_folder(const struct places *places)
{
	return places->folder;
}

const char *places_case(const struct places *places)
{
	return places->own;
}

unsigned places_port(const struct places *places, unsigned n)
{
	return places->ports[n - 1];
}

void places_socket(const struct places *places, unsigned n, char path[108])
{
	if (n == 1)
		snprintf(path, 108, "%s/socket", places->folder);
	else
		snprintf(path, 108, "%s/socket%u", places->folder, n);
}

/* --- Names ---------------------------------------------------------------- */

struct name { /* Of a place. */
	char shown[16];
	char found[PATH_MAX];
	bool port;
};

enum { NAMES = 2 * PLACES_MAX + 3 + CLIENTS };

static void add_port(struct name *name, const char *shown, unsigned port)
{
	if (shown != NULL)
		snprintf(name->shown, sizeof(name->shown), "%s", shown);
	name->found[0] = '\0';
	if (port > 0)
		snprintf(name->found, sizeof(name->found), "%u", port);
	name->port = true;
}

static void add_path(struct name *name, const char *shown, const char *path)
{
	snprintf(name->shown, sizeof(name->shown), "%s", shown);
	snprintf(name->found, sizeof(name->found), "%s", path);
	name->port = false;
}

/* Longer ones first, as some begin with others. */
static void list_names(const struct places *places, struct name names[NAMES])
{
	struct name *name = names;

	for (unsigned n = PLACES_MAX; n > 0; n--, name++) {
		char number[12] = "";

		if (n > 1)
			snprintf(number, sizeof(number), "%u", n);
		snprintf(name->shown, sizeof(name->shown), "@socket%.2s@", number);
		places_socket(places, n, name->found);
		name->port = false;
		name++;
		snprintf(name->shown, sizeof(name->shown), "@port%.2s@", number);
		add_port(name, NULL, places->ports[n - 1]);
	}
	for (unsigned i = 0; i < CLIENTS; i++)
		add_port(name++, "@client@", places->clients[i]);
	add_path(name++, "@folder@", places->folder);
	add_path(name++, "@case@", places->own);
	add_path(name++, "@root@", places->root);
}

/* Programs of plugins do not run as root, and only root can run them as others. */
static void name_user(struct name *name)
{
	const struct passwd *own = getpwuid(geteuid());

	add_path(name, "@user@", geteuid() != 0 && own != NULL ? own->pw_name : "nobody");
}

char *places_fill(const struct places *places, const char *text)
{
	struct name *names = alloc_array(NAMES + 1, sizeof(*names));
	char *filled = NULL;
	size_t size, i;
	FILE *out = open_memstream(&filled, &size);

	list_names(places, names);
	name_user(&names[NAMES]);
	while (*text != '\0') {
		for (i = 0; i <= NAMES; i++)
			if (strncmp(text, names[i].shown, strlen(names[i].shown)) == 0)
				break;
		if (i > NAMES) {
			fputc(*text++, out);
			continue;
		}
		fputs(names[i].found, out);
		text += strlen(names[i].shown);
	}
	fclose(out);
	free(names);
	return filled;
}

/* Whether that place stands at 'at', in 'text'. */
static bool stands_there(const struct name *name, const char *text, const char *at)
{
	static const char word[] = "port ";
	size_t size = strlen(name->found);

	if (size == 0 || strncmp(at, name->found, size) != 0)
		return false;
	if (!name->port)
		return !isalnum((unsigned char)at[size]);
	if (at == text || isdigit((unsigned char)at[size]))
		return false;
	return strchr(":'\"", at[-1]) != NULL || (at - text >= 5 && strncmp(at - 5, word, 5) == 0);
}

/* How much of the text is the date in a head of HTTP, which is of the real clock. */
static size_t http_date(const char *text)
{
	static const char example[] = "Date: Tue, 14 Nov 2023 22:13:20 GMT";
	const size_t size = sizeof(example) - 1;

	return strncmp(text, example, 6) == 0 && strnlen(text, size) == size &&
			       strncmp(text + size - 4, " GMT", 4) == 0
		       ? size
		       : 0;
}

/* How much of the text is a duration in a message of libcurl, which measures by the real clock. */
static size_t duration(const char *text)
{
	static const char before[] = " after ", unit[] = " ms";
	size_t size = sizeof(before) - 1;

	if (strncmp(text, before, size) != 0 || !isdigit((unsigned char)text[size]))
		return 0;
	size += strspn(text + size, "0123456789");
	return strncmp(text + size, unit, sizeof(unit) - 1) == 0 ? size + sizeof(unit) - 1 : 0;
}

/* Reasons of errors in the words of glibc, which cases expect; another libc has its own. */
static const struct reason {
	int error;
	const char *words;
} reasons[] = {
	{ .error = EADDRINUSE, .words = "Address already in use" },
	{ .error = EIO, .words = "Input/output error" },
	{ .error = ELOOP, .words = "Too many levels of symbolic links" },
	{ .error = ENETUNREACH, .words = "Network is unreachable" },
	{ .error = ETIMEDOUT, .words = "Connection timed out" },
};

/* The reason with which the text begins in other words, and their size; else NULL. */
static const char *reason_at(const char *text, size_t *size)
{
	for (unsigned i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		const char *words = strerror(reasons[i].error);

		*size = strlen(words);
		if (strcmp(words, reasons[i].words) != 0 && strncmp(text, words, *size) == 0)
			return reasons[i].words;
	}
	return NULL;
}

char *places_hide(const struct places *places, const char *text)
{
	struct name *names = alloc_array(NAMES, sizeof(*names));
	size_t size, i, words_size;
	const char *at = text, *words;
	char *hidden = NULL;
	FILE *out = open_memstream(&hidden, &size);

	list_names(places, names);
	while (*at != '\0') {
		for (i = 0; i < NAMES && !stands_there(&names[i], text, at); i++)
			;
		if (i < NAMES) {
			fputs(names[i].shown, out);
			at += strlen(names[i].found);
		} else if (http_date(at) > 0) {
			fputs("Date: @date@", out);
			at += http_date(at);
		} else if (duration(at) > 0) {
			fputs(" after @duration@", out);
			at += duration(at);
		} else if ((words = reason_at(at, &words_size)) != NULL) {
			fputs(words, out);
			at += words_size;
		} else {
			fputc(*at++, out);
		}
	}
	fclose(out);
	free(names);
	return hidden;
}
