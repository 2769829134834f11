/* SPDX-License-Identifier: MIT */
/* Names of numbers in messages of DNS, as collectd has them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define NAMES_SIZE 24

/* Whether that type has a name, and not only a number. */
bool names_has_type(unsigned type);

void names_type(unsigned type, char name[NAMES_SIZE]);     /* "AAAA", "#65" */
void names_opcode(unsigned opcode, char name[NAMES_SIZE]); /* "Query", "Opcode3" */
void names_rcode(unsigned rcode, char name[NAMES_SIZE]);   /* "NXDOMAIN", "RCode0" */
