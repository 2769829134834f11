/* SPDX-License-Identifier: MIT */
/* A BMC: the process that asks it, its sensors, and what is notified of them. */
#pragma once

#include <collector/kit/backoff.h>
#include <collector/kit/command.h>
#include <collector/kit/wait.h>
#include <collector/quota.h>

struct bmc_settings { /* An Instance block. */
	const char *name;
	const char *host, *address, *port, *user, *password;
	int auth; /* Index of a word of bmc_auths. */
	struct mc_select *sensors, *event_sensors;
	bool ignore, events_ignore;
	bool notify_add, notify_remove, notify_absent, notify_connection;
	bool events, clear;
	struct mc_quota_limits limits;
};

extern const char *const bmc_auths[];

struct bmc {
	struct mc_ctx *ctx;
	const struct bmc_settings *settings;
	struct mc_spawner *spawner;
	struct mc_command command;
	struct mc_child *child; /* NULL: it does not run. */
	struct mc_backoff backoff;
	struct mc_once trouble, slow;
	struct mc_loop *loop;
	struct mc_loop_timer turn;
	struct mc_every every;
	struct mc_quota *quota;
	struct bmc_sensor *sensors;
	size_t len;
	mc_time started; /* The process. */
	mc_time asked;   /* A reading is under way since then; 0: none. */
	bool connected, was_connected;
};

/* 'program' is the path of collector-ipmi, 'env' its environment. */
void bmc_init(struct bmc *, struct mc_ctx *, const struct bmc_settings *, const char *program,
	      const char *const *env);

/* Begins in the loop; and ends in it, when the process has ended. */
void bmc_begin(struct bmc *, struct mc_loop *, struct mc_spawner *);
void bmc_end(struct bmc *);

void bmc_done(struct bmc *);
