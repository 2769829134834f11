/* SPDX-License-Identifier: MIT */
#include "state.h"

#include <stddef.h>
#include <string.h>

static const char *const words[] = {
	[STATE_ACTIVE] = "active",         [STATE_RELOADING] = "reloading",
	[STATE_INACTIVE] = "inactive",     [STATE_FAILED] = "failed",
	[STATE_ACTIVATING] = "activating", [STATE_DEACTIVATING] = "deactivating",
	[STATE_UNKNOWN] = "unknown",
};

enum state state_of(const char *word)
{
	for (int i = 0; i < STATE_LEN; i++)
		if (strcmp(words[i], word) == 0)
			return (enum state)i;
	/* Two that are rare, and so have no sources of their own. */
	if (strcmp(word, "maintenance") == 0)
		return STATE_INACTIVE;
	if (strcmp(word, "refreshing") == 0)
		return STATE_RELOADING;
	return STATE_UNKNOWN;
}

const char *state_word(enum state state)
{
	return words[state];
}

static const struct {
	const char *word;
	int code;
} sub_states[] = {
	{ "running", 0x00 },
	{ "dead", 0x01 },
	{ "start-pre", 0x02 },
	{ "start", 0x03 },
	{ "exited", 0x04 },
	{ "reload", 0x05 },
	{ "stop", 0x06 },
	{ "stop-watchdog", 0x07 },
	{ "stop-sigterm", 0x08 },
	{ "stop-sigkill", 0x09 },
	{ "stop-post", 0x0a },
	{ "final-sigterm", 0x0b },
	{ "failed", 0x0c },
	{ "auto-restart", 0x0d },
	{ "condition", 0x0e },
	{ "cleaning", 0x0f },
	{ "waiting", 0x10 },
	{ "reload-signal", 0x11 },
	{ "reload-notify", 0x12 },
	{ "final-watchdog", 0x13 },
	{ "dead-before-auto-restart", 0x14 },
	{ "failed-before-auto-restart", 0x15 },
	{ "dead-resources-pinned", 0x16 },
	{ "auto-restart-queued", 0x17 },
	{ "tentative", 0x20 },
	{ "plugged", 0x21 },
	{ "mounting", 0x30 },
	{ "mounting-done", 0x31 },
	{ "mounted", 0x32 },
	{ "remounting", 0x33 },
	{ "unmounting", 0x34 },
	{ "remounting-sigterm", 0x35 },
	{ "remounting-sigkill", 0x36 },
	{ "unmounting-sigterm", 0x37 },
	{ "unmounting-sigkill", 0x38 },
	{ "abandoned", 0x50 },
	{ "active", 0x60 },
	{ "start-chown", 0x70 },
	{ "start-post", 0x71 },
	{ "listening", 0x72 },
	{ "stop-pre", 0x73 },
	{ "stop-pre-sigterm", 0x74 },
	{ "stop-pre-sigkill", 0x75 },
	{ "final-sigkill", 0x76 },
	{ "activating", 0x80 },
	{ "activating-done", 0x81 },
	{ "deactivating", 0x82 },
	{ "deactivating-sigterm", 0x83 },
	{ "deactivating-sigkill", 0x84 },
	{ "elapsed", 0xa0 },
};

int state_sub_code(const char *word)
{
	for (size_t i = 0; i < sizeof(sub_states) / sizeof(sub_states[0]); i++)
		if (strcmp(sub_states[i].word, word) == 0)
			return sub_states[i].code;
	return -1;
}
