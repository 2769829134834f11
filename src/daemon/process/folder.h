/* SPDX-License-Identifier: MIT */
/* Folders of the daemon itself. */
#pragma once

/* Makes a folder and those above it, mode 0755.  0, also if it is there, or -errno. */
int folder_make(const char *path);

/* The same for the folder that a file is to lie in. */
int folder_make_parent(const char *path);

/* Makes it the current folder, or the nearest one above it that there is. */
void folder_enter(const char *path);
