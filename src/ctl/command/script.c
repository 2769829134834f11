/* SPDX-License-Identifier: MIT */
#include "ctl/command/script.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

size_t script_options(const struct ctl *ctl, const char **words)
{
	size_t len = 0;

	if (ctl->json)
		words[len++] = "--json";
	if (ctl->accept != NULL) {
		words[len++] = "--accept";
		words[len++] = ctl->accept;
	}
	if (ctl->expect != NULL) {
		words[len++] = "--expect";
		words[len++] = ctl->expect;
	}
	return len;
}

int script_run(const char *const *arguments)
{
	execv(arguments[0], (char *const *)arguments);
	return ctl_failed("cannot run '%s': %s", arguments[0], strerror(errno));
}
