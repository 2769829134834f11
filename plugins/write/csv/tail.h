/* SPDX-License-Identifier: MIT */
/* The end of a file that a crash may have left: half a line, and lines that the
 * journal brings again. */
#pragma once

#include <stddef.h>

/* Makes the file, open for reading and writing, end with a whole line, and finds out how much of
 * the 'size' bytes of text, whole lines, is among its last lines already.  Returns those bytes
 * from the start of the text; 0 if that is unknown. */
size_t tail_known(int fd, const char *text, size_t size);
