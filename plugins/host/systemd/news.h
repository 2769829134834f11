/* SPDX-License-Identifier: MIT */
/* Signals of systemd about itself.  Thread: the loop's. */
#pragma once

#include <systemd/sd-bus.h>

/* Takes a signal; 'argument' is the bus. */
int news_take(sd_bus_message *, void *argument, sd_bus_error *);
