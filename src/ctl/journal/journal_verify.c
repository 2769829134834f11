/* SPDX-License-Identifier: MIT */
/* collectorctl journal verify: whether every record is there and whole. */
#include <inttypes.h>
#include <stdio.h>

#include "ctl/journal/journal.h"
static const char *plural(uint64_t number)
{
	return number == 1 ? "" : "s";
}

static void tell_damage(const struct journal_segment *s)
{
	if (s->headless)
		printf("%s: its head is damaged\n", s->name);
	if (s->damaged > 0)
		printf("%s: %" PRIu64 " bytes in %" PRIu64 " place%s are not records\n", s->name,
		       s->damaged, s->pieces, plural(s->pieces));
	if (s->growing)
		printf("%s: %" PRIu64 " bytes at its end are being written\n", s->name, s->rest);
	else if (s->rest > 0)
		printf("%s: %" PRIu64 " bytes at its end are not a record\n", s->name, s->rest);
}

int journal_verify(struct journal *journal)
{
	uint64_t records = 0, samples = 0;
	int status = journal_each(journal, NULL);

	if (status != CTL_OK)
		return status;
	for (size_t i = 0; i < journal->segments_len; i++) {
		records += journal->segments[i].records;
		samples += journal->segments[i].samples;
		tell_damage(&journal->segments[i]);
	}
	if (journal->gaps > 0)
		printf("%" PRIu64 " sample%s missing in %" PRIu64 " place%s\n", journal->missing,
		       journal->missing == 1 ? " is" : "s are", journal->gaps,
		       plural(journal->gaps));
	printf("%zu segment%s, %" PRIu64 " records, %" PRIu64 " samples: %s\n",
	       journal->segments_len, plural(journal->segments_len), records, samples,
	       journal->damaged + journal->gaps > 0 ? "damaged" : "undamaged");
	return journal->damaged + journal->gaps > 0 ? CTL_FAILED : CTL_OK;
}
