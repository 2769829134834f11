/* SPDX-License-Identifier: MIT */
/* Dumps for the page of the plugin web: a list of them, and pieces of their files. */
#pragma once

#include <collector/serve.h>

/* Answers /api/1/dumps with their list, and a path below it with that file, from the parameter
 * 'offset' on, at most a MiB; returns 0, or -ENOENT: another path.  'folder' is that of the dumps.
 * Thread: any; it reads files. */
int pages_answer(const char *folder, const struct mc_page_question *, struct mc_page *);
