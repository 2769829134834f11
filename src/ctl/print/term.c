/* SPDX-License-Identifier: MIT */
/* A terminal as a screen to paint on.  Control sequences: console_codes(4) and xterm's ctlseqs. */
#include "ctl/print/term.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Alternate screen, hidden cursor, no wrapping of long lines; and back. */
#define SCREEN_ON "\033[?1049h\033[?25l\033[?7l"
#define SCREEN_OFF "\033[?7h\033[?25h\033[?1049l"

static void put_text(const char *text, size_t size)
{
	while (size > 0) {
		ssize_t n = write(STDOUT_FILENO, text, size);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return;
		if (n > 0) {
			text += n;
			size -= (size_t)n;
		}
	}
}

bool term_usable(void)
{
	const char *name = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && name != NULL &&
	       strcmp(name, "dumb") != 0;
}

static void read_size(struct term *term)
{
	struct winsize size;

	term->width = 80;
	term->height = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return;
	term->width = size.ws_col;
	term->height = size.ws_row;
}

static void take_over(struct term *term)
{
	struct termios raw = term->before;

	/* Signals of the keyboard stay: they come through 'signals'. */
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
	put_text(SCREEN_ON, strlen(SCREEN_ON));
	read_size(term);
}

static void give_back(struct term *term)
{
	put_text(SCREEN_OFF, strlen(SCREEN_OFF));
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &term->before);
}

static void signal_set(sigset_t *set)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH };

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaddset(set, numbers[i]);
}

int term_open(struct term *term)
{
	sigset_t set;

	if (tcgetattr(STDIN_FILENO, &term->before) < 0)
		return -errno;
	signal_set(&set);
	term->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (term->signals < 0)
		return -errno;
	sigprocmask(SIG_BLOCK, &set, NULL);
	take_over(term);
	return 0;
}

void term_close(struct term *term)
{
	sigset_t set;

	give_back(term);
	close(term->signals);
	signal_set(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void term_fds(const struct term *term, int fds[TERM_FDS])
{
	fds[0] = STDIN_FILENO;
	fds[1] = term->signals;
}

static int signal_key(struct term *term)
{
	struct signalfd_siginfo info;

	if (read(term->signals, &info, sizeof(info)) != sizeof(info))
		return TERM_NO_KEY;
	if (info.ssi_signo == SIGTSTP) {
		give_back(term);
		raise(SIGSTOP);
		take_over(term);
		return TERM_RESIZED;
	}
	if (info.ssi_signo == SIGWINCH) {
		read_size(term);
		return TERM_RESIZED;
	}
	return TERM_QUIT;
}

int term_key(struct term *term)
{
	unsigned char c;
	int key = signal_key(term);
	ssize_t n;

	if (key != TERM_NO_KEY)
		return key;
	n = read(STDIN_FILENO, &c, 1);
	if (n == 1)
		return c;
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return TERM_QUIT;
	return TERM_NO_KEY;
}

void term_paint(const struct term *term, const char *text)
{
	char *screen;
	size_t size;
	FILE *out = open_memstream(&screen, &size);

	if (out == NULL)
		abort();
	fputs("\033[H", out);
	for (unsigned row = 0; row < term->height && *text != '\0'; row++) {
		size_t line = strcspn(text, "\n");

		/* No newline after the last row: it would scroll. */
		if (row > 0)
			fputs("\r\n", out);
		/* Cleared first: after a full line it would take the last character away. */
		fprintf(out, "\033[K%.*s", (int)line, text);
		text += line;
		text += *text == '\n';
	}
	fputs("\033[J", out);
	fclose(out);
	put_text(screen, size);
	free(screen);
}
