/* SPDX-License-Identifier: MIT */
#include "broker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/condition.h>

#define KEEPALIVE 60 /* Seconds. */
#define PAUSE_MAX 30 /* Between two tries to connect. */
#define TURN_MS 500  /* Longest turn of the library: so long a stop may take. */

void broker_check(struct mc_ctx *ctx, const struct broker_options *options)
{
	if (!mc_check_is_host(options->host))
		mc_check_error(ctx, &options->host, "is no name of a host and no address");
	mc_check_password(ctx, &options->password);
	if (options->ca == NULL && options->certificate != NULL)
		mc_check_error(ctx, &options->certificate, "is without CACert");
	if ((options->certificate == NULL) != (options->key == NULL))
		mc_check_error(ctx, options->key != NULL ? &options->key : &options->certificate,
			       "is alone: a certificate and its key are needed");
	if (options->ca != NULL)
		mc_check_file(ctx, &options->ca);
}

/* --- What libmosquitto reports, on the broker's thread ------------------------ */

static void on_connect(struct mosquitto *mosquitto, void *argument, int rc)
{
	struct broker *broker = argument;
	bool again;

	pthread_mutex_lock(&broker->lock);
	again = broker->failed;
	broker->failed = rc != 0;
	broker->connected = rc == 0;
	pthread_cond_broadcast(&broker->change);
	pthread_mutex_unlock(&broker->lock);
	if (rc != 0 && !again)
		mc_log(broker->ctx, MC_WARN, "'%s' port %d refuses: %s", broker->options->host,
		       (int)broker->options->port, mosquitto_connack_string(rc));
	else if (rc == 0 && again)
		mc_log(broker->ctx, MC_NOTE, "connected to '%s' port %d again",
		       broker->options->host, (int)broker->options->port);
	if (rc == 0 && broker->subscription != NULL)
		mosquitto_subscribe(mosquitto, NULL, broker->subscription,
				    (int)broker->options->qos);
}

/* Messages of quality 0 that were under way are gone; the library sends the others again. */
static void on_disconnect(struct mosquitto *mosquitto, void *argument, int rc)
{
	struct broker *broker = argument;
	bool is_new;

	(void)mosquitto;
	pthread_mutex_lock(&broker->lock);
	is_new = rc != 0 && !broker->failed;
	broker->failed |= rc != 0;
	broker->connected = false;
	if (broker->options->qos == 0)
		broker->waiting = 0;
	pthread_cond_broadcast(&broker->change);
	pthread_mutex_unlock(&broker->lock);
	if (is_new)
		mc_log(broker->ctx, MC_WARN, "lost the connection to '%s' port %d: %s",
		       broker->options->host, (int)broker->options->port, mosquitto_strerror(rc));
}

static void on_publish(struct mosquitto *mosquitto, void *argument, int id)
{
	struct broker *broker = argument;

	(void)mosquitto, (void)id;
	pthread_mutex_lock(&broker->lock);
	if (broker->waiting > 0)
		broker->waiting--;
	pthread_cond_broadcast(&broker->change);
	pthread_mutex_unlock(&broker->lock);
}

/* --- Life --------------------------------------------------------------------- */

static int set_security(struct broker *broker)
{
	const struct broker_options *options = broker->options;
	int rc = MOSQ_ERR_SUCCESS;

	if (options->user != NULL)
		rc = mosquitto_username_pw_set(broker->mosquitto, options->user, options->password);
	if (rc == MOSQ_ERR_SUCCESS && options->ca != NULL)
		rc = mosquitto_tls_set(broker->mosquitto, options->ca, NULL, options->certificate,
				       options->key, NULL);
	if (rc == MOSQ_ERR_SUCCESS && options->ca != NULL)
		rc = mosquitto_tls_opts_set(broker->mosquitto, 1, options->tls_protocol,
					    options->ciphers);
	return rc;
}

/* Waits for that many seconds; false: it is to stop. */
static bool pause_for(struct broker *broker, unsigned seconds)
{
	struct timespec until = mc_condition_until(seconds * MC_SECOND);
	bool stops;
	int rc = 0;

	pthread_mutex_lock(&broker->lock);
	while (!broker->stops && rc == 0)
		rc = pthread_cond_timedwait(&broker->change, &broker->lock, &until);
	stops = broker->stops;
	pthread_mutex_unlock(&broker->lock);
	return !stops;
}

static bool is_stopping(struct broker *broker)
{
	bool stops;

	pthread_mutex_lock(&broker->lock);
	stops = broker->stops;
	pthread_mutex_unlock(&broker->lock);
	return stops;
}

/* A try that has failed before there was a connection. */
static void say_failure(struct broker *broker, int rc)
{
	bool is_new;

	pthread_mutex_lock(&broker->lock);
	is_new = !broker->failed;
	broker->failed = true;
	pthread_mutex_unlock(&broker->lock);
	if (is_new)
		mc_log(broker->ctx, MC_WARN, "cannot connect to '%s' port %d: %s",
		       broker->options->host, (int)broker->options->port,
		       rc == MOSQ_ERR_ERRNO ? strerror(errno) : mosquitto_strerror(rc));
}

static void *run(void *argument)
{
	struct broker *broker = argument;
	const struct broker_options *options = broker->options;
	unsigned pause = 1;
	int rc = mosquitto_connect_async(broker->mosquitto, options->host, (int)options->port,
					 KEEPALIVE);

	while (!is_stopping(broker)) {
		if (rc == MOSQ_ERR_SUCCESS)
			rc = mosquitto_loop(broker->mosquitto, TURN_MS, 1);
		if (rc == MOSQ_ERR_SUCCESS) {
			pause = 1;
			continue;
		}
		if (is_stopping(broker))
			break;
		say_failure(broker, rc);
		if (!pause_for(broker, pause))
			break;
		pause = 2 * pause < PAUSE_MAX ? 2 * pause : PAUSE_MAX;
		rc = mosquitto_reconnect_async(broker->mosquitto);
	}
	return NULL;
}

/* Signals are for the daemon's own threads. */
static int begin_thread(struct broker *broker)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&broker->thread, NULL, run, broker);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}

static int begin(struct broker *broker)
{
	int rc = set_security(broker);

	if (rc != MOSQ_ERR_SUCCESS)
		return mc_fail(broker->ctx, 0, "cannot use the options for '%s' port %d: %s",
			       broker->options->host, (int)broker->options->port,
			       mosquitto_strerror(rc));
	mosquitto_threaded_set(broker->mosquitto, true);
	rc = begin_thread(broker);
	if (rc != 0)
		return mc_fail(broker->ctx, rc, "cannot begin a thread");
	broker->runs = true;
	return 0;
}

int broker_open(struct broker *broker, struct mc_ctx *ctx, const struct broker_setup *setup)
{
	const struct broker_options *options = setup->options;
	char *own = NULL;
	const char *id = options->client_id;

	pthread_mutex_init(&broker->lock, NULL);
	mc_condition_init(&broker->change);
	broker->ctx = ctx;
	broker->options = options;
	broker->subscription = setup->subscription;
	mosquitto_lib_init();
	if (id == NULL) /* A broker closes the connection of one when another of its name comes. */
		id = own = mc_alloc_printf("%s-%s-%s-%s", setup->host, ctx->name,
					   setup->subscription != NULL ? "subscribe" : "publish",
					   options->name);
	broker->mosquitto = mosquitto_new(id, !setup->keeps_session, broker);
	free(own);
	if (broker->mosquitto == NULL)
		return mc_fail(ctx, errno, "cannot make a client of MQTT");
	mosquitto_connect_callback_set(broker->mosquitto, on_connect);
	mosquitto_disconnect_callback_set(broker->mosquitto, on_disconnect);
	mosquitto_publish_callback_set(broker->mosquitto, on_publish);
	mosquitto_message_callback_set(broker->mosquitto, setup->message);
	return begin(broker);
}

void broker_close(struct broker *broker)
{
	if (broker->ctx == NULL)
		return;
	if (broker->runs) {
		pthread_mutex_lock(&broker->lock);
		broker->stops = true;
		pthread_cond_broadcast(&broker->change);
		pthread_mutex_unlock(&broker->lock);
		mosquitto_disconnect(broker->mosquitto);
		pthread_join(broker->thread, NULL);
	}
	if (broker->mosquitto != NULL)
		mosquitto_destroy(broker->mosquitto);
	mosquitto_lib_cleanup();
	pthread_cond_destroy(&broker->change);
	pthread_mutex_destroy(&broker->lock);
}
