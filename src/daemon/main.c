/* SPDX-License-Identifier: MIT */
/* collectord: the program. */
#include "daemon/arguments.h"
#include "daemon/daemon.h"

int main(int argc, char **argv)
{
	struct arguments arguments;
	int status = arguments_parse(&arguments, argc, argv);

	return status >= 0 ? status : daemon_run(&arguments);
}
