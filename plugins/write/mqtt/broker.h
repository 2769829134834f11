/* SPDX-License-Identifier: MIT */
/* A connection to a broker of MQTT, by libmosquitto, with a thread of its own, which connects again
 * after a pause.
 *
 * Facts: mosquitto.h; options as in collectd.conf(5), "Plugin mqtt". */
#pragma once

#include <mosquitto.h>
#include <pthread.h>

#include <collector/kit/lock.h>
#include <collector/plugin.h>

struct broker_options {
	const char *name, *host, *client_id, *user, *password;
	int64_t port, qos;
	const char *ca, *certificate, *key, *tls_protocol, *ciphers;
};

struct broker {
	struct mc_ctx *ctx;
	const struct broker_options *options;
	struct mosquitto *mosquitto; /* NULL: it is not open. */
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool connected MC_GUARDED_BY(lock);
	size_t waiting MC_GUARDED_BY(lock); /* Messages that the broker has not taken. */
	bool failed MC_GUARDED_BY(lock);    /* That it is not connected is logged. */
	bool stops MC_GUARDED_BY(lock);
	bool runs; /* The thread has begun. */
	pthread_t thread;
	const char *subscription; /* Made with each connection; NULL: none. */
};

#define BROKER_OPTIONS(self, broker, least)                                                        \
	{ "", MC_OPT_STRING(self, broker.name), .required = true,                                  \
	  .help = "A name for it, in the log.", .sample = "broker" },                              \
		{ "Host", MC_OPT_STRING(self, broker.host), .default_value = "localhost",          \
		  .help = "Name or address of the broker." },                                      \
		{ "Port",       MC_OPT_INT(self, broker.port), .default_value = "1883", .min = 1,  \
		  .max = 65535, .help = "Port of the broker." },                                   \
		{ "ClientId", MC_OPT_STRING(self, broker.client_id),                               \
		  .help = "Name that the broker knows the client by, each another one; by "        \
			  "default the host and that of the block.",                               \
		  .sample = "node1-collector" },                                                   \
		{ "User", MC_OPT_STRING(self, broker.user),                                        \
		  .help = "User at the broker; by default none.", .sample = "collector" },         \
		{ "Password", MC_OPT_STRING(self, broker.password),                                \
		  .help = "Password of that user.", .secret = true, .sample = "secret" },          \
		{ "QoS", MC_OPT_INT(self, broker.qos), .default_value = least, .max = 2,           \
		  .help = "Quality of service: 0, at most once; 1, at least once; 2, exactly "     \
			  "once." },                                                               \
		{ "CACert", MC_OPT_STRING(self, broker.ca),                                        \
		  .help = "File with the authorities that must have signed the broker's "          \
			  "certificate; with it TLS is used.",                                     \
		  .sample = "/etc/collector/ca.pem" },                                             \
		{ "CertificateFile", MC_OPT_STRING(self, broker.certificate),                      \
		  .help = "File with the certificate of this client.",                             \
		  .sample = "/etc/collector/agent.pem" },                                          \
		{ "CertificateKeyFile", MC_OPT_STRING(self, broker.key),                           \
		  .help = "File with the key of that certificate.",                                \
		  .sample = "/etc/collector/agent.key" },                                          \
		{ "TLSProtocol", MC_OPT_STRING(self, broker.tls_protocol),                         \
		  .help = "Version of TLS, such as tlsv1.2; by default any.",                      \
		  .sample = "tlsv1.2" },                                                           \
	{                                                                                          \
		"CipherSuite", MC_OPT_STRING(self, broker.ciphers),                                \
			.help = "Ciphers for TLS up to 1.2, as ciphers(1) has them.",              \
			.sample = "HIGH"                                                           \
	}

void broker_check(struct mc_ctx *, const struct broker_options *);

struct broker_setup {
	const struct broker_options *options;
	const char *host;         /* Of the collector. */
	const char *subscription; /* NULL: none. */
	bool keeps_session;
	void (*message)(struct mosquitto *, void *argument, const struct mosquitto_message *);
	void *argument; /* The struct broker, unless there is a message(). */
};

/* Begins to connect.  0, or what mc_fail() returned; broker_close() follows in any case. */
int broker_open(struct broker *, struct mc_ctx *, const struct broker_setup *);
void broker_close(struct broker *);
