/* SPDX-License-Identifier: MIT */
/* Facts: ngx_http_stub_status_module, which prints four lines:
 *
 *   Active connections: 291
 *   server accepts handled requests
 *    16630948 16630948 31070465
 *   Reading: 6 Writing: 179 Waiting: 106
 *
 * Tengine has a fourth total, the time of the requests. */
#include "status.h"

#include <string.h>

#include <collector/kit/number.h>

static void skip_blanks(const char **at)
{
	*at += strspn(*at, " \t\r\n");
}

/* "WORD", blanks, and a number. */
static bool take_named(const char **at, const char *word, uint64_t *number)
{
	size_t size = strlen(word);

	skip_blanks(at);
	if (strncmp(*at, word, size) != 0)
		return false;
	*at += size;
	skip_blanks(at);
	return mc_number_take(at, 10, number) && *number <= (uint64_t)INT64_MAX;
}

static bool take_total(const char **at, uint64_t *number)
{
	return take_named(at, "", number);
}

bool status_read(const char *text, struct status *out)
{
	struct status status;
	const char *at = text;

	if (!take_named(&at, "Active connections:", &status.active))
		return false;
	skip_blanks(&at);
	if (strncmp(at, "server ", 7) != 0)
		return false;
	at += strcspn(at, "\n");
	if (!take_total(&at, &status.accepted) || !take_total(&at, &status.handled) ||
	    !take_total(&at, &status.requests))
		return false;
	at += strcspn(at, "\n");
	if (!take_named(&at, "Reading:", &status.reading) ||
	    !take_named(&at, "Writing:", &status.writing) ||
	    !take_named(&at, "Waiting:", &status.waiting))
		return false;
	*out = status;
	return true;
}
