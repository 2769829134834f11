dnl SPDX-License-Identifier: MIT
dnl MC_INSTALL_DIR(NAME, DEFAULT, WHERE, YES-OR-NO): --with-NAME=DIR says where
dnl something goes;
dnl "yes" is DEFAULT, "no" leaves it out.  Sets NAME, and the conditional
dnl INSTALL_NAME in capitals.
AC_DEFUN([MC_INSTALL_DIR], [
AC_ARG_WITH([$1],
  [AS_HELP_STRING([--with-$1=DIR], [where $3])],
  [], [with_$1=$4])
AS_IF([test "$with_$1" = yes], [with_$1='$2'])
AC_SUBST([$1], [$with_$1])
AM_CONDITIONAL(m4_toupper([INSTALL_$1]), [test "$with_$1" != no])
])
