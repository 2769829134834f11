/* SPDX-License-Identifier: MIT */
/* A mistake in a case or in this machine, not in the plugin: ends the program. */
#pragma once

/* Prints both to standard error, as it was before output_divert(). */
_Noreturn void mistake(const char *what, const char *why);

/* The same, with the text of errno. */
_Noreturn void mistake_errno(const char *what);
