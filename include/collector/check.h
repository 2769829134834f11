/* SPDX-License-Identifier: MIT */
/* collector/check.h - for the check() of a plugin, which finds mistakes in its options before
 * anything is started with them.
 *
 * check() runs when a configuration is tested (collectord -t), before one that was read anew is
 * accepted, and at the start.  The instance it is given is filled from the file, and never started:
 * check() reads its options, changes, makes and binds nothing, contacts no other host, and reports
 * all mistakes, not only the first.
 *
 * 'field' is the field of an option, in 'self' or in a block, or an item of a list, such as
 * &self->certificate or &self->files.items[2].  The core adds the file and the line, the name of
 * the option and its value: from "cannot be read: Permission denied" it makes
 *
 *   site.conf:7:18: error: otlp: TLSCertificate '/etc/cert.pem' cannot be read:
 *   Permission denied
 *
 * or, where the file does not give the option, the line of the block and "otlp: TLSCertificate
 * TEXT".
 *
 * All of these are for the thread of check(), and only while it runs.
 */
#pragma once

#include <collector/plugin.h>

struct mc_rrd_rules;

#pragma GCC visibility push(default)

/* An error: the file is refused. */
void mc_check_error(struct mc_ctx *, const void *field, const char *fmt, ...) MC_PRINTF(3, 4);

/* A warning: it works, but probably not as meant. */
void mc_check_warn(struct mc_ctx *, const void *field, const char *fmt, ...) MC_PRINTF(3, 4);

/* Whether this host is to be looked at: files, users, ports.  False with
 * --no-environment: then only the options are judged. */
bool mc_check_host(struct mc_ctx *);

/* --- Frequent checks; an option that is NULL is right --------------- */

/* The file is there and can be read.  False, and an error, if not; true also
 * when the host is not looked at. */
bool mc_check_file(struct mc_ctx *, const char *const *field);

/* The same for a file with passwords or a key; warns if others than its owner can read it, or
 * write to it. */
bool mc_check_secret(struct mc_ctx *, const char *const *field);

/* The same for a password in the configuration itself. */
void mc_check_password(struct mc_ctx *, const char *const *field);

/* The file can be written to, or made in a folder that is there. */
bool mc_check_output(struct mc_ctx *, const char *const *field);

/* Files can be made in the folder, or it can be made. */
bool mc_check_folder(struct mc_ctx *, const char *const *field);

/* The same for a folder whose files only this daemon may write: no running collectd writes them
 * with its plugin of the same name, and no other collector, which keeps such a folder open from
 * start() to stop(). */
bool mc_check_data_dir(struct mc_ctx *, const char *const *field);

/* The user database, the groups and the network interfaces of this host have one of that name. */
bool mc_check_group(struct mc_ctx *, const char *const *field);
bool mc_check_interface(struct mc_ctx *, const char *const *field);

/* A name of a host or an address, and a port or the name of a service, as getaddrinfo(3) takes
 * them.  Names of hosts are not looked up: that may take long, and fail for a moment. */
bool mc_check_address(struct mc_ctx *, const char *const *host, const char *const *port);

/* Whether 'host' is an address, or can be a name of a host.  Also for other callbacks. */
bool mc_check_is_host(const char *host);

/* The same for an address to listen at with sockets of that type, SOCK_STREAM or SOCK_DGRAM: it
 * belongs to this host or is a multicast group, no other process has the port, and no other
 * instance listens there. */
bool mc_check_listen(struct mc_ctx *, const char *const *host, const char *const *port, int type);

/* Whether 'host' is an address, or a name of one, that only this host can reach.  Also for other
 * callbacks. */
bool mc_check_is_local(const char *host);

/* For a listener that has neither a password nor TLS: warns if other hosts can reach the
 * address. */
void mc_check_open(struct mc_ctx *, const char *const *host);

/* The type of that name; NULL if it is unknown. */
const struct mc_type *mc_check_type(struct mc_ctx *, const char *name);

/* http://HOST[:PORT][/PATH], or https. */
bool mc_check_url(struct mc_ctx *, const char *const *field);

/* The path of a unix socket fits an address, and its folder is there. */
bool mc_check_socket(struct mc_ctx *, const char *const *field);

/* Privileges of root that a unit of systemd can take away, "CAP_SETUID CAP_KILL"
 * (capabilities(7)).  With "collectord -t --unit", and in the log of a collector that systemd has
 * started, it is a warning if the unit does not give all of it to the collector; the former prints
 * a drop-in that does.  Otherwise silent.  False if some are lacking. */
bool mc_check_capabilities(struct mc_ctx *, const void *field, const char *capabilities);

/* The same for access to a file to be read, a unix socket to be connected to, or a program to be
 * run, if it exists, and to a file or a folder to be written to or made: 'path' is that of the
 * option or part of its value. */
enum mc_access { MC_ACCESS_READ, MC_ACCESS_WRITE, MC_ACCESS_CONNECT, MC_ACCESS_RUN };
bool mc_check_access(struct mc_ctx *, const void *field, const char *path, enum mc_access);

/* The same for membership in a group. */
bool mc_check_member(struct mc_ctx *, const void *field, const char *group);

/* Texts that mc_rrd_add_timespans() takes.  Warns if files by these and the other rules are so
 * large that they fill a disk; one of 1 GB is an error. */
bool mc_check_timespans(struct mc_ctx *, const struct mc_strings *, const struct mc_rrd_rules *);

/* A heartbeat of RRD files that is not less than their step; 0 is right.  One
 * that is less than the interval is a warning. */
bool mc_check_heartbeat(struct mc_ctx *, const int64_t *field, int64_t step);

/* No other instance in this configuration has a field that is checked with the same 'key', such as
 * "socket /run/x": only one instance can have that. */
bool mc_check_only(struct mc_ctx *, const void *field, const char *key);

/* Whether the configuration loads an instance of that name, which is there. */
bool mc_check_instance(struct mc_ctx *, const char *name);

/* The plugin that a misspelled name probably means: one that is loaded.  NULL if there is a plugin
 * of that name, loaded or not, or no similar one is loaded. */
const char *mc_check_meant(struct mc_ctx *, const char *name);

#pragma GCC visibility pop
