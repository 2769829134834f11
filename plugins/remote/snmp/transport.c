/* SPDX-License-Identifier: MIT */
#include "transport.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <unistd.h>

#include <net-snmp/net-snmp-includes.h>

#include <net-snmp/library/snmpTCPDomain.h>
#include <net-snmp/library/snmpUDPDomain.h>

#include <collector/kit/address.h>
#include <collector/kit/alloc.h>

static int bind_to(int fd, const char *source)
{
	struct mc_addresses list;

	if (mc_address_find(source, NULL, SOCK_DGRAM, AI_NUMERICHOST, &list) != 0)
		return -EADDRNOTAVAIL;
	if (bind(fd, (const struct sockaddr *)&list.items[0], mc_address_size(&list.items[0])) != 0)
		return -errno;
	return 0;
}

int transport_open(const struct sockaddr_storage *to, bool stream, const char *source)
{
	int type = stream ? SOCK_STREAM : SOCK_DGRAM, rc = 0;
	int fd = socket(to->ss_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	if (source != NULL)
		rc = bind_to(fd, source);
	if (rc == 0 && connect(fd, (const struct sockaddr *)to, mc_address_size(to)) != 0 &&
	    errno != EINPROGRESS)
		rc = -errno;
	if (rc < 0) {
		close(fd);
		return rc;
	}
	return fd;
}

int transport_connected(int fd)
{
	int error = 0;
	socklen_t size = sizeof(error);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
		return -errno;
	return -error;
}

/* --- As net-snmp calls it ------------------------------------------------- */

static int transport_receive(netsnmp_transport *transport, void *buffer, int size, void **opaque,
			     int *opaque_size)
{
	ssize_t n = recv(transport->sock, buffer, (size_t)size, MSG_DONTWAIT);

	*opaque = NULL;
	*opaque_size = 0;
	return (int)n;
}

static int transport_send(netsnmp_transport *transport, const void *buffer, int size, void **opaque,
			  int *opaque_size)
{
	(void)opaque;
	(void)opaque_size;
	return (int)send(transport->sock, buffer, (size_t)size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static int transport_close(netsnmp_transport *transport)
{
	int fd = transport->sock;

	transport->sock = -1;
	return fd >= 0 ? close(fd) : 0;
}

static char *transport_text(netsnmp_transport *transport, const void *data, int size)
{
	(void)transport;
	(void)data;
	(void)size;
	return mc_alloc_copy("device");
}

netsnmp_transport *transport_new(int fd, bool stream)
{
	netsnmp_transport *transport = mc_alloc_zero(sizeof(*transport));

	transport->domain = stream ? netsnmp_snmpTCPDomain : netsnmpUDPDomain;
	transport->domain_length = 7;
	transport->sock = fd;
	transport->flags = stream ? NETSNMP_TRANSPORT_FLAG_STREAM : 0;
	transport->msgMaxSize = TRANSPORT_MESSAGE_MAX;
	transport->f_recv = transport_receive;
	transport->f_send = transport_send;
	transport->f_close = transport_close;
	transport->f_fmtaddr = transport_text;
	return transport;
}
