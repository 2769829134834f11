/* SPDX-License-Identifier: MIT */
/* One time until a guest's disk is full, along all that holds it: file systems in the guest, the
 * disk itself, the device with its image, the file system of this host with its image.  It is a
 * series, a state among the alerts, and a sentence in "explain". */
#pragma once

#include <collector/judge.h>
#include <collector/plugin.h>

struct agent_facts;
struct guest;

/* The agent has said how full the guest's file systems are.  Thread: the reader's, as of all but
 * chain_explain(). */
void chain_take_facts(struct mc_ctx *, struct guest *, const struct agent_facts *);

/* Takes the guest's disks in self->decode, and puts their times. */
void chain_report(struct mc_ctx *, struct mc_batch *out, struct guest *);

/* The guest is forgotten, or all are; its process ended. */
void chain_forget(struct mc_ctx *, struct guest *);

/* Answers what limits a guest's disk, if the series is of that kind.  Thread: any. */
void chain_explain(struct mc_ctx *, const struct mc_series *, struct mc_answer *);
