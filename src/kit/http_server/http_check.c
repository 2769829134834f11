/* SPDX-License-Identifier: MIT */
/* What is wrong with the options of a block Listen. */
#include <sys/socket.h>

#include <collector/certificate.h>
#include <collector/check.h>
#include <collector/kit/http_server.h>

/* A certificate needs its key, and what is about clients needs TLS. */
static void check_pairs(struct mc_ctx *ctx,
			const struct mc_httpd_listen *listen)
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
	if (listen->certificate == NULL && !listen->allow_plain &&
	    !mc_check_is_local(listen->host))
		mc_check_error(ctx, &listen->host,
			       "can be reached by others: it needs "
			       "TLSCertificate, or AllowPlain");
}

void mc_httpd_check(struct mc_ctx *ctx, const struct mc_httpd_listen *listen)
{
	check_pairs(ctx, listen);
	mc_check_listen(ctx, &listen->host, &listen->port, SOCK_STREAM);
	mc_check_key_pair(ctx, &listen->certificate, &listen->key);
	mc_check_certificates(ctx, &listen->ca);
}
