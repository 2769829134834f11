/* SPDX-License-Identifier: MIT */
/* The names that collectd has for the peers of ntpd. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define NAMES_SIZE 256

/* Number of the driver of a reference clock, whose address is 127.127.DRIVER.UNIT; -1: of
 * another server. */
int names_driver(const char *address, int *unit);

/* The name of a driver; NULL if it has none. */
const char *names_of_driver(int driver);

/* The name of the host with this address, which may take long; the address if it has none. */
void names_of_host(const char *address, char name[NAMES_SIZE]);
