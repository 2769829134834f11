/* SPDX-License-Identifier: MIT */
/* Packets of this host, from a socket of packet(7), which needs CAP_NET_RAW. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CAPTURE_SIZE 2048 /* Bytes of a packet that are looked at. */

/* A socket that gets UDP packets from and to port 53 of an interface, or of all (NULL).  Returns
 * the descriptor, or a negative errno: -ENODEV: there is no such interface. */
int capture_open(const char *interface);

/* The next packet, from its head of IP on: its size, of which up to CAPTURE_SIZE are there; 0: it
 * was seen before; -EAGAIN: no more now; or another negative errno. */
ssize_t capture_next(int fd, uint8_t packet[CAPTURE_SIZE]);
