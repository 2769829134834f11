/* SPDX-License-Identifier: MIT */
/* Connections that are being opened, and whose other end is gone. */
#pragma once

/* Has the kernel find out whether the other ends are still there, of all TCP connections of this
 * process to the port of that URI.  The one that libvirt is opening is unknown; the others are not
 * affected.  An open that waits for a host that is gone then fails, after about a minute.  For
 * URIs without TCP, and NULL, it does nothing.  Thread: any. */
void tcp_keepalive_asking(const char *uri);

/* The TCP port that libvirt connects to for a URI, or 0.  Pure. */
unsigned tcp_keepalive_port(const char *uri);
