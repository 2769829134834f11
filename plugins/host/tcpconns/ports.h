/* SPDX-License-Identifier: MIT */
/* A program for the kernel, which selects connections by their ports (struct inet_diag_bc_op):
 * those that are not wanted are not sent. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <collector/option.h>

#define PORTS_MAX 256 /* The kernel's proof of a program takes the square of its length. */

/* Bytes for INET_DIAG_REQ_BYTECODE, for free(), and their number: connections with one of these
 * local or remote ports.  NULL for none or too many, which asks for all. */
void *ports_program(const struct mc_ints *local, const struct mc_ints *remote, size_t *size);
