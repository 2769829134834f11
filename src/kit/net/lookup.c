/* SPDX-License-Identifier: MIT */
#include <collector/kit/lookup.h>

#include <netdb.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

struct mc_lookup_query {
	struct gaicb request;
	struct addrinfo hints;
	char host[]; /* The name, as the resolver gets it. */
};

int mc_lookup_start(struct mc_lookup *lookup, const char *host, int family)
{
	size_t size = strlen(host) + 1;
	struct mc_lookup_query *query = mc_alloc_zero(sizeof(*query) + size);
	struct gaicb *list[] = { &query->request };
	struct sigevent quiet = { .sigev_notify = SIGEV_NONE };
	int rc;

	memcpy(query->host, host, size);
	query->hints.ai_family = family;
	query->hints.ai_socktype = SOCK_DGRAM;
	query->request.ar_name = query->host;
	query->request.ar_request = &query->hints;
	rc = getaddrinfo_a(GAI_NOWAIT, list, 1, &quiet);
	if (rc != 0)
		free(query);
	else
		lookup->query = query;
	return rc;
}

int mc_lookup_end(struct mc_lookup *lookup,
		  bool (*fits)(void *argument, int family), void *argument,
		  struct sockaddr_storage *out)
{
	struct mc_lookup_query *query = lookup->query;
	int rc = gai_error(&query->request);
	const struct addrinfo *found = NULL;

	if (rc == EAI_INPROGRESS)
		return rc;
	if (rc == 0)
		found = query->request.ar_result;
	while (found != NULL && (found->ai_addrlen > sizeof(*out) ||
				 !fits(argument, found->ai_family)))
		found = found->ai_next;
	if (rc == 0 && found == NULL)
		rc = EAI_ADDRFAMILY;
	if (rc == 0) {
		memset(out, 0, sizeof(*out));
		memcpy(out, found->ai_addr, found->ai_addrlen);
	}
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
