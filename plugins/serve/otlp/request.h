/* SPDX-License-Identifier: MIT */
/* One HTTP request, from its head to the answer: libmicrohttpd's callbacks,
 * each of which is called by one of its threads. */
#ifndef OTLP_REQUEST_H
#define OTLP_REQUEST_H

#include <stdbool.h>

#include <microhttpd.h>

struct server;
struct worker;

struct request_listener { /* What requests came in by. */
	struct server *server;
	struct worker *worker; /* Whose connections these are. */
	bool identified;       /* Only with a certificate that is valid. */
	bool own_hosts;        /* Only of hosts that the certificate is for. */
};

/* An MHD_AccessHandlerCallback; its first argument is struct request_listener.
 */
enum MHD_Result request_handle(void *listener, struct MHD_Connection *,
			       const char *url, const char *method,
			       const char *version, const char *data,
			       size_t *size, void **request);

/* An MHD_RequestCompletedCallback. */
void request_done(void *listener, struct MHD_Connection *, void **request,
		  enum MHD_RequestTerminationCode);

#endif
