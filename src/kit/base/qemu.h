/* SPDX-License-Identifier: MIT */
/* kit/base/qemu.h - which processes are virtual machines, and which of their threads are virtual
 * CPUs, in libkit: by QEMU's command line (qemu(1), -name and -uuid) and the names that it gives
 * its threads with debug-threads=on, as libvirt and Proxmox start it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kit/base/kept_file.h"

#define MC_QEMU_NAME_SIZE 128
#define MC_QEMU_THREADS_MAX 4096 /* Of one process; more are not looked at. */

/* --- Pure parts; a command line is words that '\0' ends each ---------------- */

/* Whether its program is a QEMU: "qemu-system-x86_64", "qemu-kvm" or "kvm", in any folder. */
bool mc_qemu_runs(const char *command, size_t command_size);

/* The name of the guest, as the administrator gave it, cut at 'size'.  False without one. */
bool mc_qemu_name(const char *command, size_t command_size, char *out, size_t size);

/* Whether it says "-uuid" and 'uuid'. */
bool mc_qemu_has_uuid(const char *command, size_t command_size, const char *uuid);

/* Whether it says "-incoming": the process was started for the memory of a guest, which came from
 * another one or out of a file. */
bool mc_qemu_is_incoming(const char *command, size_t command_size);

/* The number of the virtual CPU that a thread with this name is: 3 of "CPU 3/KVM"; 0 of
 * "ALL CPUs/TCG", which runs all of them.  False if it is another thread. */
bool mc_qemu_vcpu(const char *name, unsigned *number);

/* --- Processes; 'proc' has /proc as its folder ------------------------------ */

/* Whether the process is a QEMU with a name, and then this name, where characters that no series
 * may have are '_'. */
bool mc_qemu_find(struct mc_kept_files *proc, uint32_t pid, char name[MC_QEMU_NAME_SIZE]);

struct mc_qemu_thread {
	uint32_t tid;
	unsigned vcpu;
};

struct mc_qemu_threads { /* All zero: empty. */
	struct mc_qemu_thread *items;
	size_t len, size; /* Used, allocated. */
	bool is_named;    /* They are the virtual CPUs.  Else QEMU does not name its
			   * threads: all of them are here, numbered as they come. */
};

/* Lists the virtual CPUs of a QEMU into 'threads', whose former contents go, but their memory is
 * used again.  Returns 0, or -errno: -ENOENT if the process has ended. */
int mc_qemu_list_vcpus(struct mc_kept_files *proc, uint32_t pid, struct mc_qemu_threads *threads);
void mc_qemu_threads_done(struct mc_qemu_threads *threads);
