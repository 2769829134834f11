/* SPDX-License-Identifier: MIT */
/* A network of the case's own, with nothing but the loopback device. */
#pragma once

#include <stdbool.h>

/* Enters one; before there is any other thread.  False: this user may not. */
bool network_enter(void);
