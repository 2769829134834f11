/* SPDX-License-Identifier: MIT */
/* collectorctl journal: opens one, and does what it is asked. */
#include <string.h>

#include "ctl/journal/journal.h"
int journal_run(const struct ctl *ctl, int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(struct journal *);
	} actions[] = { { "list", journal_list },
			{ "verify", journal_verify },
			{ "export", journal_export } };
	const char *path = argc > 2 ? argv[2] : CTL_JOURNAL;
	struct journal journal = { .ctl = ctl, .folder = -1 };

	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
		int status;

		if (strcmp(argv[1], actions[i].name) != 0)
			continue;
		status = journal_open(&journal, path);
		if (status == CTL_OK)
			status = actions[i].run(&journal);
		journal_close(&journal);
		return status;
	}
	return ctl_usage("'%s' is not list, verify or export", argv[1]);
}
