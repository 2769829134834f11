/* SPDX-License-Identifier: MIT */
/* Facts: net-snmp's snmp_logging.h; without a handler it takes stderr, also
 * after snmp_disable_log(). */
#include "formats/snmp/library.h"

#include <net-snmp/net-snmp-config.h>

#include <net-snmp/net-snmp-includes.h>

void mc_snmp_library_silence(void)
{
	if (get_logh_head() == NULL)
		netsnmp_register_loghandler(NETSNMP_LOGHANDLER_NONE, LOG_DEBUG);
}
