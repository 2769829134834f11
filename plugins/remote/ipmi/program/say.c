/* SPDX-License-Identifier: MIT */
#include "say.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

void say(char letter)
{
	putchar(letter);
}

void say_number(long long number)
{
	printf("\t%lld", number);
}

void say_value(double value)
{
	printf("\t%.17g", value);
}

void say_text(const char *text)
{
	putchar('\t');
	for (; *text != '\0'; text++)
		putchar(iscntrl((unsigned char)*text) ? '?' : *text);
}

void say_format(const char *fmt, ...)
{
	char text[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	say_text(text);
}

void say_end(void)
{
	putchar('\n');
}

void say_now(void)
{
	fflush(stdout);
}
