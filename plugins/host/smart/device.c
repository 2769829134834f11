/* SPDX-License-Identifier: MIT */
#include "device.h"

#include <errno.h>
#include <linux/nvme_ioctl.h>
#include <scsi/sg.h>
#include <sys/ioctl.h>

#define TIMEOUT_MS 10000
#define SENSE_SIZE 32
#define BLOCK 512

enum { ATA_SMART = 0xb0, ATA_CHECK_POWER_MODE = 0xe5, ATA_IDENTIFY = 0xec };
enum { SMART_READ_DATA = 0xd0, SMART_READ_THRESHOLDS = 0xd1 };

/* Bytes of ATA PASS-THROUGH (16). */
enum { NO_DATA = 3 << 1, DATA_IN = 4 << 1 };
enum { WANT_REGISTERS = 0x20, IN_BLOCKS = 0x0e }; /* CK_COND; T_DIR, BYT_BLOK, T_LENGTH 2. */

/* Sense data (SPC-4): a descriptor of ATA's registers, or the fields that stand for it. */
bool device_sense_count(const uint8_t *sense, size_t size, uint8_t *count)
{
	if (size >= 22 && (sense[0] & 0x7f) == 0x72 && sense[8] == 0x09 && sense[9] >= 12) {
		if ((sense[21] & 1) != 0) /* ERR of the status. */
			return false;
		*count = sense[13];
		return true;
	}
	if (size >= 8 && (sense[0] & 0x7f) == 0x70) {
		if ((sense[4] & 1) != 0)
			return false;
		*count = sense[6];
		return true;
	}
	return false;
}

struct exchange {
	uint8_t command[16], sense[SENSE_SIZE];
	size_t sense_size;
};

static int send(int fd, struct exchange *exchange, void *data, size_t size)
{
	struct sg_io_hdr io = {
		.interface_id = 'S',
		.dxfer_direction = size > 0 ? SG_DXFER_FROM_DEV : SG_DXFER_NONE,
		.cmd_len = sizeof(exchange->command),
		.cmdp = exchange->command,
		.mx_sb_len = sizeof(exchange->sense),
		.sbp = exchange->sense,
		.dxfer_len = (unsigned)size,
		.dxferp = data,
		.timeout = TIMEOUT_MS,
	};

	if (ioctl(fd, SG_IO, &io) < 0)
		return errno == ENOTTY || errno == EINVAL ? -EOPNOTSUPP : -errno;
	exchange->sense_size = io.sb_len_wr;
	if (io.host_status != 0 || (io.driver_status & 0x7) != 0)
		return -EIO;
	return io.status;
}

static int read_block(int fd, uint8_t command, uint8_t feature, uint8_t data[BLOCK])
{
	struct exchange exchange = {
		.command = { [0] = 0x85,
			     [1] = DATA_IN,
			     [2] = IN_BLOCKS,
			     [4] = feature,
			     [6] = 1,
			     [14] = command },
	};
	int rc;

	if (command == ATA_SMART) {
		exchange.command[10] = 0x4f;
		exchange.command[12] = 0xc2;
	}
	rc = send(fd, &exchange, data, BLOCK);
	return rc > 0 ? -EOPNOTSUPP : rc; /* Any status but 0: the disk does not do it. */
}

static int check_power(int fd, bool *is_asleep)
{
	struct exchange exchange = {
		.command = { [0] = 0x85,
			     [1] = NO_DATA,
			     [2] = WANT_REGISTERS,
			     [14] = ATA_CHECK_POWER_MODE },
	};
	uint8_t count;
	int rc = send(fd, &exchange, NULL, 0);

	if (rc < 0)
		return rc;
	if (!device_sense_count(exchange.sense, exchange.sense_size, &count))
		return -EOPNOTSUPP;
	*is_asleep = count != 0xff && count != 0x80; /* Active; idle. */
	return 0;
}

static unsigned word(const uint8_t *block, unsigned number)
{
	return block[2 * number] | (unsigned)block[2 * number + 1] << 8;
}

static uint64_t read_sectors(const uint8_t *identity)
{
	uint64_t sectors = 0;

	for (unsigned i = 104; i > 100; i--)
		sectors = sectors << 16 | word(identity, i - 1);
	return sectors;
}

int device_ask_ata(int fd, bool wake, struct device_ata *answer)
{
	uint8_t identity[BLOCK];
	int rc = read_block(fd, ATA_IDENTIFY, 0, identity);

	*answer = (struct device_ata){ 0 };
	if (rc != 0)
		return rc;
	if ((word(identity, 82) & 1) == 0 || (word(identity, 85) & 1) == 0)
		return -EOPNOTSUPP; /* It has none, or it is off. */
	answer->sectors = read_sectors(identity);
	if (!wake) {
		rc = check_power(fd, &answer->is_asleep);
		if (rc != 0 || answer->is_asleep)
			return rc;
	}
	rc = read_block(fd, ATA_SMART, SMART_READ_DATA, answer->data);
	if (rc != 0)
		return rc;
	answer->has_thresholds =
		read_block(fd, ATA_SMART, SMART_READ_THRESHOLDS, answer->thresholds) == 0;
	return 0;
}

int device_ask_nvme(int fd, uint8_t page[HEALTH_SIZE])
{
	struct nvme_admin_cmd command = {
		.opcode = 0x02, /* Get Log Page */
		.nsid = UINT32_MAX,
		.addr = (uintptr_t)page,
		.data_len = HEALTH_SIZE,
		.cdw10 = (HEALTH_SIZE / 4 - 1) << 16 | 0x02,
		.timeout_ms = TIMEOUT_MS,
	};
	int rc = ioctl(fd, NVME_IOCTL_ADMIN_CMD, &command);

	if (rc < 0)
		return errno == ENOTTY ? -EOPNOTSUPP : -errno;
	return rc > 0 ? -EIO : 0; /* A status of the drive's. */
}
