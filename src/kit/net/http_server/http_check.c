/* SPDX-License-Identifier: MIT */
/* Finds mistakes in the options of a block Listen. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "kit/net/certificate.h"
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/http_server.h>
#include <collector/kit/listen.h>

#include "kit/net/http_server/http_listener.h"
#include "kit/net/http_server/peer/http_proxy.h"
#include "kit/net/http_server/peer/http_users.h"

/* 'needs': the options that would help. */
static void check_plain(struct mc_ctx *ctx, const struct mc_httpd_listen *listen, const char *needs)
{
	if (listen->certificate == NULL && !listen->allow_plain && mc_check_is_host(listen->host) &&
	    !mc_check_is_local(listen->host))
		mc_check_error(ctx, &listen->host, "can be reached by others: it needs %s", needs);
}

static void check_socket(struct mc_ctx *ctx, const struct mc_httpd_listen *listen)
{
	char key[256];

	if (listen->perms != NULL && !mc_listen_takes_perms(listen->perms))
		mc_check_error(ctx, &listen->perms, "is not an octal number from 0 to 0777");
	mc_check_group(ctx, &listen->group);
	if (!mc_check_socket(ctx, &listen->path))
		return;
	snprintf(key, sizeof(key), "socket %s", listen->path);
	mc_check_only(ctx, &listen->path, key);
}

static void check_passwords(struct mc_ctx *ctx, const struct mc_httpd_listen *listen)
{
	const char *why;
	unsigned line;
	size_t size;
	FILE *file;
	char *text;

	if (!mc_check_secret(ctx, &listen->passwords) || listen->passwords == NULL ||
	    !mc_check_host(ctx))
		return;
	file = fopen(listen->passwords, "re");
	if (file == NULL)
		return;
	text = mc_alloc_zero(HTTP_FILE_MAX + 2);
	size = fread(text, 1, HTTP_FILE_MAX + 1, file);
	fclose(file);
	line = http_users_check(text, &why);
	if (size > HTTP_FILE_MAX)
		mc_check_error(ctx, &listen->passwords, "is larger than 256 KiB");
	else if (line > 0)
		mc_check_error(ctx, &listen->passwords, "line %u %s", line, why);
	else if (text[0] == '\0')
		mc_check_error(ctx, &listen->passwords, "is empty");
	free(text);
}

static void check_listen(struct mc_ctx *ctx, const struct mc_httpd_listen *listen,
			 const char *plain_needs)
{
	check_passwords(ctx, listen);
	if (listen->path != NULL) {
		check_socket(ctx, listen);
		return;
	}
	mc_check_server_tls(ctx, &listen->certificate, &listen->key, &listen->ca);
	check_plain(ctx, listen, plain_needs);
	mc_check_listen(ctx, &listen->host, &listen->port, SOCK_STREAM);
}

void mc_httpd_check(struct mc_ctx *ctx, const struct mc_httpd_listen *listen)
{
	check_listen(ctx, listen, "TLSCertificate, or AllowPlain");
}

void mc_httpd_check_viewers(struct mc_ctx *ctx, const struct mc_httpd_listen *listen)
{
	check_listen(ctx, listen, "TLSCertificate");
	if (http_listen_is_open(listen))
		mc_check_error(ctx, &listen->ca,
			       "or PasswordFile is needed: else anybody could look");
}

void mc_httpd_check_limits(struct mc_ctx *ctx, const struct mc_httpd_limits *limits)
{
	if (limits->memory_max / 4 < limits->body_max ||
	    limits->memory_max / 2 < limits->inflated_max)
		mc_check_warn(ctx, &limits->memory_max,
			      "is less than four times MaxBodySize, or twice "
			      "MaxInflatedSize: the largest requests cannot be "
			      "taken");
}

void mc_httpd_check_proxies(struct mc_ctx *ctx, const struct mc_strings *proxies)
{
	for (size_t i = 0; i < proxies->len; i++)
		if (!http_proxy_is_valid(proxies->items[i]))
			mc_check_error(ctx, &proxies->items[i],
				       "is not an address as a number, nor \"local\"");
}
