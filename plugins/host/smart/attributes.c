/* SPDX-License-Identifier: MIT */
#include "attributes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIRST 2 /* Both answers begin with a version of two bytes. */
#define STEP 12 /* Bytes of an attribute, and of a threshold. */
#define HOUR_MS 3600000.
#define ZERO_CELSIUS 273150.          /* Millikelvin. */
#define YEARS_MAX (30 * 365 * 86400.) /* s; a longer time has another unit. */

enum meaning {
	AS_IT_IS,
	UNKNOWN, /* The vendor's meaning is not known: the reading is 0. */
	SECTORS,
	FEW_SECTORS, /* Of 32 bits. */
	SHORT_TIME,  /* Milliseconds, of 16 bits. */
	HOURS,
	CELSIUS,
	PERCENT,   /* The current value is the reading. */
	MEGABYTES, /* In units of 65536 sectors. */
};

static const struct {
	const char *name;
	enum meaning meaning;
} names[256] = {
	[1] = { "raw-read-error-rate", AS_IT_IS },
	[2] = { "throughput-performance", UNKNOWN },
	[3] = { "spin-up-time", SHORT_TIME },
	[4] = { "start-stop-count", AS_IT_IS },
	[5] = { "reallocated-sector-count", FEW_SECTORS },
	[6] = { "read-channel-margin", UNKNOWN },
	[7] = { "seek-error-rate", AS_IT_IS },
	[8] = { "seek-time-performance", UNKNOWN },
	[9] = { "power-on-hours", HOURS },
	[10] = { "spin-retry-count", AS_IT_IS },
	[11] = { "calibration-retry-count", AS_IT_IS },
	[12] = { "power-cycle-count", AS_IT_IS },
	[13] = { "read-soft-error-rate", AS_IT_IS },
	[170] = { "available-reserved-space", PERCENT },
	[171] = { "program-fail-count", AS_IT_IS },
	[172] = { "erase-fail-count", AS_IT_IS },
	[175] = { "program-fail-count-chip", AS_IT_IS },
	[176] = { "erase-fail-count-chip", AS_IT_IS },
	[177] = { "wear-leveling-count", AS_IT_IS },
	[178] = { "used-reserved-blocks-chip", AS_IT_IS },
	[179] = { "used-reserved-blocks-total", AS_IT_IS },
	[180] = { "unused-reserved-blocks", AS_IT_IS },
	[181] = { "program-fail-count-total", AS_IT_IS },
	[182] = { "erase-fail-count-total", AS_IT_IS },
	[183] = { "runtime-bad-block-total", AS_IT_IS },
	[184] = { "end-to-end-error", AS_IT_IS },
	[187] = { "reported-uncorrect", SECTORS },
	[188] = { "command-timeout", AS_IT_IS },
	[189] = { "high-fly-writes", AS_IT_IS },
	[190] = { "airflow-temperature-celsius", CELSIUS },
	[191] = { "g-sense-error-rate", AS_IT_IS },
	[192] = { "power-off-retract-count", AS_IT_IS },
	[193] = { "load-cycle-count", AS_IT_IS },
	[194] = { "temperature-celsius-2", CELSIUS },
	[195] = { "hardware-ecc-recovered", AS_IT_IS },
	[196] = { "reallocated-event-count", AS_IT_IS },
	[197] = { "current-pending-sector", FEW_SECTORS },
	[198] = { "offline-uncorrectable", SECTORS },
	[199] = { "udma-crc-error-count", AS_IT_IS },
	[200] = { "multi-zone-error-rate", AS_IT_IS },
	[201] = { "soft-read-error-rate", AS_IT_IS },
	[202] = { "ta-increase-count", AS_IT_IS },
	[203] = { "run-out-cancel", UNKNOWN },
	[204] = { "shock-count-write-open", AS_IT_IS },
	[205] = { "shock-rate-write-open", AS_IT_IS },
	[206] = { "flying-height", UNKNOWN },
	[207] = { "spin-high-current", UNKNOWN },
	[208] = { "spin-buzz", UNKNOWN },
	[209] = { "offline-seek-performance", UNKNOWN },
	[220] = { "disk-shift", UNKNOWN },
	[221] = { "g-sense-error-rate-2", AS_IT_IS },
	[222] = { "loaded-hours", HOURS },
	[223] = { "load-retry-count", AS_IT_IS },
	[224] = { "load-friction", UNKNOWN },
	[225] = { "load-cycle-count-2", AS_IT_IS },
	[226] = { "load-in-time", AS_IT_IS },
	[227] = { "torq-amp-count", AS_IT_IS },
	[228] = { "power-off-retract-count-2", AS_IT_IS },
	[230] = { "head-amplitude", UNKNOWN },
	[231] = { "temperature-celsius", CELSIUS },
	[232] = { "endurance-remaining", PERCENT },
	[233] = { "power-on-seconds-2", UNKNOWN },
	[234] = { "uncorrectable-ecc-count", AS_IT_IS },
	[235] = { "good-block-rate", UNKNOWN },
	[240] = { "head-flying-hours", HOURS },
	[241] = { "total-lbas-written", MEGABYTES },
	[242] = { "total-lbas-read", MEGABYTES },
	[250] = { "read-error-retry-rate", AS_IT_IS },
};

static bool is_valid(uint8_t value)
{
	return value >= 1 && value <= 0xfd;
}

static uint64_t read_raw(const uint8_t *bytes)
{
	uint64_t number = 0;

	for (int i = 5; i >= 0; i--)
		number = number << 8 | bytes[i];
	return number;
}

static double sectors_of(uint64_t number, uint64_t sectors)
{
	if (number == UINT32_MAX || number == (1ULL << 48) - 1 || (sectors > 0 && number > sectors))
		return 0;
	return (double)number;
}

static double read_reading(enum meaning meaning, uint64_t raw, uint8_t current, uint64_t sectors)
{
	switch (meaning) {
	case SECTORS:
		return sectors_of(raw, sectors);
	case FEW_SECTORS:
		return sectors_of(raw & UINT32_MAX, sectors);
	case SHORT_TIME:
		return (double)(raw & UINT16_MAX);
	case HOURS:
		return (double)(raw & UINT32_MAX) * HOUR_MS;
	case CELSIUS: /* The other bytes have extremes. */
		return (double)(raw & UINT16_MAX) * 1000 + ZERO_CELSIUS;
	case PERCENT:
		return current;
	case MEGABYTES:
		return floor((double)raw * 65536 * 512 / 1e6);
	case UNKNOWN:
		return 0;
	case AS_IT_IS:
		break;
	}
	return (double)raw;
}

static uint8_t find_threshold(const uint8_t *thresholds, uint8_t id)
{
	for (size_t i = 0; i < ATTRIBUTES_MAX && thresholds != NULL; i++) {
		const uint8_t *at = thresholds + FIRST + i * STEP;

		if (at[0] == id)
			return at[1] != 0xfe ? at[1] : 0; /* Of 0xfe nothing is known. */
	}
	return 0;
}

static void note_figures(const struct attribute *attribute, struct attributes *attributes)
{
	double celsius = (attribute->reading - ZERO_CELSIUS) / 1000;

	switch (attribute->id) {
	case 5:
	case 197:
		if (isnan(attributes->bad_sectors))
			attributes->bad_sectors = 0;
		attributes->bad_sectors += attribute->reading;
		break;
	case 9:
		if (attribute->reading > 0 && attribute->reading / 1000 <= YEARS_MAX)
			attributes->power_on = attribute->reading / 1000;
		break;
	case 12:
		attributes->power_cycles = attribute->reading;
		break;
	case 190:
	case 194:
	case 231:
		/* Disks have nonsense in one or the other. */
		if (celsius <= 100 &&
		    (isnan(attributes->temperature) || celsius > attributes->temperature))
			attributes->temperature = celsius;
		break;
	default:
		break;
	}
}

void attributes_parse(const uint8_t data[ATTRIBUTES_SIZE],
		      const uint8_t thresholds[ATTRIBUTES_SIZE], uint64_t sectors,
		      struct attributes *attributes)
{
	*attributes = (struct attributes){
		.power_on = NAN, .power_cycles = NAN, .bad_sectors = NAN, .temperature = NAN
	};
	for (size_t i = 0; i < ATTRIBUTES_MAX; i++) {
		const uint8_t *at = data + FIRST + i * STEP;
		struct attribute attribute = { .id = at[0], .current = at[3], .worst = at[4] };
		enum meaning meaning = UNKNOWN;

		if (attribute.id == 0)
			continue;
		if (names[attribute.id].name != NULL) {
			meaning = names[attribute.id].meaning;
			snprintf(attribute.name, sizeof(attribute.name), "%s",
				 names[attribute.id].name);
		} else {
			snprintf(attribute.name, sizeof(attribute.name), "attribute-%u",
				 attribute.id);
		}
		attribute.reading = read_reading(meaning, read_raw(at + 5), at[3], sectors);
		attribute.threshold = find_threshold(thresholds, attribute.id);
		note_figures(&attribute, attributes);
		if (is_valid(attribute.current) && is_valid(attribute.worst))
			attributes->items[attributes->len++] = attribute;
	}
}

bool attributes_failing(const struct attribute *attribute)
{
	return is_valid(attribute->threshold) && attribute->current <= attribute->threshold;
}
