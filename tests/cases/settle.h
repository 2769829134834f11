/* SPDX-License-Identifier: MIT */
/* Waiting without a time: until every other thread of the process, and every
 * program that it has started, sleeps and waits for something from outside. */
#pragma once

#include <stdbool.h>

/* Returns false if something was still at work after a minute.
 * Thread: the main one, which is the only one that may be awake then. */
bool settle(void);
