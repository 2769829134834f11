/* SPDX-License-Identifier: MIT */
/* What is wrong with the options of a block Listen. */
#include <stdio.h>
#include <sys/socket.h>

#include <collector/certificate.h>
#include <collector/check.h>
#include <collector/kit/http_server.h>
#include <collector/kit/listen.h>

#include "kit/http_server/peer/http_users.h"

#define TEXT_SIZE 65536 /* Of a file of passwords that is looked at. */

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

static void check_socket(struct mc_ctx *ctx,
			 const struct mc_httpd_listen *listen)
{
	char key[256];

	if (listen->perms != NULL && !mc_listen_takes_perms(listen->perms))
		mc_check_error(ctx, &listen->perms,
			       "is not an octal number from 0 to 0777");
	mc_check_group(ctx, &listen->group);
	if (!mc_check_socket(ctx, &listen->path))
		return;
	snprintf(key, sizeof(key), "socket %s", listen->path);
	mc_check_only(ctx, &listen->path, key);
}

static void check_passwords(struct mc_ctx *ctx,
			    const struct mc_httpd_listen *listen)
{
	char text[TEXT_SIZE];
	const char *why;
	unsigned line;
	FILE *file;

	if (!mc_check_secret(ctx, &listen->passwords) ||
	    listen->passwords == NULL || !mc_check_host(ctx))
		return;
	file = fopen(listen->passwords, "re");
	if (file == NULL)
		return;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	line = http_users_check(text, &why);
	if (line > 0)
		mc_check_error(ctx, &listen->passwords, "line %u %s", line,
			       why);
	else if (text[0] == '\0')
		mc_check_error(ctx, &listen->passwords, "is empty");
}

void mc_httpd_check(struct mc_ctx *ctx, const struct mc_httpd_listen *listen)
{
	check_passwords(ctx, listen);
	if (listen->path != NULL) {
		check_socket(ctx, listen);
		return;
	}
	check_pairs(ctx, listen);
	mc_check_listen(ctx, &listen->host, &listen->port, SOCK_STREAM);
	mc_check_key_pair(ctx, &listen->certificate, &listen->key);
	mc_check_certificates(ctx, &listen->ca);
}
