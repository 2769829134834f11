/* SPDX-License-Identifier: MIT */
/* A socket that is connected to a device: what others send does not come in, and nothing waits.
 * net-snmp's own transports look names up, and wait for connections. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

#include <net-snmp/net-snmp-config.h>

#include <net-snmp/types.h>

#include <net-snmp/library/snmp_transport.h>

#define TRANSPORT_MESSAGE_MAX 65507

/* Begins to connect, from the address 'source', which may be NULL.  A stream is
 * connected when it can be written to.  The descriptor, or -errno. */
int transport_open(const struct sockaddr_storage *to, bool stream, const char *source);

/* Whether a stream that can be written to is connected: 0, or -errno. */
int transport_connected(int fd);

/* For snmp_sess_add(); it closes the descriptor. */
netsnmp_transport *transport_new(int fd, bool stream);
