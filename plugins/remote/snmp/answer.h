/* SPDX-License-Identifier: MIT */
/* Reads an answer, whatever the device sends. */
#pragma once

#include "device.h"

enum answer {
	ANSWER_DONE,  /* The task is. */
	ANSWER_MORE,  /* There are more rows: the task goes on after these. */
	ANSWER_LOOPS, /* Identifiers do not grow: it would never end. */
	ANSWER_SHORT, /* There is not even one row. */
	ANSWER_FULL,  /* There are too many rows. */
};

/* Takes rows of the task's table, and where the task goes on. */
enum answer answer_rows(struct task *, const netsnmp_variable_list *variables);

/* Takes single values of the task. */
enum answer answer_singles(struct task *, const netsnmp_variable_list *variables);

/* Takes sysUpTime and, of interfaces, ifTableLastChange, which a task with 'clock' asks for first;
 * returns the rest. */
const netsnmp_variable_list *answer_clock(struct device *, struct table *,
					  const netsnmp_variable_list *variables);

/* Takes sysName, which a task with 'name' asks for after these; "" if the device has none. */
void answer_name(const netsnmp_variable_list *variable, char out[MC_SNMP_TEXT_SIZE]);

/* Why a device of version 3 refuses to answer; NULL: it is not known. */
const char *answer_report(const netsnmp_variable_list *variables);
