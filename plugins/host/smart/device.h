/* SPDX-License-Identifier: MIT */
/* device: questions to a disk by ioctl: ATA commands by way of SCSI (SAT-3, "ATA PASS-THROUGH
 * (16)"; scsi/sg.h), and admin commands of NVMe (linux/nvme_ioctl.h).  Each may take seconds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "health.h"

/* 0 or a negative errno: -EOPNOTSUPP if the disk has no such command or no SMART. */

struct device_ata {
	bool is_asleep, has_thresholds; /* When asleep nothing else was asked. */
	uint64_t sectors;               /* 0: not known. */
	uint8_t data[ATTRIBUTES_SIZE], thresholds[ATTRIBUTES_SIZE];
};

/* With 'wake' the disk is asked although that makes it spin up. */
int device_ask_ata(int fd, bool wake, struct device_ata *answer);

int device_ask_nvme(int fd, uint8_t page[HEALTH_SIZE]);

/* Reads the register "count" after an ATA command without data, from SCSI's sense data of either
 * format.  False: the command failed, or the bytes are something else.  Pure. */
bool device_sense_count(const uint8_t *sense, size_t size, uint8_t *count);
