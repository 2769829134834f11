/* SPDX-License-Identifier: MIT */
/* Any bytes as a line of collector-ipmi, whose texts are those of a BMC. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = malloc(size + 1);
	struct report report;

	if (line == NULL)
		abort();
	if (size > 0)
		memcpy(line, data, size);
	line[size] = '\0';
	if (report_read(line, &report)) {
		assert(strchr("+-vnf.udei", report.letter) != NULL);
		assert(isfinite(report.value) && report.fields_len <= MC_FIELDS_MAX);
		for (unsigned i = 0; i < report.fields_len; i++)
			assert(report.fields[i].name != NULL && report.fields[i].value != NULL);
		assert((strchr("+e", report.letter) != NULL) == (report.type_instance != NULL));
		assert((strchr("dfi", report.letter) != NULL) == (report.why != NULL));
	}
	free(line);
	return 0;
}
