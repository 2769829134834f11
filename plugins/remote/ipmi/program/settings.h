/* SPDX-License-Identifier: MIT */
/* Settings of the program, by its standard input: lines "NAME VALUE", up to an empty one. */
#pragma once

#include <stdbool.h>

#define SETTINGS_TEXT 256

struct settings {
	char address[SETTINGS_TEXT]; /* "": the BMC of this host. */
	char port[SETTINGS_TEXT], user[SETTINGS_TEXT], password[SETTINGS_TEXT];
	char auth[SETTINGS_TEXT]; /* "MD5", "rmcp+", or another: the best. */
	bool events, clear;
};

/* False: the input ended, or is not understood. */
bool settings_read(int fd, struct settings *settings);
