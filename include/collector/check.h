/* SPDX-License-Identifier: MIT */
/* collector/check.h - for the check() of a plugin: what is wrong with its
 * options, before anything is started with them.
 *
 * check() runs when a configuration is tested (collectord -t), before one that
 * was read anew is accepted, and at the start.  The instance it is given is
 * filled from the file, and never started: check() reads its options, leaves
 * all else as it is, makes nothing, binds nothing, asks nobody who may not
 * answer, and says all that is wrong, not only the first.
 *
 * 'field' is the field of an option, in 'self' or in a block, or an item of a
 * list, such as &self->certificate or &self->files.items[2].  The core adds the
 * file and the line, the name of the option and its value: from "cannot be
 * read: Permission denied" it makes
 *
 *   site.conf:7:18: error: otlp: TLSCertificate '/etc/cert.pem' cannot be read:
 *   Permission denied
 *
 * or, where the file does not give the option, the line of the block and
 * "otlp: TLSCertificate TEXT".
 *
 * All of these are for the thread of check(), and only while it runs.
 */
#ifndef COLLECTOR_CHECK_H
#define COLLECTOR_CHECK_H

#include <collector/plugin.h>

#pragma GCC visibility push(default)

/* It cannot work so: the file is refused. */
void mc_check_error(struct mc_ctx *, const void *field, const char *fmt, ...)
	MC_PRINTF(3, 4);

/* It works, but probably not as meant. */
void mc_check_warn(struct mc_ctx *, const void *field, const char *fmt, ...)
	MC_PRINTF(3, 4);

/* Whether this host is to be looked at: files, users, ports.  False with
 * --no-environment: then only what the options say is judged. */
bool mc_check_host(struct mc_ctx *);

/* --- What is asked often; an option that is NULL is right --------------- */

/* The file is there and can be read.  False, and an error, if not; true also
 * when the host is not looked at. */
bool mc_check_file(struct mc_ctx *, const char *const *field);

/* Likewise of a file with passwords or a key.  That others than its owner can
 * read it, or write to it, is a warning. */
bool mc_check_secret(struct mc_ctx *, const char *const *field);

/* Files can be made in the folder, or it can be made. */
bool mc_check_folder(struct mc_ctx *, const char *const *field);

#pragma GCC visibility pop

#endif /* COLLECTOR_CHECK_H */
