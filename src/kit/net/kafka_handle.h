/* SPDX-License-Identifier: MIT */
/* kit/net/kafka_handle.h - what plugins that use librdkafka have in common: properties, and the
 * reasons of its failures.  In libkit_kafka.
 *
 * Source: librdkafka's CONFIGURATION.md and rdkafka.h. */
#pragma once

#include <librdkafka/rdkafka.h>

#include <collector/plugin.h>

#define MC_KAFKA_WHY_SIZE 256

/* Sets a property; false, and why, if librdkafka does not take it. */
bool mc_kafka_set(rd_kafka_conf_t *, const char *name, const char *value,
		  char why[MC_KAFKA_WHY_SIZE]);

/* The same of all 'words': a name and its value, in turn. */
bool mc_kafka_set_all(rd_kafka_conf_t *, const struct mc_strings *words,
		      char why[MC_KAFKA_WHY_SIZE]);

/* For check(): librdkafka knows them. */
void mc_kafka_check(struct mc_ctx *, const struct mc_strings *words);

/* Copies the reason of a failure, as rd_kafka_conf_set_error_cb() gives it, without how long it
 * took and how often it came.  Leaves another one alone if this is that all brokers are away. */
void mc_kafka_reason(char why[MC_KAFKA_WHY_SIZE], int error, const char *reason);

/* Has librdkafka write to the eventfd 'wake' when the queue gets its first message; -1: no more.
 * Takes the queue over. */
void mc_kafka_watch(rd_kafka_queue_t *queue, int wake);

/* Has librdkafka log nothing: reasons come to error_cb. */
void mc_kafka_be_silent(rd_kafka_conf_t *);
