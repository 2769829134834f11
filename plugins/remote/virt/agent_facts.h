/* SPDX-License-Identifier: MIT */
/* Answers of a guest's agent, from virDomainGetGuestInfo().  Pure.
 *
 * Whoever is root in the guest can have the agent say anything: numbers, counts and texts are
 * bounded, control characters in texts become '_', and what makes no sense is left out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libvirt/libvirt.h>

#define AGENT_FILE_SYSTEMS_MAX 256 /* Of a guest; further ones are left out. */
#define AGENT_TEXT_SIZE 128
#define AGENT_NAME_SIZE 112 /* So that a type instance with "-used" is not too long. */
#define AGENT_DISK_SIZE 64
#define AGENT_ADDRESSES_SIZE 256

struct agent_file_system {
	char point[AGENT_TEXT_SIZE];  /* "/var", "C:\" */
	char name[AGENT_NAME_SIZE];   /* The same in names of series: "var", "C" */
	char device[AGENT_DISK_SIZE]; /* "vda1" */
	char type[AGENT_DISK_SIZE];   /* "ext4" */
	char disk[AGENT_DISK_SIZE]; /* The guest's disk, as libvirt names it: "vda"; "": unknown. */
	uint64_t total, used;       /* Bytes, for users other than root. */
	unsigned disks;             /* Their number. */
	bool image;                 /* It is always full: squashfs, iso9660. */
};

struct agent_facts { /* Zero: nothing is known. */
	struct agent_file_system *file_systems;
	size_t file_systems_len;
	size_t left_out; /* Too many file systems, or of equal names. */
	bool has_users;
	unsigned users;
	double load[3]; /* Of 1, 5 and 15 minutes; NaN: unknown. */
	char os[AGENT_TEXT_SIZE], kernel[AGENT_TEXT_SIZE], hostname[AGENT_TEXT_SIZE];
	/* With blanks between them; those of the guest alone, such as 127.0.0.1, are left out. */
	char addresses[AGENT_ADDRESSES_SIZE];
};

/* "/" is "root" and "/var/log" is "var-log", as in the plugin df; "C:\" is "C". */
void agent_facts_name(const char *point, char out[AGENT_NAME_SIZE]);

void agent_facts_init(struct agent_facts *facts);

/* Adds what the parameters say; to be called for each answer, and then agent_facts_end(). */
void agent_facts_take(struct agent_facts *facts, const virTypedParameter *params, size_t len);

/* Leaves out file systems of which too little is known, or that have the name of another one. */
void agent_facts_end(struct agent_facts *facts);

void agent_facts_free(struct agent_facts *facts);
