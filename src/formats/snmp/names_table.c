/* SPDX-License-Identifier: MIT */
/* Names and numbers of the standards' MIBs: RFC 2863 (IF), 4293 (IP), 4022 (TCP), 4113 (UDP), 2790
 * (HOST-RESOURCES), 4133 (ENTITY), 3433 (ENTITY-SENSOR), 1628 (UPS), 3805 (Printer), 4188 (BRIDGE),
 * 3621 (POWER-ETHERNET), 3635 (EtherLike), 3418 (SNMPv2), 3411 (SNMP-FRAMEWORK); and net-snmp's
 * UCD-SNMP, UCD-DISKIO, LM-SENSORS. */
#include "formats/snmp/names_table.h"

#include <stddef.h>

/* clang-format off */
const struct names_group names_table[] = {
	{ "SNMPv2-SMI", "1.3.6.1",
	  "1 directory 2 mgmt 3 experimental 4 private 5 security 6 snmpV2" },
	{ "SNMPv2-SMI", "1.3.6",
	  "1 internet" },
	{ "SNMPv2-SMI", "1.3.6.1.2",
	  "1 mib-2" },
	{ "SNMPv2-SMI", "1.3.6.1.4",
	  "1 enterprises" },
	{ "SNMPv2-MIB", "1.3.6.1.2.1.1",
	  "1 sysDescr 2 sysObjectID 3 sysUpTime 4 sysContact 5 "
	  "sysName 6 sysLocation 7 sysServices 8 sysORLastChange" },
	{ "SNMPv2-MIB", "1.3.6.1.6.3.1.1.4",
	  "1 snmpTrapOID 3 snmpTrapEnterprise" },
	{ "SNMPv2-MIB", "1.3.6.1.6.3.1.1.5",
	  "1 coldStart 2 warmStart 3 linkDown 4 linkUp 5 "
	  "authenticationFailure 6 egpNeighborLoss" },
	{ "UPS-MIB", "1.3.6.1.2.1.33.2",
	  "1 upsTrapOnBattery 2 upsTrapTestCompleted 3 "
	  "upsTrapAlarmEntryAdded 4 upsTrapAlarmEntryRemoved" },
	{ "IF-MIB", "1.3.6.1.2.1.2",
	  "1 ifNumber" },
	{ "IF-MIB", "1.3.6.1.2.1.2.2.1",
	  "1 ifIndex 2 ifDescr 3 ifType 4 ifMtu 5 ifSpeed 6 "
	  "ifPhysAddress 7 ifAdminStatus 8 ifOperStatus 9 "
	  "ifLastChange 10 ifInOctets 11 ifInUcastPkts 12 "
	  "ifInNUcastPkts 13 ifInDiscards 14 ifInErrors 15 "
	  "ifInUnknownProtos 16 ifOutOctets 17 ifOutUcastPkts 18 "
	  "ifOutNUcastPkts 19 ifOutDiscards 20 ifOutErrors 21 "
	  "ifOutQLen 22 ifSpecific" },
	{ "IP-MIB", "1.3.6.1.2.1.4",
	  "1 ipForwarding 2 ipDefaultTTL 3 ipInReceives 4 "
	  "ipInHdrErrors 5 ipInAddrErrors 6 ipForwDatagrams 7 "
	  "ipInUnknownProtos 8 ipInDiscards 9 ipInDelivers 10 "
	  "ipOutRequests 11 ipOutDiscards 12 ipOutNoRoutes 13 "
	  "ipReasmTimeout 14 ipReasmReqds 15 ipReasmOKs 16 "
	  "ipReasmFails 17 ipFragOKs 18 ipFragFails 19 ipFragCreates "
	  "23 ipRoutingDiscards 25 ipv6IpForwarding 26 "
	  "ipv6IpDefaultHopLimit 27 ipv4InterfaceTableLastChange 29 "
	  "ipv6InterfaceTableLastChange 33 ipAddressSpinLock 38 "
	  "ipv6RouterAdvertSpinLock" },
	{ "IP-MIB", "1.3.6.1.2.1.4.20.1",
	  "1 ipAdEntAddr 2 ipAdEntIfIndex 3 ipAdEntNetMask 4 "
	  "ipAdEntBcastAddr 5 ipAdEntReasmMaxSize" },
	{ "IP-MIB", "1.3.6.1.2.1.4.22.1",
	  "1 ipNetToMediaIfIndex 2 ipNetToMediaPhysAddress 3 "
	  "ipNetToMediaNetAddress 4 ipNetToMediaType" },
	{ "IP-MIB", "1.3.6.1.2.1.4.28.1",
	  "1 ipv4InterfaceIfIndex 2 ipv4InterfaceReasmMaxSize 3 "
	  "ipv4InterfaceEnableStatus 4 ipv4InterfaceRetransmitTime" },
	{ "IP-MIB", "1.3.6.1.2.1.4.30.1",
	  "1 ipv6InterfaceIfIndex 2 ipv6InterfaceReasmMaxSize 3 "
	  "ipv6InterfaceIdentifier 5 ipv6InterfaceEnableStatus 6 "
	  "ipv6InterfaceReachableTime 7 ipv6InterfaceRetransmitTime 8 "
	  "ipv6InterfaceForwarding" },
	{ "IP-MIB", "1.3.6.1.2.1.4.31",
	  "2 ipIfStatsTableLastChange" },
	{ "IP-MIB", "1.3.6.1.2.1.4.31.1.1",
	  "1 ipSystemStatsIPVersion 3 ipSystemStatsInReceives 4 "
	  "ipSystemStatsHCInReceives 5 ipSystemStatsInOctets 6 "
	  "ipSystemStatsHCInOctets 7 ipSystemStatsInHdrErrors 8 "
	  "ipSystemStatsInNoRoutes 9 ipSystemStatsInAddrErrors 10 "
	  "ipSystemStatsInUnknownProtos 11 "
	  "ipSystemStatsInTruncatedPkts 12 "
	  "ipSystemStatsInForwDatagrams 13 "
	  "ipSystemStatsHCInForwDatagrams 14 ipSystemStatsReasmReqds "
	  "15 ipSystemStatsReasmOKs 16 ipSystemStatsReasmFails 17 "
	  "ipSystemStatsInDiscards 18 ipSystemStatsInDelivers 19 "
	  "ipSystemStatsHCInDelivers 20 ipSystemStatsOutRequests 21 "
	  "ipSystemStatsHCOutRequests 22 ipSystemStatsOutNoRoutes 23 "
	  "ipSystemStatsOutForwDatagrams 24 "
	  "ipSystemStatsHCOutForwDatagrams 25 "
	  "ipSystemStatsOutDiscards 26 ipSystemStatsOutFragReqds 27 "
	  "ipSystemStatsOutFragOKs 28 ipSystemStatsOutFragFails 29 "
	  "ipSystemStatsOutFragCreates 30 ipSystemStatsOutTransmits "
	  "31 ipSystemStatsHCOutTransmits 32 ipSystemStatsOutOctets "
	  "33 ipSystemStatsHCOutOctets 34 ipSystemStatsInMcastPkts 35 "
	  "ipSystemStatsHCInMcastPkts 36 ipSystemStatsInMcastOctets "
	  "37 ipSystemStatsHCInMcastOctets 38 "
	  "ipSystemStatsOutMcastPkts 39 ipSystemStatsHCOutMcastPkts "
	  "40 ipSystemStatsOutMcastOctets 41 "
	  "ipSystemStatsHCOutMcastOctets 42 ipSystemStatsInBcastPkts "
	  "43 ipSystemStatsHCInBcastPkts 44 ipSystemStatsOutBcastPkts "
	  "45 ipSystemStatsHCOutBcastPkts 46 "
	  "ipSystemStatsDiscontinuityTime 47 ipSystemStatsRefreshRate" },
	{ "IP-MIB", "1.3.6.1.2.1.4.31.3.1",
	  "1 ipIfStatsIPVersion 2 ipIfStatsIfIndex 3 "
	  "ipIfStatsInReceives 4 ipIfStatsHCInReceives 5 "
	  "ipIfStatsInOctets 6 ipIfStatsHCInOctets 7 "
	  "ipIfStatsInHdrErrors 8 ipIfStatsInNoRoutes 9 "
	  "ipIfStatsInAddrErrors 10 ipIfStatsInUnknownProtos 11 "
	  "ipIfStatsInTruncatedPkts 12 ipIfStatsInForwDatagrams 13 "
	  "ipIfStatsHCInForwDatagrams 14 ipIfStatsReasmReqds 15 "
	  "ipIfStatsReasmOKs 16 ipIfStatsReasmFails 17 "
	  "ipIfStatsInDiscards 18 ipIfStatsInDelivers 19 "
	  "ipIfStatsHCInDelivers 20 ipIfStatsOutRequests 21 "
	  "ipIfStatsHCOutRequests 23 ipIfStatsOutForwDatagrams 24 "
	  "ipIfStatsHCOutForwDatagrams 25 ipIfStatsOutDiscards 26 "
	  "ipIfStatsOutFragReqds 27 ipIfStatsOutFragOKs 28 "
	  "ipIfStatsOutFragFails 29 ipIfStatsOutFragCreates 30 "
	  "ipIfStatsOutTransmits 31 ipIfStatsHCOutTransmits 32 "
	  "ipIfStatsOutOctets 33 ipIfStatsHCOutOctets 34 "
	  "ipIfStatsInMcastPkts 35 ipIfStatsHCInMcastPkts 36 "
	  "ipIfStatsInMcastOctets 37 ipIfStatsHCInMcastOctets 38 "
	  "ipIfStatsOutMcastPkts 39 ipIfStatsHCOutMcastPkts 40 "
	  "ipIfStatsOutMcastOctets 41 ipIfStatsHCOutMcastOctets 42 "
	  "ipIfStatsInBcastPkts 43 ipIfStatsHCInBcastPkts 44 "
	  "ipIfStatsOutBcastPkts 45 ipIfStatsHCOutBcastPkts 46 "
	  "ipIfStatsDiscontinuityTime 47 ipIfStatsRefreshRate" },
	{ "IP-MIB", "1.3.6.1.2.1.4.32.1",
	  "1 ipAddressPrefixIfIndex 2 ipAddressPrefixType 3 "
	  "ipAddressPrefixPrefix 4 ipAddressPrefixLength 5 "
	  "ipAddressPrefixOrigin 6 ipAddressPrefixOnLinkFlag 7 "
	  "ipAddressPrefixAutonomousFlag 8 "
	  "ipAddressPrefixAdvPreferredLifetime 9 "
	  "ipAddressPrefixAdvValidLifetime" },
	{ "IP-MIB", "1.3.6.1.2.1.4.34.1",
	  "1 ipAddressAddrType 2 ipAddressAddr 3 ipAddressIfIndex 4 "
	  "ipAddressType 5 ipAddressPrefix 6 ipAddressOrigin 7 "
	  "ipAddressStatus 8 ipAddressCreated 9 ipAddressLastChanged "
	  "10 ipAddressRowStatus 11 ipAddressStorageType" },
	{ "IP-MIB", "1.3.6.1.2.1.4.35.1",
	  "1 ipNetToPhysicalIfIndex 2 ipNetToPhysicalNetAddressType 3 "
	  "ipNetToPhysicalNetAddress 4 ipNetToPhysicalPhysAddress 5 "
	  "ipNetToPhysicalLastUpdated 6 ipNetToPhysicalType 7 "
	  "ipNetToPhysicalState 8 ipNetToPhysicalRowStatus" },
	{ "IP-MIB", "1.3.6.1.2.1.4.36.1",
	  "1 ipv6ScopeZoneIndexIfIndex 2 ipv6ScopeZoneIndexLinkLocal "
	  "3 ipv6ScopeZoneIndex3 4 ipv6ScopeZoneIndexAdminLocal 5 "
	  "ipv6ScopeZoneIndexSiteLocal 6 ipv6ScopeZoneIndex6 7 "
	  "ipv6ScopeZoneIndex7 8 ipv6ScopeZoneIndexOrganizationLocal "
	  "9 ipv6ScopeZoneIndex9 10 ipv6ScopeZoneIndexA 11 "
	  "ipv6ScopeZoneIndexB 12 ipv6ScopeZoneIndexC 13 "
	  "ipv6ScopeZoneIndexD" },
	{ "IP-MIB", "1.3.6.1.2.1.4.37.1",
	  "1 ipDefaultRouterAddressType 2 ipDefaultRouterAddress 3 "
	  "ipDefaultRouterIfIndex 4 ipDefaultRouterLifetime 5 "
	  "ipDefaultRouterPreference" },
	{ "IP-MIB", "1.3.6.1.2.1.4.39.1",
	  "1 ipv6RouterAdvertIfIndex 2 ipv6RouterAdvertSendAdverts 3 "
	  "ipv6RouterAdvertMaxInterval 4 ipv6RouterAdvertMinInterval "
	  "5 ipv6RouterAdvertManagedFlag 6 "
	  "ipv6RouterAdvertOtherConfigFlag 7 ipv6RouterAdvertLinkMTU "
	  "8 ipv6RouterAdvertReachableTime 9 "
	  "ipv6RouterAdvertRetransmitTime 10 "
	  "ipv6RouterAdvertCurHopLimit 11 "
	  "ipv6RouterAdvertDefaultLifetime 12 "
	  "ipv6RouterAdvertRowStatus" },
	{ "IP-MIB", "1.3.6.1.2.1.5",
	  "1 icmpInMsgs 2 icmpInErrors 3 icmpInDestUnreachs 4 "
	  "icmpInTimeExcds 5 icmpInParmProbs 6 icmpInSrcQuenchs 7 "
	  "icmpInRedirects 8 icmpInEchos 9 icmpInEchoReps 10 "
	  "icmpInTimestamps 11 icmpInTimestampReps 12 icmpInAddrMasks "
	  "13 icmpInAddrMaskReps 14 icmpOutMsgs 15 icmpOutErrors 16 "
	  "icmpOutDestUnreachs 17 icmpOutTimeExcds 18 "
	  "icmpOutParmProbs 19 icmpOutSrcQuenchs 20 icmpOutRedirects "
	  "21 icmpOutEchos 22 icmpOutEchoReps 23 icmpOutTimestamps 24 "
	  "icmpOutTimestampReps 25 icmpOutAddrMasks 26 "
	  "icmpOutAddrMaskReps" },
	{ "IP-MIB", "1.3.6.1.2.1.5.29.1",
	  "1 icmpStatsIPVersion 2 icmpStatsInMsgs 3 icmpStatsInErrors "
	  "4 icmpStatsOutMsgs 5 icmpStatsOutErrors" },
	{ "IP-MIB", "1.3.6.1.2.1.5.30.1",
	  "1 icmpMsgStatsIPVersion 2 icmpMsgStatsType 3 "
	  "icmpMsgStatsInPkts 4 icmpMsgStatsOutPkts" },
	{ "TCP-MIB", "1.3.6.1.2.1.6",
	  "1 tcpRtoAlgorithm 2 tcpRtoMin 3 tcpRtoMax 4 tcpMaxConn 5 "
	  "tcpActiveOpens 6 tcpPassiveOpens 7 tcpAttemptFails 8 "
	  "tcpEstabResets 9 tcpCurrEstab 10 tcpInSegs 11 tcpOutSegs "
	  "12 tcpRetransSegs 14 tcpInErrs 15 tcpOutRsts 17 "
	  "tcpHCInSegs 18 tcpHCOutSegs" },
	{ "TCP-MIB", "1.3.6.1.2.1.6.13.1",
	  "1 tcpConnState 2 tcpConnLocalAddress 3 tcpConnLocalPort 4 "
	  "tcpConnRemAddress 5 tcpConnRemPort" },
	{ "TCP-MIB", "1.3.6.1.2.1.6.19.1",
	  "1 tcpConnectionLocalAddressType 2 "
	  "tcpConnectionLocalAddress 3 tcpConnectionLocalPort 4 "
	  "tcpConnectionRemAddressType 5 tcpConnectionRemAddress 6 "
	  "tcpConnectionRemPort 7 tcpConnectionState 8 "
	  "tcpConnectionProcess" },
	{ "TCP-MIB", "1.3.6.1.2.1.6.20.1",
	  "1 tcpListenerLocalAddressType 2 tcpListenerLocalAddress 3 "
	  "tcpListenerLocalPort 4 tcpListenerProcess" },
	{ "UDP-MIB", "1.3.6.1.2.1.7",
	  "1 udpInDatagrams 2 udpNoPorts 3 udpInErrors 4 "
	  "udpOutDatagrams 8 udpHCInDatagrams 9 udpHCOutDatagrams" },
	{ "UDP-MIB", "1.3.6.1.2.1.7.5.1",
	  "1 udpLocalAddress 2 udpLocalPort" },
	{ "UDP-MIB", "1.3.6.1.2.1.7.7.1",
	  "1 udpEndpointLocalAddressType 2 udpEndpointLocalAddress 3 "
	  "udpEndpointLocalPort 4 udpEndpointRemoteAddressType 5 "
	  "udpEndpointRemoteAddress 6 udpEndpointRemotePort 7 "
	  "udpEndpointInstance 8 udpEndpointProcess" },
	{ "EtherLike-MIB", "1.3.6.1.2.1.10.7.2.1",
	  "1 dot3StatsIndex 2 dot3StatsAlignmentErrors 3 "
	  "dot3StatsFCSErrors 4 dot3StatsSingleCollisionFrames 5 "
	  "dot3StatsMultipleCollisionFrames 6 dot3StatsSQETestErrors "
	  "7 dot3StatsDeferredTransmissions 8 dot3StatsLateCollisions "
	  "9 dot3StatsExcessiveCollisions 10 "
	  "dot3StatsInternalMacTransmitErrors 11 "
	  "dot3StatsCarrierSenseErrors 13 dot3StatsFrameTooLongs 16 "
	  "dot3StatsInternalMacReceiveErrors 17 dot3StatsEtherChipSet "
	  "18 dot3StatsSymbolErrors 19 dot3StatsDuplexStatus 20 "
	  "dot3StatsRateControlAbility 21 dot3StatsRateControlStatus" },
	{ "EtherLike-MIB", "1.3.6.1.2.1.10.7.5.1",
	  "2 dot3CollCount 3 dot3CollFrequencies" },
	{ "EtherLike-MIB", "1.3.6.1.2.1.10.7.9.1",
	  "1 dot3ControlFunctionsSupported 2 "
	  "dot3ControlInUnknownOpcodes 3 "
	  "dot3HCControlInUnknownOpcodes" },
	{ "EtherLike-MIB", "1.3.6.1.2.1.10.7.10.1",
	  "1 dot3PauseAdminMode 2 dot3PauseOperMode 3 "
	  "dot3InPauseFrames 4 dot3OutPauseFrames 5 "
	  "dot3HCInPauseFrames 6 dot3HCOutPauseFrames" },
	{ "EtherLike-MIB", "1.3.6.1.2.1.10.7.11.1",
	  "1 dot3HCStatsAlignmentErrors 2 dot3HCStatsFCSErrors 3 "
	  "dot3HCStatsInternalMacTransmitErrors 4 "
	  "dot3HCStatsFrameTooLongs 5 "
	  "dot3HCStatsInternalMacReceiveErrors 6 "
	  "dot3HCStatsSymbolErrors" },
	{ "SNMPv2-MIB", "1.3.6.1.2.1.11",
	  "1 snmpInPkts 2 snmpOutPkts 3 snmpInBadVersions 4 "
	  "snmpInBadCommunityNames 5 snmpInBadCommunityUses 6 "
	  "snmpInASNParseErrs 30 snmpEnableAuthenTraps 31 "
	  "snmpSilentDrops 32 snmpProxyDrops" },
	{ "BRIDGE-MIB", "1.3.6.1.2.1.17.1",
	  "1 dot1dBaseBridgeAddress 2 dot1dBaseNumPorts 3 "
	  "dot1dBaseType" },
	{ "BRIDGE-MIB", "1.3.6.1.2.1.17.1.4.1",
	  "1 dot1dBasePort 2 dot1dBasePortIfIndex 3 "
	  "dot1dBasePortCircuit 4 dot1dBasePortDelayExceededDiscards "
	  "5 dot1dBasePortMtuExceededDiscards" },
	{ "BRIDGE-MIB", "1.3.6.1.2.1.17.2",
	  "1 dot1dStpProtocolSpecification 2 dot1dStpPriority 3 "
	  "dot1dStpTimeSinceTopologyChange 4 dot1dStpTopChanges 5 "
	  "dot1dStpDesignatedRoot 6 dot1dStpRootCost 7 "
	  "dot1dStpRootPort 8 dot1dStpMaxAge 9 dot1dStpHelloTime 10 "
	  "dot1dStpHoldTime 11 dot1dStpForwardDelay 12 "
	  "dot1dStpBridgeMaxAge 13 dot1dStpBridgeHelloTime 14 "
	  "dot1dStpBridgeForwardDelay" },
	{ "BRIDGE-MIB", "1.3.6.1.2.1.17.2.15.1",
	  "1 dot1dStpPort 2 dot1dStpPortPriority 3 dot1dStpPortState "
	  "4 dot1dStpPortEnable 5 dot1dStpPortPathCost 6 "
	  "dot1dStpPortDesignatedRoot 7 dot1dStpPortDesignatedCost 8 "
	  "dot1dStpPortDesignatedBridge 9 dot1dStpPortDesignatedPort "
	  "10 dot1dStpPortForwardTransitions 11 "
	  "dot1dStpPortPathCost32" },
	{ "BRIDGE-MIB", "1.3.6.1.2.1.17.4",
	  "1 dot1dTpLearnedEntryDiscards 2 dot1dTpAgingTime" },
	{ "BRIDGE-MIB", "1.3.6.1.2.1.17.4.3.1",
	  "1 dot1dTpFdbAddress 2 dot1dTpFdbPort 3 dot1dTpFdbStatus" },
	{ "BRIDGE-MIB", "1.3.6.1.2.1.17.4.4.1",
	  "1 dot1dTpPort 2 dot1dTpPortMaxInfo 3 dot1dTpPortInFrames 4 "
	  "dot1dTpPortOutFrames 5 dot1dTpPortInDiscards" },
	{ "BRIDGE-MIB", "1.3.6.1.2.1.17.5.1.1",
	  "1 dot1dStaticAddress 2 dot1dStaticReceivePort 3 "
	  "dot1dStaticAllowedToGoTo 4 dot1dStaticStatus" },
	{ "HOST-RESOURCES-MIB", "1.3.6.1.2.1.25.1",
	  "1 hrSystemUptime 2 hrSystemDate 3 "
	  "hrSystemInitialLoadDevice 4 hrSystemInitialLoadParameters "
	  "5 hrSystemNumUsers 6 hrSystemProcesses 7 "
	  "hrSystemMaxProcesses" },
	{ "HOST-RESOURCES-MIB", "1.3.6.1.2.1.25.2",
	  "2 hrMemorySize" },
	{ "HOST-RESOURCES-MIB", "1.3.6.1.2.1.25.2.3.1",
	  "1 hrStorageIndex 2 hrStorageType 3 hrStorageDescr 4 "
	  "hrStorageAllocationUnits 5 hrStorageSize 6 hrStorageUsed 7 "
	  "hrStorageAllocationFailures" },
	{ "HOST-RESOURCES-MIB", "1.3.6.1.2.1.25.3.2.1",
	  "1 hrDeviceIndex 2 hrDeviceType 3 hrDeviceDescr 4 "
	  "hrDeviceID 5 hrDeviceStatus 6 hrDeviceErrors" },
	{ "HOST-RESOURCES-MIB", "1.3.6.1.2.1.25.3.3.1",
	  "1 hrProcessorFrwID 2 hrProcessorLoad" },
	{ "HOST-RESOURCES-MIB", "1.3.6.1.2.1.25.3.4.1",
	  "1 hrNetworkIfIndex" },
	{ "HOST-RESOURCES-MIB", "1.3.6.1.2.1.25.3.5.1",
	  "1 hrPrinterStatus 2 hrPrinterDetectedErrorState" },
	{ "HOST-RESOURCES-MIB", "1.3.6.1.2.1.25.3.6.1",
	  "1 hrDiskStorageAccess 2 hrDiskStorageMedia 3 "
	  "hrDiskStorageRemoveble 4 hrDiskStorageCapacity" },
	{ "HOST-RESOURCES-MIB", "1.3.6.1.2.1.25.3.7.1",
	  "1 hrPartitionIndex 2 hrPartitionLabel 3 hrPartitionID 4 "
	  "hrPartitionSize 5 hrPartitionFSIndex" },
	{ "HOST-RESOURCES-MIB", "1.3.6.1.2.1.25.3.8.1",
	  "1 hrFSIndex 2 hrFSMountPoint 3 hrFSRemoteMountPoint 4 "
	  "hrFSType 5 hrFSAccess 6 hrFSBootable 7 hrFSStorageIndex 8 "
	  "hrFSLastFullBackupDate 9 hrFSLastPartialBackupDate" },
	{ "HOST-RESOURCES-MIB", "1.3.6.1.2.1.25.4",
	  "1 hrSWOSIndex" },
	{ "HOST-RESOURCES-MIB", "1.3.6.1.2.1.25.4.2.1",
	  "1 hrSWRunIndex 2 hrSWRunName 3 hrSWRunID 4 hrSWRunPath 5 "
	  "hrSWRunParameters 6 hrSWRunType 7 hrSWRunStatus" },
	{ "HOST-RESOURCES-MIB", "1.3.6.1.2.1.25.5.1.1",
	  "1 hrSWRunPerfCPU 2 hrSWRunPerfMem" },
	{ "HOST-RESOURCES-MIB", "1.3.6.1.2.1.25.6",
	  "1 hrSWInstalledLastChange 2 hrSWInstalledLastUpdateTime" },
	{ "HOST-RESOURCES-MIB", "1.3.6.1.2.1.25.6.3.1",
	  "1 hrSWInstalledIndex 2 hrSWInstalledName 3 hrSWInstalledID "
	  "4 hrSWInstalledType 5 hrSWInstalledDate" },
	{ "IF-MIB", "1.3.6.1.2.1.31.1",
	  "5 ifTableLastChange 6 ifStackLastChange" },
	{ "IF-MIB", "1.3.6.1.2.1.31.1.1.1",
	  "1 ifName 2 ifInMulticastPkts 3 ifInBroadcastPkts 4 "
	  "ifOutMulticastPkts 5 ifOutBroadcastPkts 6 ifHCInOctets 7 "
	  "ifHCInUcastPkts 8 ifHCInMulticastPkts 9 "
	  "ifHCInBroadcastPkts 10 ifHCOutOctets 11 ifHCOutUcastPkts "
	  "12 ifHCOutMulticastPkts 13 ifHCOutBroadcastPkts 14 "
	  "ifLinkUpDownTrapEnable 15 ifHighSpeed 16 ifPromiscuousMode "
	  "17 ifConnectorPresent 18 ifAlias 19 "
	  "ifCounterDiscontinuityTime" },
	{ "IF-MIB", "1.3.6.1.2.1.31.1.2.1",
	  "1 ifStackHigherLayer 2 ifStackLowerLayer 3 ifStackStatus" },
	{ "IF-MIB", "1.3.6.1.2.1.31.1.3.1",
	  "1 ifTestId 2 ifTestStatus 3 ifTestType 4 ifTestResult 5 "
	  "ifTestCode 6 ifTestOwner" },
	{ "IF-MIB", "1.3.6.1.2.1.31.1.4.1",
	  "1 ifRcvAddressAddress 2 ifRcvAddressStatus 3 "
	  "ifRcvAddressType" },
	{ "UPS-MIB", "1.3.6.1.2.1.33.1.1",
	  "1 upsIdentManufacturer 2 upsIdentModel 3 "
	  "upsIdentUPSSoftwareVersion 4 upsIdentAgentSoftwareVersion "
	  "5 upsIdentName 6 upsIdentAttachedDevices" },
	{ "UPS-MIB", "1.3.6.1.2.1.33.1.2",
	  "1 upsBatteryStatus 2 upsSecondsOnBattery 3 "
	  "upsEstimatedMinutesRemaining 4 upsEstimatedChargeRemaining "
	  "5 upsBatteryVoltage 6 upsBatteryCurrent 7 "
	  "upsBatteryTemperature" },
	{ "UPS-MIB", "1.3.6.1.2.1.33.1.3",
	  "1 upsInputLineBads 2 upsInputNumLines" },
	{ "UPS-MIB", "1.3.6.1.2.1.33.1.3.3.1",
	  "1 upsInputLineIndex 2 upsInputFrequency 3 upsInputVoltage "
	  "4 upsInputCurrent 5 upsInputTruePower" },
	{ "UPS-MIB", "1.3.6.1.2.1.33.1.4",
	  "1 upsOutputSource 2 upsOutputFrequency 3 upsOutputNumLines" },
	{ "UPS-MIB", "1.3.6.1.2.1.33.1.4.4.1",
	  "1 upsOutputLineIndex 2 upsOutputVoltage 3 upsOutputCurrent "
	  "4 upsOutputPower 5 upsOutputPercentLoad" },
	{ "UPS-MIB", "1.3.6.1.2.1.33.1.5",
	  "1 upsBypassFrequency 2 upsBypassNumLines" },
	{ "UPS-MIB", "1.3.6.1.2.1.33.1.5.3.1",
	  "1 upsBypassLineIndex 2 upsBypassVoltage 3 upsBypassCurrent "
	  "4 upsBypassPower" },
	{ "UPS-MIB", "1.3.6.1.2.1.33.1.6",
	  "1 upsAlarmsPresent" },
	{ "UPS-MIB", "1.3.6.1.2.1.33.1.6.2.1",
	  "1 upsAlarmId 2 upsAlarmDescr 3 upsAlarmTime" },
	{ "UPS-MIB", "1.3.6.1.2.1.33.1.7",
	  "1 upsTestId 2 upsTestSpinLock 3 upsTestResultsSummary 4 "
	  "upsTestResultsDetail 5 upsTestStartTime 6 "
	  "upsTestElapsedTime" },
	{ "UPS-MIB", "1.3.6.1.2.1.33.1.8",
	  "1 upsShutdownType 2 upsShutdownAfterDelay 3 "
	  "upsStartupAfterDelay 4 upsRebootWithDuration 5 "
	  "upsAutoRestart" },
	{ "UPS-MIB", "1.3.6.1.2.1.33.1.9",
	  "1 upsConfigInputVoltage 2 upsConfigInputFreq 3 "
	  "upsConfigOutputVoltage 4 upsConfigOutputFreq 5 "
	  "upsConfigOutputVA 6 upsConfigOutputPower 7 "
	  "upsConfigLowBattTime 8 upsConfigAudibleStatus 9 "
	  "upsConfigLowVoltageTransferPoint 10 "
	  "upsConfigHighVoltageTransferPoint" },
	{ "Printer-MIB", "1.3.6.1.2.1.43.5.1.1",
	  "1 prtGeneralConfigChanges 2 prtGeneralCurrentLocalization "
	  "3 prtGeneralReset 4 prtGeneralCurrentOperator 5 "
	  "prtGeneralServicePerson 6 prtInputDefaultIndex 7 "
	  "prtOutputDefaultIndex 8 prtMarkerDefaultIndex 9 "
	  "prtMediaPathDefaultIndex 10 prtConsoleLocalization 11 "
	  "prtConsoleNumberOfDisplayLines 12 "
	  "prtConsoleNumberOfDisplayChars 13 prtConsoleDisable 14 "
	  "prtAuxiliarySheetStartupPage 15 "
	  "prtAuxiliarySheetBannerPage 16 prtGeneralPrinterName 17 "
	  "prtGeneralSerialNumber 18 prtAlertCriticalEvents 19 "
	  "prtAlertAllEvents" },
	{ "Printer-MIB", "1.3.6.1.2.1.43.5.2.1",
	  "1 prtStorageRefSeqNumber 2 prtStorageRefIndex" },
	{ "Printer-MIB", "1.3.6.1.2.1.43.5.3.1",
	  "1 prtDeviceRefSeqNumber 2 prtDeviceRefIndex" },
	{ "Printer-MIB", "1.3.6.1.2.1.43.6.1.1",
	  "1 prtCoverIndex 2 prtCoverDescription 3 prtCoverStatus" },
	{ "Printer-MIB", "1.3.6.1.2.1.43.7.1.1",
	  "1 prtLocalizationIndex 2 prtLocalizationLanguage 3 "
	  "prtLocalizationCountry 4 prtLocalizationCharacterSet" },
	{ "Printer-MIB", "1.3.6.1.2.1.43.8.2.1",
	  "1 prtInputIndex 2 prtInputType 3 prtInputDimUnit 4 "
	  "prtInputMediaDimFeedDirDeclared 5 "
	  "prtInputMediaDimXFeedDirDeclared 6 "
	  "prtInputMediaDimFeedDirChosen 7 "
	  "prtInputMediaDimXFeedDirChosen 8 prtInputCapacityUnit 9 "
	  "prtInputMaxCapacity 10 prtInputCurrentLevel 11 "
	  "prtInputStatus 12 prtInputMediaName 13 prtInputName 14 "
	  "prtInputVendorName 15 prtInputModel 16 prtInputVersion 17 "
	  "prtInputSerialNumber 18 prtInputDescription 19 "
	  "prtInputSecurity 20 prtInputMediaWeight 21 "
	  "prtInputMediaType 22 prtInputMediaColor 23 "
	  "prtInputMediaFormParts 24 prtInputMediaLoadTimeout 25 "
	  "prtInputNextIndex" },
	{ "Printer-MIB", "1.3.6.1.2.1.43.9.2.1",
	  "1 prtOutputIndex 2 prtOutputType 3 prtOutputCapacityUnit 4 "
	  "prtOutputMaxCapacity 5 prtOutputRemainingCapacity 6 "
	  "prtOutputStatus 7 prtOutputName 8 prtOutputVendorName 9 "
	  "prtOutputModel 10 prtOutputVersion 11 "
	  "prtOutputSerialNumber 12 prtOutputDescription 13 "
	  "prtOutputSecurity 14 prtOutputDimUnit 15 "
	  "prtOutputMaxDimFeedDir 16 prtOutputMaxDimXFeedDir 17 "
	  "prtOutputMinDimFeedDir 18 prtOutputMinDimXFeedDir 19 "
	  "prtOutputStackingOrder 20 prtOutputPageDeliveryOrientation "
	  "21 prtOutputBursting 22 prtOutputDecollating 23 "
	  "prtOutputPageCollated 24 prtOutputOffsetStacking" },
	{ "Printer-MIB", "1.3.6.1.2.1.43.10.2.1",
	  "1 prtMarkerIndex 2 prtMarkerMarkTech 3 "
	  "prtMarkerCounterUnit 4 prtMarkerLifeCount 5 "
	  "prtMarkerPowerOnCount 6 prtMarkerProcessColorants 7 "
	  "prtMarkerSpotColorants 8 prtMarkerAddressabilityUnit 9 "
	  "prtMarkerAddressabilityFeedDir 10 "
	  "prtMarkerAddressabilityXFeedDir 11 prtMarkerNorthMargin 12 "
	  "prtMarkerSouthMargin 13 prtMarkerWestMargin 14 "
	  "prtMarkerEastMargin 15 prtMarkerStatus" },
	{ "Printer-MIB", "1.3.6.1.2.1.43.11.1.1",
	  "1 prtMarkerSuppliesIndex 2 prtMarkerSuppliesMarkerIndex 3 "
	  "prtMarkerSuppliesColorantIndex 4 prtMarkerSuppliesClass 5 "
	  "prtMarkerSuppliesType 6 prtMarkerSuppliesDescription 7 "
	  "prtMarkerSuppliesSupplyUnit 8 prtMarkerSuppliesMaxCapacity "
	  "9 prtMarkerSuppliesLevel" },
	{ "Printer-MIB", "1.3.6.1.2.1.43.12.1.1",
	  "1 prtMarkerColorantIndex 2 prtMarkerColorantMarkerIndex 3 "
	  "prtMarkerColorantRole 4 prtMarkerColorantValue 5 "
	  "prtMarkerColorantTonality" },
	{ "Printer-MIB", "1.3.6.1.2.1.43.13.4.1",
	  "1 prtMediaPathIndex 2 prtMediaPathMaxSpeedPrintUnit 3 "
	  "prtMediaPathMediaSizeUnit 4 prtMediaPathMaxSpeed 5 "
	  "prtMediaPathMaxMediaFeedDir 6 prtMediaPathMaxMediaXFeedDir "
	  "7 prtMediaPathMinMediaFeedDir 8 "
	  "prtMediaPathMinMediaXFeedDir 9 prtMediaPathType 10 "
	  "prtMediaPathDescription 11 prtMediaPathStatus" },
	{ "Printer-MIB", "1.3.6.1.2.1.43.14.1.1",
	  "1 prtChannelIndex 2 prtChannelType 3 "
	  "prtChannelProtocolVersion 4 "
	  "prtChannelCurrentJobCntlLangIndex 5 "
	  "prtChannelDefaultPageDescLangIndex 6 prtChannelState 7 "
	  "prtChannelIfIndex 8 prtChannelStatus 9 "
	  "prtChannelInformation" },
	{ "Printer-MIB", "1.3.6.1.2.1.43.15.1.1",
	  "1 prtInterpreterIndex 2 prtInterpreterLangFamily 3 "
	  "prtInterpreterLangLevel 4 prtInterpreterLangVersion 5 "
	  "prtInterpreterDescription 6 prtInterpreterVersion 7 "
	  "prtInterpreterDefaultOrientation 8 "
	  "prtInterpreterFeedAddressability 9 "
	  "prtInterpreterXFeedAddressability 10 "
	  "prtInterpreterDefaultCharSetIn 11 "
	  "prtInterpreterDefaultCharSetOut 12 prtInterpreterTwoWay" },
	{ "Printer-MIB", "1.3.6.1.2.1.43.16.5.1",
	  "1 prtConsoleDisplayBufferIndex 2 "
	  "prtConsoleDisplayBufferText" },
	{ "Printer-MIB", "1.3.6.1.2.1.43.17.6.1",
	  "1 prtConsoleLightIndex 2 prtConsoleOnTime 3 "
	  "prtConsoleOffTime 4 prtConsoleColor 5 "
	  "prtConsoleDescription" },
	{ "Printer-MIB", "1.3.6.1.2.1.43.18.1.1",
	  "1 prtAlertIndex 2 prtAlertSeverityLevel 3 "
	  "prtAlertTrainingLevel 4 prtAlertGroup 5 prtAlertGroupIndex "
	  "6 prtAlertLocation 7 prtAlertCode 8 prtAlertDescription 9 "
	  "prtAlertTime" },
	{ "ENTITY-MIB", "1.3.6.1.2.1.47.1.1.1.1",
	  "1 entPhysicalIndex 2 entPhysicalDescr 3 "
	  "entPhysicalVendorType 4 entPhysicalContainedIn 5 "
	  "entPhysicalClass 6 entPhysicalParentRelPos 7 "
	  "entPhysicalName 8 entPhysicalHardwareRev 9 "
	  "entPhysicalFirmwareRev 10 entPhysicalSoftwareRev 11 "
	  "entPhysicalSerialNum 12 entPhysicalMfgName 13 "
	  "entPhysicalModelName 14 entPhysicalAlias 15 "
	  "entPhysicalAssetID 16 entPhysicalIsFRU 17 "
	  "entPhysicalMfgDate 18 entPhysicalUris" },
	{ "ENTITY-MIB", "1.3.6.1.2.1.47.1.2.1.1",
	  "1 entLogicalIndex 2 entLogicalDescr 3 entLogicalType 4 "
	  "entLogicalCommunity 5 entLogicalTAddress 6 "
	  "entLogicalTDomain 7 entLogicalContextEngineID 8 "
	  "entLogicalContextName" },
	{ "ENTITY-MIB", "1.3.6.1.2.1.47.1.3.1.1",
	  "1 entLPPhysicalIndex" },
	{ "ENTITY-MIB", "1.3.6.1.2.1.47.1.3.2.1",
	  "1 entAliasLogicalIndexOrZero 2 entAliasMappingIdentifier" },
	{ "ENTITY-MIB", "1.3.6.1.2.1.47.1.3.3.1",
	  "1 entPhysicalChildIndex" },
	{ "ENTITY-MIB", "1.3.6.1.2.1.47.1.4",
	  "1 entLastChangeTime" },
	{ "ENTITY-SENSOR-MIB", "1.3.6.1.2.1.99.1.1.1",
	  "1 entPhySensorType 2 entPhySensorScale 3 "
	  "entPhySensorPrecision 4 entPhySensorValue 5 "
	  "entPhySensorOperStatus 6 entPhySensorUnitsDisplay 7 "
	  "entPhySensorValueTimeStamp 8 entPhySensorValueUpdateRate" },
	{ "POWER-ETHERNET-MIB", "1.3.6.1.4.1.6486.800.1.2.1.27.999.1.1.1",
	  "1 pethPsePortGroupIndex 2 pethPsePortIndex 3 "
	  "pethPsePortAdminEnable 4 "
	  "pethPsePortPowerPairsControlAbility 5 "
	  "pethPsePortPowerPairs 6 pethPsePortPowerDetectionControl 7 "
	  "pethPsePortDetectionStatus 8 pethPsePortPowerPriority 10 "
	  "pethPsePortPowerMaintenanceStatus 11 "
	  "pethPsePortMPSAbsentCounter 12 "
	  "pethPsePortOverCurrentCounter 13 pethPsePortType 14 "
	  "pethPsePortPowerClassifications" },
	{ "POWER-ETHERNET-MIB", "1.3.6.1.4.1.6486.800.1.2.1.27.999.1.2.1",
	  "1 pethPdPortIndex 2 pethPdPortAdminEnable" },
	{ "POWER-ETHERNET-MIB", "1.3.6.1.4.1.6486.800.1.2.1.27.999.1.3.1.1",
	  "1 pethMainPseGroupIndex 2 pethMainPsePower 3 "
	  "pethMainPseOperStatus 4 pethMainPseConsumptionPower 7 "
	  "pethMainPseUsageThreshold" },
	{ "POWER-ETHERNET-MIB", "1.3.6.1.4.1.6486.800.1.2.1.27.999.1.4.1.1",
	  "1 pethNotificationControlGroupIndex 2 "
	  "pethNotificationControlEnable" },
	{ "SNMP-FRAMEWORK-MIB", "1.3.6.1.6.3.10.2.1",
	  "1 snmpEngineID 2 snmpEngineBoots 3 snmpEngineTime 4 "
	  "snmpEngineMaxMessageSize" },
	{ NULL, NULL, NULL },
};
/* clang-format on */
