/* SPDX-License-Identifier: MIT */
/* Finds mistakes in the options of the network plugin. */
#include "check.h"

#include <sys/socket.h>

#include <collector/check.h>

#include "allow.h"
#include "users.h"

static void check_auth_file(struct mc_ctx *ctx, const struct network_listen *listen)
{
	const struct network_user *users = listen->users.items;

	if (!users_has(listen->auth_file, NULL)) {
		mc_check_error(ctx, &listen->auth_file, "has no line 'user: password'");
		return;
	}
	for (size_t i = 0; i < listen->users.len; i++)
		if (!users_has(listen->auth_file, users[i].name))
			mc_check_warn(ctx, &users[i].name, "is not in the AuthFile '%s'",
				      listen->auth_file);
}

static void check_users(struct mc_ctx *ctx, const struct network_listen *listen)
{
	const struct network_user *users = listen->users.items;

	if (listen->auth_file != NULL) {
		if (mc_check_secret(ctx, &listen->auth_file) && mc_check_host(ctx))
			check_auth_file(ctx, listen);
		return;
	}
	if (listen->level != NETWORK_NONE)
		mc_check_error(ctx, &listen->level, "needs an AuthFile: nobody could send");
	for (size_t i = 0; i < listen->users.len; i++)
		mc_check_error(ctx, &users[i].name, "has no password without an AuthFile");
}

static void check_listen(struct mc_ctx *ctx, const struct network_listen *listen)
{
	mc_check_listen(ctx, &listen->host, &listen->port, SOCK_DGRAM);
	mc_check_interface(ctx, &listen->interface);
	check_users(ctx, listen);
}

static void check_server(struct mc_ctx *ctx, const struct network_server *server)
{
	bool secured = server->level != NETWORK_NONE;

	mc_check_address(ctx, &server->host, &server->port);
	mc_check_interface(ctx, &server->interface);
	mc_check_address(ctx, &server->bind_address, &server->port);
	mc_check_password(ctx, &server->password);
	if (secured && server->user == NULL)
		mc_check_error(ctx, &server->level, "needs a Username");
	if (secured && server->password == NULL)
		mc_check_error(ctx, &server->level, "needs a Password");
	if (!secured && server->user != NULL)
		mc_check_warn(ctx, &server->user,
			      "has no effect without SecurityLevel: packets "
			      "are not signed");
}

void check_options(struct mc_ctx *ctx, const struct network_options *options)
{
	const struct network_listen *listens = options->listens.items;
	const struct network_server *servers = options->servers.items;
	const struct mc_strings *sources = &options->unsigned_sources;

	for (size_t i = 0; i < options->listens.len; i++)
		check_listen(ctx, &listens[i]);
	for (size_t i = 0; i < options->servers.len; i++)
		check_server(ctx, &servers[i]);
	for (size_t i = 0; i < sources->len; i++)
		if (!allow_is_network(sources->items[i]))
			mc_check_error(ctx, &sources->items[i],
				       "is not a network such as 192.0.2.0/24");
}
