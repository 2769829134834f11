/* SPDX-License-Identifier: MIT */
#include "blame.h"

#include <stdlib.h>

#include <collector/kit/alloc.h>

#include "top.h"

#define ROUNDS 8       /* Of fitting. */
#define SEEN 0.475     /* Weight of a CPU for each time it was seen there; the rest is for all. */
#define SIBLING 0.5    /* Weight of time on another hyperthread. */
#define TOLERANCE 0.02 /* Idle time that the ticks of the kernel may be wrong by. */
#define RUN_MIN 0.0005 /* Threads that ran less are not placed. */
#define NEARLY_ALL 0.9 /* Of a wait. */
#define LIMIT_WEIGHT                                                                               \
	2.0 /* Idle time while it waits says that a limit holds it; that limit holds               \
	     * it while others run, too. */

struct cell { /* A thread on a CPU. */
	uint32_t thread, cpu;
	double run;
};

struct blame {
	const struct blame_view *view;
	struct cell *cells; /* By thread. */
	size_t len;
	size_t *first;               /* Of a thread, and of the one after the last. */
	const struct cell **on;      /* Cells by CPU. */
	size_t *first_on;            /* As 'first'. */
	double host[BLAME_CPUS_MAX]; /* Time that no thread has. */
	double groups, hosts;        /* Sums. */
	double *guests;              /* For blame_wait(). */
};

static bool is_allowed(const struct blame_view *view, const struct blame_thread *thread, size_t cpu)
{
	return (thread->allowed[cpu / 64] >> cpu % 64 & 1) != 0 && view->cpus[cpu].busy >= 0;
}

/* --- Where threads were --------------------------------------------------- */

static double weight_of(const struct blame_thread *thread, size_t cpu, size_t len)
{
	double weight = (1 - 2 * SEEN) / (double)len;

	for (unsigned i = 0; i < 2; i++)
		if (thread->seen[i] == (int)cpu)
			weight += SEEN;
	return weight;
}

static size_t count_allowed(const struct blame_view *view, const struct blame_thread *thread)
{
	size_t len = 0;

	for (size_t cpu = 0; cpu < view->cpus_len; cpu++)
		len += is_allowed(view, thread, cpu);
	return len;
}

/* First guess: without the limits of the CPUs. */
static void add_thread(struct blame *blame, size_t number)
{
	const struct blame_view *view = blame->view;
	const struct blame_thread *thread = &view->threads[number];
	size_t len = count_allowed(view, thread), from = blame->len;
	bool is_whole = blame->len + len <= BLAME_CELLS_MAX;
	double sum = 0;

	for (size_t cpu = 0; cpu < view->cpus_len && blame->len < BLAME_CELLS_MAX; cpu++) {
		bool was_seen = thread->seen[0] == (int)cpu || thread->seen[1] == (int)cpu;
		double weight = weight_of(thread, cpu, len);

		if (!is_allowed(view, thread, cpu) || (!is_whole && !was_seen))
			continue;
		blame->cells[blame->len++] =
			(struct cell){ (uint32_t)number, (uint32_t)cpu, weight };
		sum += weight;
	}
	for (size_t i = from; i < blame->len; i++)
		blame->cells[i].run = (blame->cells[i].run * thread->run / sum);
}

static void guess(struct blame *blame)
{
	const struct blame_view *view = blame->view;
	size_t room = 0;

	for (size_t i = 0; i < view->threads_len; i++)
		room += count_allowed(view, &view->threads[i]);
	if (room > BLAME_CELLS_MAX)
		room = BLAME_CELLS_MAX;
	blame->cells = mc_alloc_array(room, sizeof(*blame->cells));
	blame->first = mc_alloc_array(view->threads_len + 1, sizeof(*blame->first));
	for (size_t i = 0; i < view->threads_len; i++) {
		blame->first[i] = blame->len;
		if (view->threads[i].run + view->threads[i].wait >= RUN_MIN)
			add_thread(blame, i);
	}
	blame->first[view->threads_len] = blame->len;
}

static bool is_pinned(const struct blame *blame, size_t thread)
{
	return blame->first[thread + 1] - blame->first[thread] == 1;
}

/* Makes what roams fit beside what does not: no CPU has more than it was busy. */
static void fit_cpus(struct blame *blame, const double *room)
{
	double sums[BLAME_CPUS_MAX] = { 0 };

	for (size_t i = 0; i < blame->len; i++)
		if (!is_pinned(blame, blame->cells[i].thread))
			sums[blame->cells[i].cpu] += blame->cells[i].run;
	for (size_t i = 0; i < blame->len; i++) {
		struct cell *cell = &blame->cells[i];

		if (!is_pinned(blame, cell->thread) && sums[cell->cpu] > room[cell->cpu])
			cell->run = (cell->run * room[cell->cpu] / sums[cell->cpu]);
	}
}

/* Gives each thread its time again; one that fits nowhere stays as it is. */
static void fit_threads(struct blame *blame)
{
	const struct blame_view *view = blame->view;

	for (size_t i = 0; i < view->threads_len; i++) {
		double sum = 0;

		for (size_t j = blame->first[i]; j < blame->first[i + 1]; j++)
			sum += blame->cells[j].run;
		for (size_t j = blame->first[i]; sum > 0 && j < blame->first[i + 1]; j++)
			blame->cells[j].run = (blame->cells[j].run * view->threads[i].run / sum);
	}
}

static void fit(struct blame *blame)
{
	const struct blame_view *view = blame->view;
	double room[BLAME_CPUS_MAX];

	for (size_t cpu = 0; cpu < view->cpus_len; cpu++)
		room[cpu] = view->cpus[cpu].busy;
	for (size_t i = 0; i < blame->len; i++)
		if (is_pinned(blame, blame->cells[i].thread))
			room[blame->cells[i].cpu] -= blame->cells[i].run;
	for (size_t cpu = 0; cpu < view->cpus_len; cpu++)
		if (room[cpu] < RUN_MIN)
			room[cpu] = RUN_MIN;
	for (unsigned i = 0; i < ROUNDS; i++) {
		fit_cpus(blame, room);
		fit_threads(blame);
	}
}

/* --- What is on a CPU ----------------------------------------------------- */

static void index_cpus(struct blame *blame)
{
	size_t cpus_len = blame->view->cpus_len, *at;

	blame->on = mc_alloc_array(blame->len, sizeof(*blame->on));
	blame->first_on = mc_alloc_array(cpus_len + 1, sizeof(*blame->first_on));
	at = mc_alloc_array(cpus_len + 1, sizeof(*at));
	for (size_t i = 0; i < blame->len; i++)
		blame->first_on[blame->cells[i].cpu + 1]++;
	for (size_t cpu = 0; cpu < cpus_len; cpu++) {
		blame->first_on[cpu + 1] += blame->first_on[cpu];
		at[cpu] = blame->first_on[cpu];
	}
	for (size_t i = 0; i < blame->len; i++)
		blame->on[at[blame->cells[i].cpu]++] = &blame->cells[i];
	free(at);
}

static void find_host(struct blame *blame)
{
	const struct blame_view *view = blame->view;

	for (size_t cpu = 0; cpu < view->cpus_len; cpu++)
		blame->host[cpu] = view->cpus[cpu].busy;
	for (size_t i = 0; i < blame->len; i++)
		blame->host[blame->cells[i].cpu] -= blame->cells[i].run;
	for (size_t cpu = 0; cpu < view->cpus_len; cpu++) {
		if (blame->host[cpu] < 0)
			blame->host[cpu] = 0;
		blame->hosts += blame->host[cpu];
	}
	for (size_t i = 0; i < view->groups_len; i++)
		blame->groups += view->groups[i].run;
}

struct blame *blame_new(const struct blame_view *view)
{
	struct blame *blame = mc_alloc_zero(sizeof(*blame));

	blame->view = view;
	guess(blame);
	fit(blame);
	index_cpus(blame);
	find_host(blame);
	blame->guests = mc_alloc_array(view->guests_len, sizeof(*blame->guests));
	return blame;
}

void blame_free(struct blame *blame)
{
	if (blame == NULL)
		return;
	free(blame->cells);
	free(blame->first);
	free(blame->on);
	free(blame->first_on);
	free(blame->guests);
	free(blame);
}

/* --- Whose a wait is ------------------------------------------------------ */

struct wait { /* Of a thread. */
	size_t thread;
	double host; /* Share of the host. */
};

/* How long others ran on a CPU. */
static double others_on(const struct blame *blame, size_t thread, size_t cpu)
{
	double others = blame->view->cpus[cpu].busy;

	for (size_t i = blame->first[thread]; i < blame->first[thread + 1]; i++)
		if (blame->cells[i].cpu == cpu)
			others -= blame->cells[i].run;
	return others > 0 ? others : 0;
}

/* How much of its wait it may have waited there for others, if it waited nowhere else. */
static double contended_on(const struct blame *blame, const struct blame_thread *thread, size_t cpu)
{
	double sleep = 1 - thread->run - thread->wait, excess, contended;

	excess = 1 - blame->view->cpus[cpu].busy - (sleep > 0 ? sleep : 0) - TOLERANCE;
	contended = thread->wait - LIMIT_WEIGHT * (excess > 0 ? excess : 0);
	return contended > 0 ? contended : 0;
}

/* Adds the time of all others on that CPU, each times 'factor'. */
static void add_on(struct blame *blame, struct wait *wait, size_t cpu, double factor)
{
	const struct blame_view *view = blame->view;

	for (size_t i = blame->first_on[cpu]; i < blame->first_on[cpu + 1]; i++)
		if (blame->on[i]->thread != wait->thread)
			blame->guests[view->threads[blame->on[i]->thread].guest] +=
				factor * blame->on[i]->run;
	wait->host += factor * blame->host[cpu];
}

static bool is_sibling(const struct blame_view *view, size_t cpu, size_t other)
{
	return cpu != other && view->cpus[other].core == view->cpus[cpu].core &&
	       view->cpus[other].busy >= 0;
}

/* Shares 'part' of the wait among those who ran on the CPU, and beside it. */
static void share(struct blame *blame, struct wait *wait, size_t cpu, double part)
{
	const struct blame_view *view = blame->view;
	double sum = others_on(blame, wait->thread, cpu);

	if (part > sum) /* They cannot have kept it waiting for longer than they ran. */
		part = sum;
	for (size_t other = 0; other < view->cpus_len; other++)
		if (is_sibling(view, cpu, other))
			sum += SIBLING * others_on(blame, wait->thread, other);
	if (sum <= 0)
		return;
	add_on(blame, wait, cpu, part / sum);
	for (size_t other = 0; other < view->cpus_len; other++)
		if (is_sibling(view, cpu, other))
			add_on(blame, wait, other, SIBLING * part / sum);
}

/* It waited where it ran, and others did. */
static void share_all(struct blame *blame, struct wait *wait, struct blame_answer *answer)
{
	const struct blame_thread *thread = &blame->view->threads[wait->thread];
	size_t first = blame->first[wait->thread], end = blame->first[wait->thread + 1];
	double sum = 0;

	for (size_t i = first; i < end; i++)
		sum += (blame->cells[i].run + RUN_MIN) *
		       others_on(blame, wait->thread, blame->cells[i].cpu);
	for (size_t i = first; sum > 0 && i < end; i++) {
		size_t cpu = blame->cells[i].cpu;
		double here =
			(blame->cells[i].run + RUN_MIN) * others_on(blame, wait->thread, cpu) / sum;

		share(blame, wait, cpu, here * contended_on(blame, thread, cpu));
		if (here > NEARLY_ALL)
			answer->cpu = (int)cpu;
	}
}

static void take_top(const struct blame_view *view, const struct top *top,
		     struct blame_answer *answer)
{
	for (size_t i = 0; i < top->len; i++) {
		size_t user = top->items[i].user;
		bool is_group = user < view->groups_len;

		answer->shares[i] = (struct blame_share){
			.is_group = is_group,
			.who = (unsigned)(is_group ? user : user - view->groups_len),
			.part = top->items[i].part,
		};
	}
	answer->shares_len = top->len;
}

void blame_wait(struct blame *blame, size_t thread, struct blame_answer *answer)
{
	const struct blame_view *view = blame->view;
	double all = blame->groups > blame->hosts ? blame->groups : blame->hosts;
	struct wait wait = { .thread = thread };
	struct top top = { 0 }; /* Groups first, then guests. */

	*answer = (struct blame_answer){ .cpu = -1 };
	for (size_t i = 0; i < view->guests_len; i++)
		blame->guests[i] = 0;
	share_all(blame, &wait, answer);
	for (size_t i = 0; i < view->groups_len; i++) {
		const struct blame_group *group = &view->groups[i];
		double part = all > 0 ? wait.host * group->run / all : 0;

		if (group->guest >= 0)
			blame->guests[group->guest] += part;
		else
			top_add(&top, BLAME_SHARES_MAX, i, part);
	}
	for (size_t i = 0; i < view->guests_len; i++)
		if (i == view->threads[thread].guest)
			answer->own = blame->guests[i];
		else
			top_add(&top, BLAME_SHARES_MAX, view->groups_len + i, blame->guests[i]);
	take_top(view, &top, answer);
}
