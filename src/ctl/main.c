/* SPDX-License-Identifier: MIT */
/* collectorctl - shows and controls a running collector.  Arguments and
 * the choice of the command; each group of commands has a file of its own. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ctl/ctl.h"

#define SECONDS_MIN 0.1 /* Bounds of --delay and --timeout. */
#define SECONDS_MAX 3600

enum { /* Long options without a letter. */
       OPTION_DRY_RUN = 256,
       OPTION_UNDO,
       OPTION_ACCEPT,
       OPTION_EXPECT,
       OPTION_FILES,
       OPTION_SINCE,
       OPTION_FROM,
       OPTION_TO,
       OPTION_STEP,
       OPTION_CSV,
       OPTION_MAXIMUM,
};

struct choice {
	const char *name, *arguments, *help;
	int (*run)(const struct ctl *, int argc, char **argv);
	int least, most; /* Number of arguments; most -1: any. */
};

static const struct choice choices[] = {
	{ "status", "", "plugins, queues, and what failed", status_run, 0, 0 },
	{ "top", "[GLOB]", "the same, live, with the busiest series", top_run, 0, 1 },
	{ "list", "[GLOB] [LABEL=GLOB]", "names of series (-l: times, -a: also what has ended)",
	  list_run, 0, 2 },
	{ "forget", "HOST|GLOB", "ends a host, or series, that were taken out of service",
	  forget_run, 1, 1 },
	{ "scan", "", "makes series known that writers have files of", scan_run, 0, 0 },
	{ "get", "SERIES", "last values of a series, or of all that match", get_run, 1, 1 },
	{ "explain", "SERIES", "type, origin, judges and destinations of a series", explain_run, 1,
	  1 },
	{ "history", "SERIES", "former values, drawn, also of what has ended", history_run, 1, 1 },
	{ "alerts", "[GLOB]", "what is in a bad state, since when, and why", alerts_run, 0, 1 },
	{ "ack", "GLOB [REASON...]", "acknowledges alerts, which are then not repeated",
	  silence_ack_run, 1, -1 },
	{ "silence", "[HOST|GLOB DURATION [REASON...]]",
	  "keeps alerts from people for 2h; alone: the silences", silence_run, 0, -1 },
	{ "unsilence", "HOST|GLOB", "ends a silence", silence_end_run, 1, 1 },
	{ "tap", "[GLOB]", "every sample and notification as it arrives", tap_run, 0, 1 },
	{ "put", "SERIES [interval=S] VALUE...", "submits values: TIME:VALUE[:VALUE...]", put_run,
	  2, -1 },
	{ "notify", "severity=S [KEY=VALUE...] MESSAGE", "sends a notification", put_notify_run, 1,
	  -1 },
	{ "flush", "[KEY=VALUE...]", "flushes writers", put_flush_run, 0, -1 },
	{ "reload", "", "reads the configuration again", reload_run, 0, 0 },
	{ "dump", "[FILE]", "writes what is recorded to a file; prints such a file", dump_run, 0,
	  1 },
	{ "rrd", "DIRECTORY [DAYS [archive FOLDER | delete]] | relayout DIRECTORY LAYOUT",
	  "RRD files by host, or of hosts silent for DAYS", ageing_run, 1, 4 },
	{ "compare", "SOCKET|FILE [MINUTES]", "what another daemon has otherwise, or alone",
	  compare_run, 1, 2 },
	{ "shadow", "[--accept PLUGIN,...] [--expect FILE] [MINUTES]",
	  "what would differ from the host's collectd", shadow_run, 0, 1 },
	{ "adopt", "[--dry-run|--undo] [--accept PLUGIN,...] [--expect FILE] [MINUTES]",
	  "takes the place of the host's collectd; gives it back", adopt_run, 0, 1 },
	{ "journal", "list|verify|export [DIRECTORY]",
	  "contents of a journal; export as lines of JSON", journal_run, 1, 2 },
	{ 0 },
};

static const char help_head[] = "Usage: collectorctl [-s SOCKET] [--json] COMMAND [ARGUMENT...]\n"
				"Shows and controls a running collector.\n"
				"\n"
				"Commands:\n";

static const char help_tail[] =
	"\n"
	"Options:\n"
	"  -s, --socket SOCKET  the collector's socket, else "
	"$COLLECTOR_SOCKET, else\n"
	"                       " CTL_SOCKET_OWN ", else\n"
	"                       " CTL_SOCKET "\n"
	"  -j, --json           JSON, for scripts (list, get, status, top, tap, explain,\n"
	"                       history, alerts, silence, dump, journal list, adopt,\n"
	"                       compare, shadow, rrd without archive and delete)\n"
	"  -a, --all            also series without values any more (list); the last\n"
	"                       changes (alerts)\n"
	"  -l, --long           more columns (list); every point (history)\n"
	"      --since DURATION history of the last 90s, 15m, 1h, 2d, 1w; 1h by default\n"
	"      --from TIME, --to TIME\n"
	"                       begin and end of the history: 1h (ago), 17:02,\n"
	"                       2026-11-24, '2026-11-24 17:02', seconds since 1970\n"
	"      --step DURATION  from point to point of the history\n"
	"      --maximum        maxima of these steps instead of averages (history)\n"
	"      --csv            lines of TIME,VALUE,... (history)\n"
	"  -d, --delay SECONDS  between two frames (top); 1 by default\n"
	"  -o, --order ORDER    of the series in top: change (the default), "
	"value,\n"
	"                       updates or name; or guests, the busiest first; or\n"
	"                       steal, what guests suffer because of each other\n"
	"  -t, --timeout SECONDS\n"
	"                       until the collector must answer; 5 by default\n"
	"      --files          removes the files of what is forgotten, too (forget)\n"
	"      --dry-run        only says what would be done (adopt, rrd)\n"
	"      --undo           gives the host back to collectd (adopt)\n"
	"      --accept PLUGIN,...\n"
	"                       plugins whose series may differ (adopt, compare, shadow)\n"
	"      --expect FILE    names of the series that there must be, where collectd\n"
	"                       has no socket (adopt, shadow)\n"
	"  -h, --help           this text\n"
	"  -V, --version        the version\n"
	"\n"
	"A SERIES is host/plugin[-instance]/type[-instance]; a GLOB is a "
	"pattern of such\n"
	"names, with * ? [...].  A TIME is seconds since 1970, or N for now; a "
	"VALUE\n"
	"alone is taken as now.\n"
	"  notify: severity=failure|warning|okay [time= host= plugin= "
	"plugin_instance=\n"
	"          type= type_instance= s:NAME= message=]\n"
	"  flush:  timeout=SECONDS plugin=NAME identifier=SERIES\n"
	"\n"
	"Exit status: 0, 1 refused or not found, 3 not the same (compare, shadow,\n"
	"adopt), 64 wrong usage, 69 no collector there.\n";

static void print_help(void)
{
	fputs(help_head, stdout);
	for (const struct choice *c = choices; c->name != NULL; c++) {
		int n = printf("  %s %s", c->name, c->arguments);

		/* Long ones have their text on a line of its own. */
		if (n > 22)
			printf("\n%*s%s\n", 24, "", c->help);
		else
			printf("%*s%s\n", 24 - n, "", c->help);
	}
	fputs(help_tail, stdout);
}

static int run_command(const struct ctl *ctl, int argc, char **argv)
{
	if (argc == 0)
		return ctl_usage("no command given");
	for (const struct choice *c = choices; c->name != NULL; c++) {
		if (strcmp(c->name, argv[0]) != 0)
			continue;
		if (argc - 1 < c->least || (c->most >= 0 && argc - 1 > c->most))
			return ctl_usage("usage: collectorctl %s %s", c->name, c->arguments);
		return c->run(ctl, argc, argv);
	}
	return ctl_usage("there is no command '%s'", argv[0]);
}

/* Output that could not be written is a failure. */
static int finish(int status)
{
	bool written = fflush(stdout) == 0 && ferror(stdout) == 0;

	if (written || status != CTL_OK)
		return status;
	return ctl_failed("cannot write to standard output");
}

static void choose_colours(struct ctl *ctl)
{
	const char *terminal = getenv("TERM");

	ctl->bold = ctl->dim = ctl->red = ctl->plain = "";
	if (!isatty(STDOUT_FILENO) || getenv("NO_COLOR") != NULL || terminal == NULL ||
	    strcmp(terminal, "dumb") == 0)
		return;
	ctl->bold = "\033[1m";
	ctl->dim = "\033[2m";
	ctl->red = "\033[31m";
	ctl->plain = "\033[0m";
}

#define WIDTH 80 /* If the width is unknown. */

static unsigned find_width(void)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	long width = columns != NULL ? strtol(columns, NULL, 10) : 0;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return width > 0 && width <= 10000 ? (unsigned)width : WIDTH;
}

static bool parse_seconds(const char *text, double *seconds)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || *end != '\0' || !(number >= SECONDS_MIN) || number > SECONDS_MAX)
		return false;
	*seconds = number;
	return true;
}

/* Takes an option of history; false if it is another's. */
static bool take_history_option(struct ctl *ctl, int letter, const char *value)
{
	switch (letter) {
	case OPTION_SINCE:
		ctl->since = value;
		return true;
	case OPTION_FROM:
		ctl->from = value;
		return true;
	case OPTION_TO:
		ctl->to = value;
		return true;
	case OPTION_STEP:
		ctl->step = value;
		return true;
	case OPTION_CSV:
		ctl->csv = true;
		return true;
	case OPTION_MAXIMUM:
		ctl->maximum = true;
		return true;
	}
	return false;
}

/* Takes an option; CTL_OK, or an exit code after a complaint. */
static int take_option(struct ctl *ctl, int letter, const char *value)
{
	double timeout;

	if (take_history_option(ctl, letter, value))
		return CTL_OK;
	switch (letter) {
	case 's':
		ctl->socket = value;
		return CTL_OK;
	case 'j':
		ctl->json = true;
		return CTL_OK;
	case 'a':
		ctl->all = true;
		return CTL_OK;
	case 'l':
		ctl->detailed = true;
		return CTL_OK;
	case OPTION_DRY_RUN:
		ctl->dry_run = true;
		return CTL_OK;
	case OPTION_FILES:
		ctl->files = true;
		return CTL_OK;
	case OPTION_UNDO:
		ctl->undo = true;
		return CTL_OK;
	case OPTION_ACCEPT:
		ctl->accept = value;
		return CTL_OK;
	case OPTION_EXPECT:
		ctl->expect = value;
		return CTL_OK;
	case 'd':
		if (!parse_seconds(value, &ctl->delay))
			return ctl_usage("invalid delay '%s'", value);
		return CTL_OK;
	case 'o':
		ctl->order = value;
		return CTL_OK;
	case 't':
		if (!parse_seconds(value, &timeout))
			return ctl_usage("invalid timeout '%s'", value);
		ctl->timeout = (mc_time)(timeout * MC_SECOND);
		return CTL_OK;
	}
	fputs("Try 'collectorctl --help'.\n", stderr);
	return CTL_USAGE;
}

static const char *choose_socket(void)
{
	const char *given = getenv("COLLECTOR_SOCKET");

	if (given != NULL && *given != '\0')
		return given;
	return access(CTL_SOCKET_OWN, F_OK) == 0 ? CTL_SOCKET_OWN : CTL_SOCKET;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "socket", required_argument, NULL, 's' },
		{ "json", no_argument, NULL, 'j' },
		{ "all", no_argument, NULL, 'a' },
		{ "long", no_argument, NULL, 'l' },
		{ "delay", required_argument, NULL, 'd' },
		{ "order", required_argument, NULL, 'o' },
		{ "timeout", required_argument, NULL, 't' },
		{ "dry-run", no_argument, NULL, OPTION_DRY_RUN },
		{ "undo", no_argument, NULL, OPTION_UNDO },
		{ "accept", required_argument, NULL, OPTION_ACCEPT },
		{ "expect", required_argument, NULL, OPTION_EXPECT },
		{ "files", no_argument, NULL, OPTION_FILES },
		{ "since", required_argument, NULL, OPTION_SINCE },
		{ "from", required_argument, NULL, OPTION_FROM },
		{ "to", required_argument, NULL, OPTION_TO },
		{ "step", required_argument, NULL, OPTION_STEP },
		{ "csv", no_argument, NULL, OPTION_CSV },
		{ "maximum", no_argument, NULL, OPTION_MAXIMUM },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ 0 },
	};
	struct ctl ctl = { .socket = choose_socket(), .timeout = CTL_TIMEOUT };
	int letter, status;

	ctl.width = find_width();
	ctl.terminal = isatty(STDOUT_FILENO);
	choose_colours(&ctl);
	while ((letter = getopt_long(argc, argv, "s:jald:o:t:hV", options, NULL)) != -1) {
		if (letter == 'h') {
			print_help();
			return finish(CTL_OK);
		}
		if (letter == 'V') {
			puts("collectorctl " PACKAGE_VERSION);
			return finish(CTL_OK);
		}
		status = take_option(&ctl, letter, optarg);
		if (status != CTL_OK)
			return status;
	}
	return finish(run_command(&ctl, argc - optind, argv + optind));
}
