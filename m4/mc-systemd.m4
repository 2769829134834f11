dnl SPDX-License-Identifier: MIT
dnl MC_SYSTEMD: --with-systemdsystemunitdir=DIR installs the unit there; it is not
dnl installed unless asked for.  Without DIR, where systemd itself looks.
AC_DEFUN([MC_SYSTEMD], [
AC_ARG_WITH([systemdsystemunitdir],
  [AS_HELP_STRING([--with-systemdsystemunitdir=DIR],
    [install collector.service there (no)])],
  [], [with_systemdsystemunitdir=no])
AS_IF([test "$with_systemdsystemunitdir" = yes],
  [with_systemdsystemunitdir='${prefix}/lib/systemd/system'])
AC_SUBST([systemdsystemunitdir], [$with_systemdsystemunitdir])
AM_CONDITIONAL([INSTALL_UNIT], [test "$with_systemdsystemunitdir" != no])
])
