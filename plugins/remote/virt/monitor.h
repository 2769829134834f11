/* SPDX-License-Identifier: MIT */
/* Commands to the monitor of a guest's QEMU, past libvirt, which marks the guest as tainted. */
#pragma once

#include <stddef.h>

#include <libvirt/libvirt.h>

#include "histogram.h"

/* Reads the histograms of the guest's disks, and has QEMU begin those that are missing, unless as
 * many had 'refused' that before.  0; or an error of histogram_parse(), of which -ENOSYS is a QEMU
 * that is too old; -ENOTSUP: another hypervisor; -EPERM: libvirt forbids it; -EAGAIN: not now.  The
 * connection must be one that writes. */
int monitor_histograms(virDomainPtr domain, size_t refused, struct histogram_disks *disks);
