/* SPDX-License-Identifier: MIT */
/* The measurements of a chip of /sys/class/hwmon (Documentation/hwmon/ sysfs-interface.rst). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define CHIP_NAME_SIZE 128
#define CHIP_SENSORS_MAX 256 /* Those beyond are not read. */

struct chip_sensor {
	const char *type;           /* "temperature". */
	char name[CHIP_NAME_SIZE];  /* "temp1". */
	char label[CHIP_NAME_SIZE]; /* "Package id 0"; else the name. */
	double value;
};

struct chip {                      /* A thread of its own reads it. */
	char name[CHIP_NAME_SIZE]; /* "coretemp-isa-0000"; empty: no chip. */
	struct chip_sensor sensors[CHIP_SENSORS_MAX];
	size_t len;
	unsigned failed; /* Sensors that could not be read ... */
	int errnum;      /* ... and the errno of the last one; 0: it was not a number. */
	char folder[];   /* Where it is, all of the path. */
};

/* Reads the chip: names and values.  Returns 0.  The argument of
 * mc_timed_call(): a sensor may take seconds. */
int chip_read(void *chip);
