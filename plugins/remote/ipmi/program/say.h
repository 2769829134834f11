/* SPDX-License-Identifier: MIT */
/* Output of the program, for the plugin: lines of fields with a tab between them, whose first is a
 * letter.  report.h beside this folder reads them.
 *
 *   + ID TYPE TYPE_INSTANCE NAME       there is a sensor
 *   - ID                               it is no more
 *   v ID NUMBER                        its value
 *   n ID                               it is not present
 *   f ID WHY                           it cannot be read
 *   .                                  all sensors that are wanted were read
 *   u                                  the BMC is connected
 *   d WHY                              it is not
 *   e SEVERITY SECONDS TYPE TYPE_INSTANCE MESSAGE [NAME=VALUE]...  an event of its log
 *                                      SECONDS since 1970; 0: unknown
 *   i TEXT                             a line for the log */
#pragma once

/* A line: its letter; then its fields, in which control characters become '?'; then its end. */
void say(char letter);
void say_number(long long number);
void say_value(double value);
void say_text(const char *text);
__attribute__((format(printf, 1, 2))) void say_format(const char *fmt, ...);
void say_end(void);

/* Writes all lines so far. */
void say_now(void);
