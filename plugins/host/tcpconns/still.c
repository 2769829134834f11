/* SPDX-License-Identifier: MIT */
#include "still.h"

#include <collector/scan.h>

#include <string.h>

/* FNV-1a of a line. */
static uint64_t mix(uint64_t hash, const char *line)
{
	for (; *line != '\0' && *line != '\n'; line++)
		hash = (hash ^ (unsigned char)*line) * UINT64_C(0x100000001b3);
	return (hash ^ '\n') * UINT64_C(0x100000001b3);
}

/* The rest of the last line that begins so; NULL if none does. */
static const char *find(const char *text, const char *start)
{
	const char *found = NULL;

	do {
		const char *at = text;

		if (mc_scan_text(&at, start))
			found = at;
	} while (mc_scan_line(&text));
	return found;
}

/* snmp has a line of names and one of numbers, which comes second. */
uint64_t still_sum(const char *snmp, const char *sockstat, const char *sockstat6)
{
	const char *counts = find(snmp, "Tcp: "), *sockets = find(sockstat, "TCP: inuse "),
		   *sockets6 = find(sockstat6, "TCP6: inuse ");
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	if (counts == NULL || *counts < '0' || *counts > '9' || sockets == NULL ||
	    (sockets6 == NULL && *sockstat6 != '\0'))
		return 0;
	sum = mix(mix(sum, counts), sockets);
	if (sockets6 != NULL)
		sum = mix(sum, sockets6);
	return sum != 0 ? sum : 1;
}
