/* SPDX-License-Identifier: MIT */
/* Finds mistakes in the options.  As in collectd, a block that cannot work is left out, and the
 * others go on. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/serve.h>

#include "keys.h"
#include "options.h"

static void check_data(struct mc_ctx *ctx, const struct data_options *data)
{
	const struct mc_type *type = mc_type_find(ctx, data->type);
	size_t wanted;

	if (type == NULL) {
		mc_check_warn(ctx, &data->type, "is in no TypesDB: it has no values");
		return;
	}
	wanted = data->count && data->table ? 1 : type->sources_len;
	if (data->values.len != wanted)
		mc_check_warn(ctx, &data->values, "are %zu, but '%s' has %zu: it is left out",
			      data->values.len, data->type, wanted);
}

static bool is_level(const char *text)
{
	return strcasecmp(text, "noAuthNoPriv") == 0 || strcasecmp(text, "authNoPriv") == 0 ||
	       strcasecmp(text, "authPriv") == 0;
}

static bool is_passphrase(const char *text)
{
	return text != NULL && strlen(text) >= KEYS_PASSPHRASE_MIN;
}

static void check_v3(struct mc_ctx *ctx, const struct host_options *host,
		     const struct host_options *whole)
{
	bool auth = strcasecmp(whole->security_level, "noAuthNoPriv") != 0;
	bool privacy = strcasecmp(whole->security_level, "authPriv") == 0;

	if (whole->username == NULL)
		mc_check_error(ctx, &host->username, "is needed for version 3");
	if (!is_level(whole->security_level)) {
		mc_check_error(ctx, &host->security_level,
			       "is not one of noAuthNoPriv, authNoPriv, authPriv");
		return;
	}
	if (auth && !is_passphrase(whole->auth_passphrase))
		mc_check_error(ctx, &host->auth_passphrase, "needs at least %d characters",
			       KEYS_PASSPHRASE_MIN);
	if (auth && !mc_snmp_knows_auth(whole->auth_protocol))
		mc_check_error(ctx, &host->auth_protocol, "is not known");
	if (privacy && !is_passphrase(whole->privacy_passphrase))
		mc_check_error(ctx, &host->privacy_passphrase, "needs at least %d characters",
			       KEYS_PASSPHRASE_MIN);
	if (privacy && !mc_snmp_knows_privacy(whole->privacy_protocol))
		mc_check_error(ctx, &host->privacy_protocol, "is not known");
	if (host->auth_passphrase != NULL)
		mc_check_password(ctx, &host->auth_passphrase);
	if (host->privacy_passphrase != NULL)
		mc_check_password(ctx, &host->privacy_passphrase);
}

static void check_collect(struct mc_ctx *ctx, const struct snmp_options *options,
			  const struct host_options *host)
{
	for (size_t i = 0; i < host->collect.len; i++)
		if (options_find_data(options, host->collect.items[i]) == NULL &&
		    options_find_interfaces(options, host->collect.items[i]) == NULL)
			mc_check_warn(ctx, &host->collect.items[i],
				      "is no <Data> and no <Interfaces>");
}

static bool is_address(const char *text)
{
	size_t size = strlen(text) + 4;
	char *name = mc_alloc(size), *port = mc_alloc(size);
	enum host_transport transport;
	int family;
	bool right = options_address(text, &transport, &family, name, port);

	free(name);
	free(port);
	return right;
}

static void check_address(struct mc_ctx *ctx, const char *const *field)
{
	if (!is_address(*field))
		mc_check_error(ctx, field, "is not an address");
}

bool options_check_can_poll(const struct host_options *whole)
{
	bool auth, privacy;

	if (!is_address(whole->address))
		return false;
	if (whole->version != 3)
		return whole->community != NULL;
	if (whole->username == NULL || !is_level(whole->security_level))
		return false;
	auth = strcasecmp(whole->security_level, "noAuthNoPriv") != 0;
	privacy = strcasecmp(whole->security_level, "authPriv") == 0;
	return (!auth || (is_passphrase(whole->auth_passphrase) &&
			  mc_snmp_knows_auth(whole->auth_protocol))) &&
	       (!privacy || (is_passphrase(whole->privacy_passphrase) &&
			     mc_snmp_knows_privacy(whole->privacy_protocol)));
}

static void check_host(struct mc_ctx *ctx, const struct snmp_options *options,
		       const struct host_options *host)
{
	struct host_options whole = options_complete(options, host);

	if (host->template != NULL && options_find_template(options, host->template) == NULL)
		mc_check_error(ctx, &host->template, "is no <Template>");
	check_collect(ctx, options, host);
	if (whole.collect.len == 0)
		mc_check_warn(ctx, &host->name, "is not asked for anything");
	if (whole.version == 3)
		check_v3(ctx, host, &whole);
	else if (whole.community == NULL)
		mc_check_error(ctx, &host->community, "is needed");
}

void options_check(struct mc_ctx *ctx, const struct snmp_options *options)
{
	const struct data_options *data = options->data.items;
	const struct host_options *hosts = options->hosts.items;
	const struct host_options *templates = options->templates.items;

	if (*options->hints_file != '\0')
		mc_check_output(ctx, &options->hints_file);
	/* net-snmp's users and engines are the same for the whole process. */
	mc_check_only(ctx, &options->hosts, "net-snmp");
	for (size_t i = 0; i < options->data.len; i++)
		check_data(ctx, &data[i]);
	for (size_t i = 0; i < options->hosts.len; i++) {
		check_host(ctx, options, &hosts[i]);
		check_address(ctx, hosts[i].address != NULL ? &hosts[i].address : &hosts[i].name);
	}
	for (size_t i = 0; i < options->templates.len; i++) {
		check_collect(ctx, options, &templates[i]);
		if (templates[i].hosts.len > 0)
			check_host(ctx, options, &templates[i]);
		for (size_t j = 0; j < templates[i].hosts.len; j++)
			check_address(ctx, &templates[i].hosts.items[j]);
	}
}
