/* SPDX-License-Identifier: MIT */
/* Whether addresses, URLs and names that options give can be used. */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <libgen.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <collector/check.h>

#include "base/alloc.h"
#include "engine/check/check.h"
#include "engine/check/check_socket.h"

#define HOST_MAX 255 /* RFC 1035, 2.3.4. */
#define LABEL_MAX 63 /* RFC 1035, 2.3.4. */
#define PORT_MAX 65535

/* --- Names of this host ----------------------------------------------- */

bool mc_check_group(struct mc_ctx *ctx, const char *const *field)
{
	if (*field == NULL || !mc_check_host(ctx) || getgrnam(*field) != NULL)
		return true;
	mc_check_error(ctx, field, "is not a group of this host");
	return false;
}

bool mc_check_interface(struct mc_ctx *ctx, const char *const *field)
{
	if (*field == NULL || !mc_check_host(ctx) || if_nametoindex(*field) != 0)
		return true;
	mc_check_error(ctx, field, "is not a network interface of this host");
	return false;
}

/* --- Addresses -------------------------------------------------------- */

/* 192.0.2.1:80 or host:80; an address of IPv6 has more than one colon. */
static bool has_port(const char *host)
{
	const char *colon = strchr(host, ':');

	return colon != NULL && colon > host && colon[1] != '\0' &&
	       colon[1 + strspn(colon + 1, "0123456789")] == '\0';
}

/* NULL, or what is wrong with the name of a host. */
static const char *fault_of_name(const char *name)
{
	size_t size = strlen(name), label = 0;

	if (size == 0)
		return "is empty";
	if (size > HOST_MAX)
		return "is too long for the name of a host";
	if (name[strspn(name, "0123456789.")] == '\0')
		return "is not an address: four numbers up to 255";
	if (has_port(name))
		return "has a port in it, which is a value of its own";
	for (const char *c = name; *c != '\0'; c++) {
		label = *c == '.' ? 0 : label + 1;
		if (label > LABEL_MAX || (*c == '.' && c[1] == '.'))
			return "has a part that is empty, or too long for the "
			       "name of a host";
		if (!isalnum((unsigned char)*c) && strchr(".-_", *c) == NULL)
			return "is neither an address nor the name of a host";
	}
	return NULL;
}

/* The same for a name or an address; with "%eth0" for one of a link. */
static const char *fault_of_host(const char *host)
{
	struct in6_addr bytes;
	char address[INET6_ADDRSTRLEN] = "";
	size_t size = strcspn(host, "%");

	if (inet_pton(AF_INET, host, &bytes) == 1)
		return NULL;
	if (size < sizeof(address))
		memcpy(address, host, size);
	if (inet_pton(AF_INET6, address, &bytes) == 1)
		return NULL;
	return fault_of_name(host);
}

/* A number from 1 to 65535, or the name of a service. */
static bool check_port(struct mc_ctx *ctx, const char *const *field)
{
	const char *text = *field;
	size_t digits = strspn(text, "0123456789");
	long number = strtol(text, NULL, 10);

	if (digits > 0 && text[digits] == '\0') {
		if (digits <= 5 && number >= 1 && number <= PORT_MAX)
			return true;
		mc_check_error(ctx, field, "is not a port: from 1 to 65535");
		return false;
	}
	if (!mc_check_host(ctx) || getservbyname(text, NULL) != NULL)
		return true;
	mc_check_error(ctx, field,
		       "is neither a port nor a service that this "
		       "host knows");
	return false;
}

bool mc_check_address(struct mc_ctx *ctx, const char *const *host, const char *const *port)
{
	const char *fault = *host != NULL ? fault_of_host(*host) : NULL;

	if (fault != NULL)
		mc_check_error(ctx, host, "%s", fault);
	return (*port == NULL || check_port(ctx, port)) && fault == NULL;
}

bool mc_check_is_host(const char *host)
{
	return fault_of_host(host) == NULL;
}

static bool is_loopback(const struct sockaddr *address)
{
	const struct sockaddr_in *v4 = (const void *)address;
	const struct sockaddr_in6 *v6 = (const void *)address;

	if (address->sa_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
	return ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

static bool is_group(const struct sockaddr *address)
{
	const struct sockaddr_in *v4 = (const void *)address;
	const struct sockaddr_in6 *v6 = (const void *)address;

	if (address->sa_family == AF_INET6)
		return IN6_IS_ADDR_MULTICAST(&v6->sin6_addr);
	return IN_MULTICAST(ntohl(v4->sin_addr.s_addr));
}

/* NULL if it is the name of a host; freed with freeaddrinfo(). */
static struct addrinfo *read_address(const char *host, const char *port, int type)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_PASSIVE, .ai_socktype = type };
	struct addrinfo *found;

	if (strcasecmp(host, "localhost") == 0)
		host = "127.0.0.1";
	return getaddrinfo(host, port, &hints, &found) == 0 ? found : NULL;
}

bool mc_check_is_local(const char *host)
{
	struct addrinfo *found = read_address(host, NULL, SOCK_STREAM);
	bool local = found != NULL && is_loopback(found->ai_addr);

	if (found != NULL)
		freeaddrinfo(found);
	return local;
}

void mc_check_open(struct mc_ctx *ctx, const char *const *host)
{
	if (mc_check_is_host(*host) && !mc_check_is_local(*host))
		mc_check_warn(ctx, host,
			      "can be reached by others, without a password or "
			      "TLS; 127.0.0.1 is for this host alone");
}

/* Whether it is an address of this host: a socket is bound to it, and to a port
 * that the kernel chooses, and closed. */
static bool is_ours(const struct addrinfo *address)
{
	int fd = socket(address->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_storage any = { 0 };
	bool ours;

	if (fd < 0)
		return true; /* Something else is wrong. */
	memcpy(&any, address->ai_addr, address->ai_addrlen);
	if (any.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&any)->sin6_port = 0;
	else
		((struct sockaddr_in *)&any)->sin_port = 0;
	ours = bind(fd, (const struct sockaddr *)&any, address->ai_addrlen) == 0 ||
	       errno != EADDRNOTAVAIL;
	close(fd);
	return ours;
}

static bool check_here(struct mc_ctx *ctx, const char *const *host, const char *const *port,
		       const struct addrinfo *address)
{
	struct check_process owner;
	char what[80], who[64];

	if (is_group(address->ai_addr))
		return true;
	if (!is_ours(address)) {
		mc_check_error(ctx, host, "is not an address of this host");
		return false;
	}
	if (!check_socket_taken(address->ai_addr, address->ai_socktype, &owner))
		return true;
	if (owner.pid == 0) {
		mc_check_warn(ctx, host, "port %s is in use; only root can see by whom", *port);
		return true;
	}
	snprintf(what, sizeof(what), "port %.40s is in use by", *port);
	if (check_held(ctx, host, what, &owner))
		return false;
	if (strcmp(owner.name, CHECK_COLLECTOR) == 0)
		return true;
	check_process_describe(&owner, who, sizeof(who));
	mc_check_error(ctx, host, "%s %s", what, who);
	return false;
}

/* A listener at all addresses of a family excludes others from the same port.  Datagrams share
 * it. */
static bool check_overlap(struct mc_ctx *ctx, const char *const *host, const char *port)
{
	const struct check *check = check_of(ctx);
	int version = strchr(*host, ':') != NULL ? 6 : 4;
	bool all = strcmp(*host, "::") == 0 || strcmp(*host, "0.0.0.0") == 0;
	char all_key[80], one_key[80];
	const char *owner;

	snprintf(all_key, sizeof(all_key), "all of IPv%d, port %.40s", version, port);
	snprintf(one_key, sizeof(one_key), "one of IPv%d, port %.40s", version, port);
	owner = check->owner(check->argument, all ? one_key : all_key);
	if (owner != NULL)
		mc_check_error(ctx, host,
			       all ? "is all addresses, and port %s of one is "
				     "that of %s already"
				   : "is one of all addresses, whose port %s "
				     "is that of %s already",
			       port, owner);
	check->claim(check->argument, host, all ? all_key : one_key);
	return owner == NULL;
}

/* Whether only root may listen there; a text that is not a number is the name of a service. */
static bool is_privileged(const char *text)
{
	const struct servent *service = getservbyname(text, NULL);
	long port = service != NULL ? ntohs((uint16_t)service->s_port) : strtol(text, NULL, 10);

	return port > 0 && port < IPPORT_RESERVED;
}

bool mc_check_listen(struct mc_ctx *ctx, const char *const *host, const char *const *port, int type)
{
	char key[HOST_MAX + 80];
	struct addrinfo *found;
	bool right;

	if (!mc_check_address(ctx, host, port))
		return false;
	snprintf(key, sizeof(key), "%s %s port %s", type == SOCK_DGRAM ? "UDP" : "TCP", *host,
		 *port);
	right = mc_check_only(ctx, host, key);
	if (right && type == SOCK_STREAM)
		right = check_overlap(ctx, host, *port);
	if (mc_check_host(ctx) && is_privileged(*port))
		mc_check_capabilities(ctx, port, "CAP_NET_BIND_SERVICE");
	if (!mc_check_host(ctx) || !right)
		return right;
	found = read_address(*host, *port, type);
	if (found != NULL) {
		right = check_here(ctx, host, port, found);
		freeaddrinfo(found);
	}
	return right;
}

/* --- URLs and sockets -------------------------------------------------- */

/* NULL, or what is wrong with "HOST[:PORT]", with brackets around an address of IPv6. */
static const char *fault_of_authority(const char *text, size_t size)
{
	char host[HOST_MAX + 1] = "";
	size_t host_size = 0;
	const char *rest;
	char *end;
	long port;

	if (size > 0 && text[0] == '[') {
		rest = memchr(text, ']', size);
		if (rest == NULL)
			return "has a '[' without ']'";
		text++;
		size--;
		host_size = (size_t)(rest - text);
		rest++;
	} else {
		while (host_size < size && text[host_size] != ':')
			host_size++;
		rest = text + host_size;
	}
	if (host_size >= sizeof(host))
		return "is too long for the name of a host";
	memcpy(host, text, host_size);
	if (host_size == 0 || fault_of_host(host) != NULL)
		return "has no name or address of a host";
	if (rest >= text + size)
		return NULL;
	port = strtol(rest + 1, &end, 10);
	if (*rest != ':' || end != text + size || port < 1 || port > PORT_MAX)
		return "has no port from 1 to 65535 after the ':'";
	return NULL;
}

static const char *fault_of_url(const char *url)
{
	const char *rest = url, *at;
	size_t size;

	for (const char *c = url; *c != '\0'; c++)
		if ((unsigned char)*c <= ' ' || *c == 0x7f)
			return "has a blank in it";
	if (strncasecmp(url, "http://", 7) == 0)
		rest += 7;
	else if (strncasecmp(url, "https://", 8) == 0)
		rest += 8;
	else
		return "does not begin with 'http://' or 'https://'";
	size = strcspn(rest, "/?#");
	at = memrchr(rest, '@', size);
	if (at != NULL) {
		size -= (size_t)(at + 1 - rest);
		rest = at + 1;
	}
	return fault_of_authority(rest, size);
}

bool mc_check_url(struct mc_ctx *ctx, const char *const *field)
{
	const char *fault = *field != NULL ? fault_of_url(*field) : NULL;

	if (fault != NULL)
		mc_check_error(ctx, field, "%s", fault);
	return fault == NULL;
}

/* Whether no program but a collector, ours, listens there. */
static bool check_taken(struct mc_ctx *ctx, const char *const *field)
{
	struct check_process owner;
	char who[64];

	if (!check_socket_path_taken(*field, &owner))
		return true;
	if (check_held(ctx, field, "is that of", &owner))
		return false;
	if (strcmp(owner.name, CHECK_COLLECTOR) == 0)
		return true;
	check_process_describe(&owner, who, sizeof(who));
	mc_check_error(ctx, field, "is that of %s", who);
	return false;
}

bool mc_check_socket(struct mc_ctx *ctx, const char *const *field)
{
	const size_t max = sizeof(((struct sockaddr_un *)0)->sun_path) - 1;
	char *copy, *folder;
	struct stat st;
	bool right;

	if (*field == NULL)
		return true;
	if (strlen(*field) > max) {
		mc_check_error(ctx, field,
			       "is too long for a socket: %zu bytes, at most "
			       "%zu",
			       strlen(*field), max);
		return false;
	}
	if (!mc_check_host(ctx))
		return true;
	copy = alloc_copy(*field);
	folder = dirname(copy);
	right = stat(folder, &st) == 0 && S_ISDIR(st.st_mode);
	if (!right)
		mc_check_error(ctx, field, "cannot be made: there is no folder '%s'", folder);
	free(copy);
	check_hidden(ctx, field, CHECK_WRITE);
	return right && check_taken(ctx, field);
}
