/* SPDX-License-Identifier: MIT */
/* Shared by the files of this plugin: its options. */
#pragma once

#include <collector/plugin.h>

#define NETWORK_PORT "25826"
#define NETWORK_PACKET_MAX 65535

enum network_level { NETWORK_NONE, NETWORK_SIGN, NETWORK_ENCRYPT };

struct network_user { /* <User>: what a user may send. */
	const char *name;
	struct mc_strings hosts;
};

struct network_listen { /* <Listen> */
	const char *host, *port, *interface, *auth_file;
	int level; /* enum network_level */
	struct mc_blocks users;
};

struct network_server { /* <Server> */
	const char *host, *port, *interface, *bind_address;
	const char *user, *password;
	int level; /* enum network_level */
	mc_time resolve_interval;
};

struct network_options {
	struct mc_blocks listens, servers;
	int64_t time_to_live; /* 0: as the system likes. */
	int64_t packet_size;
	int64_t receive_buffer;
	int64_t receive_threads;
	int64_t sender_series, notice_limit;
	bool forward, report_stats;
	struct mc_strings unsigned_sources;
	mc_time time_window; /* 0: see manual.txt. */
};
