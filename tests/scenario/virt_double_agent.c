/* SPDX-License-Identifier: MIT */
/* The agents in guests that are made up: that of guest 0 is a good one, that of guest 2 hangs, and
 * that of guest 4 has 10,000 file systems and odd names. */
#include "virt_double.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MANY 10000

static virTypedParameter *next(virTypedParameter **params, int *len, const char *field, int type)
{
	virTypedParameter *param = *params + (*len)++;

	snprintf(param->field, sizeof(param->field), "%s", field);
	param->type = type;
	return param;
}

static void text(virTypedParameter **params, int *len, const char *field, const char *value)
{
	next(params, len, field, VIR_TYPED_PARAM_STRING)->value.s = strdup(value);
}

static void number(virTypedParameter **params, int *len, const char *field,
		   unsigned long long value)
{
	next(params, len, field, VIR_TYPED_PARAM_ULLONG)->value.ul = value;
}

static void file_system(virTypedParameter **params, int *len, int index, const char *point)
{
	char field[VIR_TYPED_PARAM_FIELD_LENGTH];

	snprintf(field, sizeof(field), "fs.%d.mountpoint", index);
	text(params, len, field, point);
	snprintf(field, sizeof(field), "fs.%d.total-bytes", index);
	number(params, len, field, 1000);
	snprintf(field, sizeof(field), "fs.%d.used-bytes", index);
	number(params, len, field, 250);
}

static void good(virTypedParameter **params, int *len)
{
	static const char *const spans[] = { "load.1m", "load.5m", "load.15m" };

	next(params, len, "user.count", VIR_TYPED_PARAM_UINT)->value.ui = 3;
	text(params, len, "hostname", "inside\n");
	text(params, len, "os.pretty-name", "Debian GNU/Linux 12");
	text(params, len, "if.0.addr.0.addr", "192.0.2.7");
	for (int i = 0; i < 3; i++)
		next(params, len, spans[i], VIR_TYPED_PARAM_DOUBLE)->value.d = 0.5 * (i + 1);
	file_system(params, len, 0, "/");
	file_system(params, len, 1, "/var/log");
	file_system(params, len, 2, "C:\\");
}

static void odd(virTypedParameter **params, int *len)
{
	file_system(params, len, 0, "/a\nb\x1b[31m/..");
	for (int i = 1; i < MANY; i++) {
		char point[32];

		snprintf(point, sizeof(point), "/m%d", i);
		file_system(params, len, i, point);
	}
}

int virDomainGetGuestInfo(virDomainPtr domain, unsigned types, virTypedParameterPtr *params,
			  int *params_len, unsigned flags)
{
	(void)types, (void)flags;
	if (number_of(domain) == 2)
		nanosleep(&(struct timespec){ .tv_sec = 1000000 }, NULL);
	*params = calloc(3 * MANY + 16, sizeof(**params));
	if (*params == NULL)
		abort();
	*params_len = 0;
	if (number_of(domain) == 4)
		odd(params, params_len);
	else
		good(params, params_len);
	return 0;
}

int virDomainAgentSetResponseTimeout(virDomainPtr domain, int timeout, unsigned flags)
{
	(void)domain, (void)timeout, (void)flags;
	return 0;
}
