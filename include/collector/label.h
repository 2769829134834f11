/* SPDX-License-Identifier: MIT */
/* collector/label.h - what is known of a host besides its values, such as the UUID of a guest.
 * Labels hold for all series of the host, whichever plugin measures them.  They are in the journal
 * beside the values: the samples that a durable writer gets after a restart have them before a
 * plugin has set them again. */
#pragma once

#include <collector/plugin.h>

#pragma GCC visibility push(default)

#define MC_LABELS_MAX 16  /* For one host; further ones are cut. */
#define MC_LABEL_SIZE 128 /* With '\0'; longer names and values are cut. */

/* Replaces the labels that instances of this name have given 'host'; without labels, forgets them.
 *  Those that others have given it stay; of several of one name the newest is shown.  Where too
 * many hosts have labels, nothing changes and the log says so once.  Thread: any. */
void mc_label(struct mc_ctx *ctx, const char *host, const struct mc_field *labels,
	      unsigned labels_len);

/* A label whose name begins so is for other collectors alone: only mc_each_sent_label() shows it.
 */
#define MC_LABEL_HIDDEN '.'

/* Calls visit() for each label of 'host', without a lock held; 'label' lives until visit()
 * returns.  Returns how many labels the host has.  Thread: any. */
unsigned mc_each_label(struct mc_ctx *ctx, const char *host,
		       void (*visit)(void *argument, const struct mc_field *label), void *argument);

/* The same, with those for other collectors: for what is sent to them.  Thread: any. */
unsigned mc_each_sent_label(struct mc_ctx *ctx, const char *host,
			    void (*visit)(void *argument, const struct mc_field *label),
			    void *argument);

#pragma GCC visibility pop
