/* SPDX-License-Identifier: MIT */
/* wireless: how well wireless interfaces hear, from /proc/net/wireless
 * (net/wireless/wext-proc.c in the kernel).
 *
 * The columns are a status in hexadecimal, then link quality, signal level and
 * noise level.  Drivers that know the levels in dBm show them as such; others
 * have a scale of their own, from 0 on, or show them 256 too high.
 */
#include <collector/plugin.h>

#include "kit/base/this_machine.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <collector/scan.h>

#include "rate.h"

struct wireless {
	int socket; /* And one; 0: none. */
};

/* A dot after a number: it is new since the last look. */
static bool take_number(const char **at, double *number)
{
	bool negative = mc_scan_text(at, "-");
	uint64_t digits;

	if (!mc_scan_u64(at, &digits) || digits > INT32_MAX)
		return false;
	if (**at == '.')
		(*at)++;
	*number = negative ? -(double)digits : (double)digits;
	return mc_scan_at_end(*at);
}

/* From what stands in the file to dBm, or unknown: -256 is what a driver shows
 * that does not know, and 0 to 100 a scale of its own. */
static double dbm_of(double level)
{
	if (level > 100 && level <= 256)
		level -= 256;
	return level < 0 && level > -256 ? level : NAN;
}

/* Reads one line, " wlan0: 0000   54.  -56.  -256 ..."; false for another line, as the two of the
 * heading, or if it is cut. */
static bool parse(const char *line, char name[IFNAMSIZ], double levels[3])
{
	const char *start = mc_scan_blanks(line);
	size_t size = strcspn(start, ": \t\n");
	const char *at = start + size;
	struct mc_word status;

	if (size == 0 || size >= IFNAMSIZ || !mc_scan_text(&at, ":") || !mc_scan_word(&at, &status))
		return false;
	for (size_t i = 0; i < 3; i++)
		if (!take_number(&at, &levels[i]))
			return false;
	memcpy(name, start, size);
	name[size] = '\0';
	return true;
}

static void report(const struct wireless *self, struct mc_batch *out, const char *name,
		   const double levels[3])
{
	const struct {
		const char *type;
		double value;
	} rows[] = {
		{ "signal_quality", levels[0] >= 0 ? levels[0] : NAN },
		{ "signal_power", dbm_of(levels[1]) },
		{ "signal_noise", dbm_of(levels[2]) },
	};

	for (size_t i = 0; i < 3; i++)
		mc_put_gauge(out, rows[i].value, .plugin_instance = name, .type = rows[i].type);
	if (self->socket != 0) {
		double rate = rate_of(self->socket - 1, name);

		if (!isnan(rate))
			mc_put_gauge(out, rate, .plugin_instance = name, .type = "bitrate");
	}
}

static int wireless_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	char *text;
	ssize_t size = mc_read_file(ctx, "/proc/net/wireless", &text);
	const char *line = text;
	size_t understood = 0, failed = 0;

	if (size < 0)
		return (int)size;
	do {
		char name[IFNAMSIZ];
		double levels[3];

		if (parse(line, name, levels)) {
			report(ctx->self, out, name, levels);
			understood++;
		} else if (line[strcspn(line, "|\n")] != '|') {
			failed++;
		}
	} while (mc_scan_line(&line));
	if (failed > 0)
		return mc_fail(ctx, 0, "cannot understand '/proc/net/wireless'");
	if (understood == 0)
		return mc_fail(ctx, 0, "no interface in '/proc/net/wireless'");
	return 0;
}

static int wireless_start(struct mc_ctx *ctx)
{
	struct wireless *self = ctx->self;

	if (mc_is_this_machine(ctx))
		self->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0) + 1;
	return 0;
}

static void wireless_stop(struct mc_ctx *ctx)
{
	struct wireless *self = ctx->self;

	if (self->socket != 0)
		close(self->socket - 1);
}

MC_PLUGIN(wireless) = {
	MC_NAMED(wireless),
	.help = "Reads quality, power, noise and bit rate of wireless links.",
	.self_size = sizeof(struct wireless),
	.types = (const char *const[]){ "signal_quality", "signal_power", "signal_noise", "bitrate",
					NULL },
	.start = wireless_start,
	.read = wireless_read,
	.stop = wireless_stop,
	.lenient = true,
};
