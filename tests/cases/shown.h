/* SPDX-License-Identifier: MIT */
/* Bytes as lines that a person can read, in what a case expects. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Prints text line by line, each after 'prefix', which ends with a blank; carriage returns before a
 * newline are left out, and a last line without a newline ends with "\".  What is not text is
 * printed as one line, or several of 100 bytes, with "\x00" for bytes that are no characters of
 * ASCII. */
void shown_print(FILE *out, const char *prefix, const char *bytes, size_t size);

/* The contents of a file, with a '\0' after them;
 * freed by the caller.  NULL and errno: it cannot be read. */
char *shown_file(const char *path, size_t *size);
