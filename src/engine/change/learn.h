/* SPDX-License-Identifier: MIT */
/* Series of files that are there become known to the catalogue.  Blocks on the disk. */
#pragma once

struct engine;
struct mc_learned;

/* Thread: any. */
void learn_from_files(struct engine *, struct mc_learned *result);

/* The same for a catalogue that is empty; logs how many there were. */
void learn_at_start(void *engine);
