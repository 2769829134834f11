/* SPDX-License-Identifier: MIT */
/* The kernel's figures of a guest that is a QEMU process of this machine, at a fiftieth of
 * libvirtd's cost, and whether or not the guest is stuck. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <collector/plugin.h>

#define KERNEL_PATH_SIZE 512

struct kernel_map {       /* Where a guest is.  All zero: not here. */
	unsigned pid;     /* 0: not mapped. */
	char *cgroup;     /* Its cpu.stat; NULL: none. */
	uint64_t started; /* When the process was, in ticks since boot; a later
			   * one of its number is another.  0: any. */
	bool incoming;    /* It was started for a guest that came from elsewhere. */
};

struct kernel_cpu { /* ns */
	uint64_t total, user, system;
};

struct kernel_nic { /* As the host's device counts. */
	char name[16];
	uint64_t rx_bytes, rx_packets, rx_errors, rx_dropped;
	uint64_t tx_bytes, tx_packets, tx_errors, tx_dropped;
};

struct kernel_nics { /* Sorted by name. */
	struct kernel_nic *items;
	size_t len, size; /* Used, allocated. */
};

/* Finds the process of a guest by libvirt's pid file, and makes sure that it is its process.
 * False, and an empty map, if it is not here.  To be forgotten before it is found anew. */
bool kernel_find(struct mc_ctx *ctx, struct kernel_map *map, const char *name, const char *uuid);

static inline void kernel_forget(struct kernel_map *map)
{
	free(map->cgroup);
	*map = (struct kernel_map){ 0 };
}

/* Names that process, of all there are and have been on any machine: its boot, number and start.
 * "" if it is unknown. */
#define KERNEL_GENERATION_SIZE 48
void kernel_generation(struct mc_ctx *ctx, const struct kernel_map *map,
		       char out[KERNEL_GENERATION_SIZE]);

/* CPU time since the start of the guest.  False if it is not there any more. */
bool kernel_read_cpu(struct mc_ctx *ctx, const struct kernel_map *map, struct kernel_cpu *cpu);

/* Whether its process has ended, or is as one that cannot end: unburied,
 * stopped, or waiting in the kernel.  False if it is not mapped. */
bool kernel_seems_dead(struct mc_ctx *ctx, const struct kernel_map *map);

/* The name of a process. */
bool kernel_read_name(struct mc_ctx *ctx, unsigned pid, char *out, size_t size);

/* Reads /proc/net/dev, once for all guests. */
int kernel_read_nics(struct mc_ctx *ctx, struct kernel_nics *nics);
const struct kernel_nic *kernel_nic(const struct kernel_nics *nics, const char *name);
void kernel_done(struct kernel_nics *nics);

/* --- Pure parts, for tests ------------------------------------------------ */

/* The folder of the whole guest in the unified hierarchy, from the text of
 * /proc/PID/cgroup.  False if the guest has none of its own. */
bool kernel_parse_cgroup(const char *text, char *out, size_t size);

/* From cpu.stat. */
bool kernel_parse_cpu_stat(const char *text, struct kernel_cpu *cpu);

/* From /proc/PID/stat: the process with all its threads. */
bool kernel_parse_stat(const char *text, long ticks_per_second, struct kernel_cpu *cpu);

/* When the process was started, from there; 0 if it does not say. */
uint64_t kernel_parse_start(const char *text);

/* From /proc/net/dev. */
void kernel_parse_nics(const char *text, struct kernel_nics *nics);
