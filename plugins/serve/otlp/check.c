/* SPDX-License-Identifier: MIT */
/* What is wrong with the options of a Listen block. */
#include "check.h"

#include <sys/socket.h>

#include <collector/certificate.h>

/* A certificate needs its key, and what is about clients needs TLS. */
static void check_pairs(struct mc_ctx *ctx, const struct listen_options *listen)
{
	if (listen->certificate != NULL && listen->key == NULL)
		mc_check_error(ctx, &listen->key,
			       "is missing: TLSCertificate needs its key");
	if (listen->certificate == NULL && listen->key != NULL)
		mc_check_error(ctx, &listen->key,
			       "is without TLSCertificate: plain HTTP would be "
			       "spoken");
	if (listen->certificate == NULL && listen->ca != NULL)
		mc_check_error(ctx, &listen->ca,
			       "is without TLSCertificate: nobody would be "
			       "asked for a certificate");
	if (listen->hosts == LISTEN_OWN && listen->ca == NULL)
		mc_check_error(ctx, &listen->hosts,
			       "needs TLSClientCA: nobody else says whose host "
			       "it is");
	if (listen->certificate == NULL && !listen->allow_plain &&
	    !mc_check_is_local(listen->host))
		mc_check_error(ctx, &listen->host,
			       "can be reached by others: it needs "
			       "TLSCertificate, or AllowPlain");
}

void check_listen(struct mc_ctx *ctx, const struct listen_options *listen)
{
	check_pairs(ctx, listen);
	mc_check_listen(ctx, &listen->host, &listen->port, SOCK_STREAM);
	mc_check_key_pair(ctx, &listen->certificate, &listen->key);
	mc_check_certificates(ctx, &listen->ca);
}
