/* SPDX-License-Identifier: MIT */
/* The command line of collectord.  Letters are those of collectd(1). */
#include "daemon/arguments.h"

#include <getopt.h>
#include <stdio.h>
#include <sysexits.h>

#define CONFIG MC_SYSCONFDIR "/collector/collector.conf"

enum { /* Long options without a letter. */
       OPTION_DESCRIBE = 256,
       OPTION_MANUAL,
       OPTION_LIST,
       OPTION_EXAMPLE,
       OPTION_PLUGIN_DIR,
       OPTION_STRICT,
       OPTION_NO_ENVIRONMENT,
       OPTION_UNIT,
       OPTION_BESIDE,
       OPTION_SHADOW,
};

static const struct option long_options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ "describe", required_argument, NULL, OPTION_DESCRIBE },
	{ "manual", required_argument, NULL, OPTION_MANUAL },
	{ "list-plugins", no_argument, NULL, OPTION_LIST },
	{ "example", no_argument, NULL, OPTION_EXAMPLE },
	{ "plugin-dir", required_argument, NULL, OPTION_PLUGIN_DIR },
	{ "strict", no_argument, NULL, OPTION_STRICT },
	{ "no-environment", no_argument, NULL, OPTION_NO_ENVIRONMENT },
	{ "unit", optional_argument, NULL, OPTION_UNIT },
	{ "beside", no_argument, NULL, OPTION_BESIDE },
	{ "shadow", no_argument, NULL, OPTION_SHADOW },
	{ NULL, 0, NULL, 0 },
};

static void print_help(void)
{
	printf("Usage: collectord [-f] [-C FILE]\n"
	       "  or:  collectord -t | -T [-C FILE]\n"
	       "  or:  collectord --list-plugins | --describe PLUGIN | "
	       "--example\n"
	       "\n"
	       "Collects metrics at fixed intervals and writes or forwards "
	       "them.\n"
	       "\n"
	       "  -C FILE                 configuration (%s)\n"
	       "  -P FILE                 the PID file, whatever the "
	       "configuration says\n"
	       "  -B                      do not make BaseDir\n"
	       "  -f                      stay in the foreground\n"
	       "  -t                      test the configuration and exit\n"
	       "  --no-environment        with -t: leave out the files, users "
	       "and ports of\n"
	       "                          this host\n"
	       "  --unit[=FILE]           with -t: check paths against the "
	       "systemd unit, and\n"
	       "                          print the drop-in that allows them\n"
	       "  -T                      read twice, print the values, and "
	       "exit\n"
	       "  --beside                start although collectd or another "
	       "collector has\n"
	       "                          a port, a socket or a DataDir of "
	       "this configuration\n"
	       "  --shadow                write nowhere and do not listen, "
	       "but for instances\n"
	       "                          called PLUGIN.shadow: what "
	       "collectorctl shadow runs\n"
	       "  --strict                warnings about the configuration are "
	       "errors\n"
	       "  --plugin-dir DIR        load plugins from there\n"
	       "\n"
	       "  --list-plugins          all plugins\n"
	       "  --describe PLUGIN       its options and what it measures\n"
	       "  --example               an example of the configuration\n"
	       "  --manual PLUGIN [FILE]  its manual page, as roff, with the "
	       "text of FILE\n"
	       "\n"
	       "  -V, --version           print the version\n"
	       "  -h, --help              print this help\n"
	       "\n"
	       "Exit status: 0, 64 (wrong usage), 69 (no such plugin, a read "
	       "failed or all\n"
	       "was refused under -T, or another daemon has what this one "
	       "needs), 71 (the\n"
	       "system refused something), 78 (errors in the configuration).\n",
	       CONFIG);
}

static int misused(void)
{
	fputs("Try 'collectord --help'.\n", stderr);
	return EX_USAGE;
}

static void set_show(struct arguments *arguments, enum show show, const char *subject)
{
	arguments->mode = MODE_SHOW;
	arguments->show = show;
	arguments->subject = subject;
}

/* One option of the command line; -1 or an exit status. */
static int take(struct arguments *arguments, int option, const char *value)
{
	switch (option) {
	case 'C':
		arguments->config = value;
		return -1;
	case 'P':
		arguments->pid_file = value;
		return -1;
	case 'B':
		arguments->keep_folders = true;
		return -1;
	case 'f':
		arguments->foreground = true;
		return -1;
	case 't':
		arguments->mode = MODE_TEST;
		return -1;
	case 'T':
		arguments->mode = MODE_CYCLE;
		return -1;
	case OPTION_PLUGIN_DIR:
		arguments->plugin_dir = value;
		return -1;
	case OPTION_STRICT:
		arguments->strict = true;
		return -1;
	case OPTION_NO_ENVIRONMENT:
		arguments->no_environment = true;
		return -1;
	case OPTION_BESIDE:
		arguments->beside = true;
		return -1;
	case OPTION_SHADOW:
		arguments->shadow = true;
		return -1;
	case OPTION_UNIT:
		arguments->under_unit = true;
		arguments->unit = value;
		return -1;
	case OPTION_DESCRIBE:
		set_show(arguments, SHOW_DESCRIBE, value);
		return -1;
	case OPTION_MANUAL:
		set_show(arguments, SHOW_MANUAL, value);
		return -1;
	case OPTION_LIST:
		set_show(arguments, SHOW_LIST, NULL);
		return -1;
	case OPTION_EXAMPLE:
		set_show(arguments, SHOW_EXAMPLE, NULL);
		return -1;
	case 'V':
		puts(PACKAGE_STRING);
		return EX_OK;
	case 'h':
		print_help();
		return EX_OK;
	default:
		return misused();
	}
}

int arguments_parse(struct arguments *arguments, int argc, char **argv)
{
	int option, status;

	*arguments = (struct arguments){ .mode = MODE_RUN, .config = CONFIG };
	while ((option = getopt_long(argc, argv, "C:P:BftTVh", long_options, NULL)) != -1) {
		status = take(arguments, option, optarg);
		if (status >= 0)
			return status;
	}
	if (arguments->mode == MODE_SHOW && arguments->show == SHOW_MANUAL && optind < argc)
		arguments->prose = argv[optind++];
	if (optind < argc) {
		fprintf(stderr, "collectord: '%s' is too much\n", argv[optind]);
		return misused();
	}
	return -1;
}
