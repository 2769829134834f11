/* SPDX-License-Identifier: MIT */
/* What the files of the made-up libvirt share. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include <libvirt/libvirt.h>

/* Whether the double plays that role. */
bool plays(const char *role);

/* A domain, to be freed by virDomainFree(). */
virDomainPtr make_domain(unsigned number);
unsigned number_of(virDomainPtr domain);

virConnectPtr the_connection(void);

/* --- Events --------------------------------------------------------------- */

#define EVENTS_MAX 26

struct callback {
	_Atomic(virConnectDomainEventGenericCallback) call;
	void *argument;
};

extern struct callback callbacks[EVENTS_MAX]; /* By event. */

/* Tells of an event, if somebody wants to hear of it. */
#define TELL(event, type, guest, ...)                                                              \
	do {                                                                                       \
		struct callback *to = &callbacks[VIR_DOMAIN_EVENT_ID_##event];                     \
		type function = (type)(void (*)(void))atomic_load(&to->call);                      \
		if (function != NULL)                                                              \
			function(the_connection(), guest, __VA_ARGS__, to->argument);              \
	} while (0)

/* --- virt_double_faults.c: what goes wrong, and when ---------------------- */

/* The bulk call of that number, from 0: whether it fails; and it has ended. */
bool fault_of_bulk(unsigned call);
void fault_after_bulk(unsigned call);

/* Whether a bulk reply leaves the guest out; changes what its record says. */
bool fault_hides(unsigned number);
void fault_in_record(virDomainStatsRecordPtr record, unsigned call);

/* While another client holds the guest's lock, as one that destroys a QEMU that does not die: any
 * call about the guest waits. */
void fault_of_lock(unsigned number);

/* Guests are asked for by name. */
void fault_of_list(void);

/* Whether the guest is not found. */
bool fault_of_lookup(unsigned number);

/* While the caller waits for the answer. */
void fault_of_name(char name[64], unsigned number);
void fault_of_uuid_text(virDomainPtr domain);
void fault_of_description(void);
void fault_of_disk_errors(unsigned number);

/* The first event was registered. */
void fault_of_events(void);

/* A connection was opened; whether those there are still live. */
void fault_ended(void);
bool fault_lets_live(void);
