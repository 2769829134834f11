/* SPDX-License-Identifier: MIT */
/* Facts: hddtemp(8), "TCP/IP DAEMON MODE".  A disk without a temperature has a word in its place,
 * such as "SLP", and "*" as unit. */
#include "answer.h"

#include <math.h>
#include <string.h>

#include <collector/kit/number.h>

/* The text up to the next '|', which becomes its end. */
static char *take_field(char **at)
{
	char *field = *at, *end = strchr(field, '|');

	if (end == NULL)
		return NULL;
	*end = '\0';
	*at = end + 1;
	return field;
}

bool answer_next(char **at, struct answer_disk *disk)
{
	char *next = *at, *name, *temperature, *unit, *slash;
	double degrees;

	if (*next != '|')
		return false;
	next++;
	name = take_field(&next);
	if (name == NULL || take_field(&next) == NULL) /* Its model. */
		return false;
	temperature = take_field(&next);
	unit = temperature != NULL ? take_field(&next) : NULL;
	if (unit == NULL)
		return false;
	slash = strrchr(name, '/');
	disk->name = slash != NULL ? slash + 1 : name;
	disk->celsius = NAN;
	if (mc_number_double(temperature, &degrees)) {
		if (strcmp(unit, "C") == 0)
			disk->celsius = degrees;
		else if (strcmp(unit, "F") == 0)
			disk->celsius = (degrees - 32) * 5 / 9;
	}
	*at = next;
	return true;
}
