/* SPDX-License-Identifier: MIT */
/* Sentences about outliers: pure, but for the time zone. */
#pragma once

#include <collector/plugin.h>

#include "group.h"

#define WORDS_SIZE 640

/* The news of a peer; 'what' is "cpu of guest web7". */
void words_news(char out[WORDS_SIZE], enum group_news, const char *what, const struct peer *);

/* The state of a peer: its mean and its group.  'needed' is the number of values that it has before
 * it is judged. */
void words_state(char out[WORDS_SIZE], const struct peer *, uint32_t needed);
