/* SPDX-License-Identifier: MIT */
/* collector/kit/listen_options.h - rows of option tables that all who listen have in common:
 * what an option of one name means, and how far it goes, is the same everywhere.
 *
 * tests/lint/options finds a row of the same name that differs. */
#pragma once

#include <collector/option.h>

/* The arguments of a block Listen: a host that is required, and a port. */
#define MC_LISTEN_OPTIONS(self, host, port, usual)                                                 \
	{ "", MC_OPT_STRING(self, host), .required = true,                                         \
	  .help = "Name or address to listen at.", .sample = "127.0.0.1" },                        \
	{                                                                                          \
		"", MC_OPT_STRING(self, port), .default_value = (usual),                           \
					       .help = "Port or name of a service."                \
	}

/* The files of a TLS server: members for their paths. */
#define MC_TLS_SERVER_OPTIONS(self, certificate, key, ca)                                          \
	{ "TLSCertificate", MC_OPT_STRING(self, certificate),                                      \
	  .help = "File with the certificate; without it nothing is encrypted.",                   \
	  .sample = "/etc/collector/server.pem" },                                                 \
		{ "TLSKey", MC_OPT_STRING(self, key),                                              \
		  .help = "File with the key of that certificate.",                                \
		  .sample = "/etc/collector/server.key" },                                         \
	{                                                                                          \
		"TLSClientCA", MC_OPT_STRING(self, ca),                                            \
			.help = "File with the authorities that must have signed the "             \
				"certificates of clients; without it clients need no "             \
				"certificate.",                                                    \
			.sample = "/etc/collector/ca.pem"                                          \
	}

/* The files of a TLS client: members for their paths. */
#define MC_CLIENT_CERTIFICATE_OPTIONS(self, certificate, key)                                      \
	{ "ClientCert", MC_OPT_STRING(self, certificate),                                          \
	  .help = "File with the certificate of this client.",                                     \
	  .sample = "/etc/collector/agent.pem" },                                                  \
	{                                                                                          \
		"ClientKey", MC_OPT_STRING(self, key),                                             \
			.help = "File with the key of that certificate.",                          \
			.sample = "/etc/collector/agent.key"                                       \
	}

/* Whether a server or client speaks TLS 1.2: a bool. */
#define MC_TLS12_OPTION(self, tls12)                                                               \
	{                                                                                          \
		"AllowTLS12", MC_OPT_BOOL(self, tls12),                                            \
			.default_value = "false", .help = "Also speaks TLS 1.2, not only 1.3."     \
	}

/* The largest number of connections from one address: an int64_t. */
#define MC_CLIENTS_PER_ADDRESS_OPTION(self, clients, usual)                                        \
	{                                                                                          \
		"MaxClientsPerAddress", MC_OPT_INT(self, clients),                                 \
			.default_value = (usual),                                                  \
			.help = "Largest number of connections from one address.", .min = 1,       \
			.max = 65536                                                               \
	}

/* The buffer of sockets for datagrams: an int64_t. */
#define MC_RECEIVE_BUFFER_OPTION(self, size)                                                       \
	{                                                                                          \
		"ReceiveBuffer", MC_OPT_INT(self, size),                                           \
			.default_value = "8388608",                                                \
			.help = "Size in bytes of each UDP socket's receive buffer in the "        \
				"kernel, for bursts.",                                             \
			.min = 2048, .max = 1 << 30                                                \
	}
