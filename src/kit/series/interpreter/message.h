/* SPDX-License-Identifier: MIT */
/* Requests to the program of a module, as JSON: collectd.py and collectd.pl say which there are.
 * Pure functions, but for the batch. */
#pragma once

#include <collector/kit/json.h>
#include <collector/plugin.h>
#include <collector/writer.h>

struct message_settings { /* From the configuration. */
	struct mc_strings module_path, imports;
	struct mc_configs configs;
	bool log_traces;
};

/* Each returns a request, without its number, to be freed by mc_json_free(). */

/* To import 'module', and to begin. */
struct mc_json *message_start(const struct message_settings *, const char *module);
struct mc_json *message_stop(void);
struct mc_json *message_read(const char *callback);

/* The type of that name; NULL if it is unknown. */
struct mc_json *message_type(const char *name, const struct mc_type *);

/* How many samples it has goes to '*len'. */
struct mc_json *message_values(const struct mc_batch *, uint64_t *len);
struct mc_json *message_notification(const struct mc_notification *);
struct mc_json *message_flush(mc_time age, const char *name);
struct mc_json *message_log(enum mc_level, const char *line);
