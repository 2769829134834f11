/* SPDX-License-Identifier: MIT */
/* States of systemd's units (org.freedesktop.systemd1(5)).  Pure functions. */
#pragma once

enum state { /* In the order of the sources of unit_state. */
	     STATE_ACTIVE,
	     STATE_RELOADING,
	     STATE_INACTIVE,
	     STATE_FAILED,
	     STATE_ACTIVATING,
	     STATE_DEACTIVATING,
	     STATE_UNKNOWN, /* As are words of a later systemd. */
};
#define STATE_LEN STATE_UNKNOWN

/* Of an ActiveState: "active". */
enum state state_of(const char *word);
const char *state_word(enum state);

/* The number that telegraf's systemd_units has for a SubState, or -1. */
int state_sub_code(const char *word);
