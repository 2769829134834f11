/* SPDX-License-Identifier: MIT */
/* Feeds PUTVAL lines to a collector's unix socket (collectd-unixsock(5)), the
 * same to any: a fleet of hosts with twenty usual values each.
 *
 *   bench_putval [-h hosts] [-n rounds] [-t time of the first round]
 *                [-i seconds between rounds] [-w lines per write]
 *                [-r values per second] SOCKET
 *
 * Waits for the answers to one write before the next, so nothing is lost and the receiver never
 * lags much.  Prints one line of key=value. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define LINE_SIZE 160
#define METRICS 20

static const char *const metrics[METRICS] = {
	"cpu-0/cpu-user",          "cpu-0/cpu-nice",          "cpu-0/cpu-system",
	"cpu-0/cpu-idle",          "cpu-0/cpu-wait",          "cpu-0/cpu-interrupt",
	"cpu-0/cpu-softirq",       "cpu-0/cpu-steal",         "memory/memory-used",
	"memory/memory-free",      "memory/memory-cached",    "memory/memory-buffered",
	"df-root/df_complex-free", "df-root/df_complex-used", "swap/swap-used",
	"swap/swap-free",          "swap/swap-cached",        "swap/swap_io-in",
	"swap/swap_io-out",        "entropy/entropy",
};

struct load {
	long hosts, rounds, interval, window;
	long long time;
	double rate; /* Values per second; 0: as fast as they are taken. */
	const char *path;
};

struct answers {
	char text[65536];
	size_t size;
	bool line_begins;
	unsigned long refused;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int dial(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	size_t size = strlen(path);

	if (size >= sizeof(address.sun_path)) {
		fprintf(stderr, "bench_putval: '%s' is too long\n", path);
		exit(64);
	}
	memcpy(address.sun_path, path, size);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		die(path);
	return fd;
}

static void send_all(int fd, const char *text, size_t size)
{
	while (size > 0) {
		ssize_t sent = write(fd, text, size);

		if (sent < 0)
			die("write");
		text += sent;
		size -= sent;
	}
}

/* Reads that many lines; an answer of success starts with '0'. */
static void await(int fd, long lines, struct answers *answers)
{
	while (lines > 0) {
		ssize_t got = read(fd, answers->text, sizeof(answers->text));

		if (got <= 0)
			die("the collector hung up");
		for (ssize_t i = 0; i < got; i++) {
			char c = answers->text[i];

			if (answers->line_begins && c != '0')
				answers->refused++;
			answers->line_begins = c == '\n';
			lines -= c == '\n';
		}
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Sleeps when it is a millisecond or more ahead of the rate. */
static void pace(const struct load *load, double begun, long done)
{
	double ahead = load->rate > 0 ? begun + done / load->rate - now() : 0;
	struct timespec t = { (time_t)ahead, (long)((ahead - (time_t)ahead) * 1e9) };

	if (ahead > 0.001)
		nanosleep(&t, NULL);
}

static int put_line(char *out, const struct load *load, long i)
{
	long series = load->hosts * METRICS;
	long round = i / series, host = i % series / METRICS;

	return snprintf(out, LINE_SIZE,
			"PUTVAL \"host%05ld.example.net/%s\" "
			"interval=%ld %lld:%ld\n",
			host, metrics[i % METRICS], load->interval,
			load->time + round * load->interval,
			(host % 1000 + i % METRICS + 1) * (round + 1) * 10);
}

static void run(const struct load *load)
{
	static struct answers answers = { .line_begins = true };
	long values = load->hosts * METRICS * load->rounds;
	char *text = malloc(load->window * LINE_SIZE);
	int fd = dial(load->path);
	double begun = now();

	if (text == NULL)
		die("malloc");
	for (long done = 0; done < values;) {
		size_t size = 0;
		long lines = 0;

		while (lines < load->window && done < values) {
			size += put_line(text + size, load, done++);
			lines++;
		}
		send_all(fd, text, size);
		await(fd, lines, &answers);
		pace(load, begun, done);
	}
	printf("values=%ld refused=%lu seconds=%.3f\n", values, answers.refused, now() - begun);
	free(text);
	close(fd);
}

static bool parse(int argc, char **argv, struct load *load)
{
	int option;

	while ((option = getopt(argc, argv, "h:n:t:i:w:r:")) != -1) {
		switch (option) {
		case 'h':
			load->hosts = strtol(optarg, NULL, 10);
			break;
		case 'n':
			load->rounds = strtol(optarg, NULL, 10);
			break;
		case 't':
			load->time = strtoll(optarg, NULL, 10);
			break;
		case 'i':
			load->interval = strtol(optarg, NULL, 10);
			break;
		case 'w':
			load->window = strtol(optarg, NULL, 10);
			break;
		case 'r':
			load->rate = strtod(optarg, NULL);
			break;
		default:
			return false;
		}
	}
	if (optind + 1 != argc)
		return false;
	load->path = argv[optind];
	return load->hosts > 0 && load->rounds > 0 && load->window > 0;
}

int main(int argc, char **argv)
{
	struct load load = {
		.hosts = 500,
		.rounds = 1,
		.interval = 10,
		.window = 50,
		.time = time(NULL),
	};

	if (!parse(argc, argv, &load)) {
		fprintf(stderr, "usage: bench_putval [-h hosts] [-n rounds] "
				"[-t time] [-i interval] [-w window] "
				"[-r rate] SOCKET\n");
		return 64;
	}
	run(&load);
	return 0;
}
