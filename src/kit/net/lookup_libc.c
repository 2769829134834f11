/* SPDX-License-Identifier: MIT */
/* Lookups by glibc's getaddrinfo_a(3), whose threads are in libc. */
#include <collector/kit/address.h>

#include <netdb.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

struct mc_lookup_query {
	struct gaicb request;
	struct addrinfo hints;
	char names[]; /* As the resolver gets them: the host, and the port. */
};

int mc_lookup_start(struct mc_lookup *lookup, const char *host, const char *port, int family,
		    int type)
{
	size_t host_size = strlen(host) + 1;
	size_t port_size = port != NULL ? strlen(port) + 1 : 0;
	struct mc_lookup_query *query = mc_alloc_zero(sizeof(*query) + host_size + port_size);
	struct gaicb *list[] = { &query->request };
	struct sigevent quiet = { .sigev_notify = SIGEV_NONE };
	int rc;

	memcpy(query->names, host, host_size);
	query->request.ar_name = query->names;
	if (port != NULL)
		query->request.ar_service = memcpy(query->names + host_size, port, port_size);
	query->hints.ai_family = family;
	query->hints.ai_socktype = type;
	query->request.ar_request = &query->hints;
	rc = getaddrinfo_a(GAI_NOWAIT, list, 1, &quiet);
	if (rc != 0)
		free(query);
	else
		lookup->query = query;
	return rc;
}

int mc_lookup_all(struct mc_lookup *lookup, struct mc_addresses *list)
{
	struct mc_lookup_query *query = lookup->query;
	int rc = gai_error(&query->request);

	if (rc == EAI_INPROGRESS)
		return rc;
	if (rc == 0)
		mc_address_collect(query->request.ar_result, list);
	if (query->request.ar_result != NULL)
		freeaddrinfo(query->request.ar_result);
	free(query);
	lookup->query = NULL;
	return rc;
}

void mc_lookup_stop(struct mc_lookup *lookup)
{
	struct mc_lookup_query *query = lookup->query;
	int rc;

	lookup->query = NULL;
	if (query == NULL)
		return;
	rc = gai_cancel(&query->request);
	if (rc == EAI_NOTCANCELED)
		return;
	if (rc == EAI_ALLDONE && query->request.ar_result != NULL)
		freeaddrinfo(query->request.ar_result);
	free(query);
}
