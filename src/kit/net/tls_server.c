/* SPDX-License-Identifier: MIT */
/* TLS of a server: its options, its files, which a reload reads anew, and its clients. */
#include <collector/kit/tls_stream.h>

#include <collector/kit/timed_call.h>
#include <collector/plugin.h>

#include "kit/net/certificate.h"

void mc_tls_server_check(struct mc_ctx *ctx, const char *const *certificate, const char *const *key,
			 const char *const *ca)
{
	mc_check_server_tls(ctx, certificate, key, ca);
}

/* Reads each file once, by mc_timed_file(): one may hang.  0, or what mc_fail() returned. */
static int try_files(struct mc_ctx *ctx, const struct mc_tls_files *files)
{
	int rc = mc_timed_file(ctx, files->certificate);

	if (rc == 0)
		rc = mc_timed_file(ctx, files->key);
	return rc == 0 ? mc_timed_file(ctx, files->ca) : rc;
}

int mc_tls_server_renew(struct mc_tls_server *server, struct mc_ctx *ctx,
			const struct mc_tls_files *files)
{
	int rc = try_files(ctx, files);
	struct mc_tls *made;
	char why[MC_TLS_WHY];

	if (rc < 0 || files->certificate == NULL)
		return rc;
	if (!mc_tls_new(files, &made, why))
		return mc_fail(ctx, 0, "%s", why);
	mc_tls_free(atomic_exchange(&server->renewed, made));
	return 0;
}

struct mc_tls *mc_tls_latest(struct mc_tls_server *server)
{
	struct mc_tls *renewed = atomic_exchange(&server->renewed, NULL);

	if (renewed != NULL) {
		mc_tls_free(server->tls);
		server->tls = renewed;
	}
	return server->tls;
}

void mc_tls_server_free(struct mc_tls_server *server)
{
	mc_tls_free(mc_tls_latest(server));
	server->tls = NULL;
}

bool mc_tls_server_begin(struct mc_tls_server *server, struct mc_stream *stream)
{
	const struct mc_tls_start how = {
		.tls = mc_tls_latest(server),
		.as_server = true,
	};

	return how.tls == NULL || mc_tls_stream_begin(stream, &how) == 0;
}
