dnl SPDX-License-Identifier: MIT
dnl MC_PLUGIN(NAME, ROLE, [PKG-CONFIG MODULES], [DEBIAN PACKAGE], [ALIASES],
dnl           [STATEMENTS])
dnl Adds --enable-NAME and --disable-NAME, and the automake conditional
dnl PLUGIN_NAME.  Without either switch the plugin is built if its libraries are
dnl found; with --enable-NAME a missing library is an error.  The outcome goes
dnl into the table that MC_SUMMARY prints.  ALIASES are other names under which a
dnl configuration may ask for it, whether it is built or not.  STATEMENTS are
dnl options of it that stand at the top of a configuration, as if they were in its
dnl <Plugin> block; they load it.  Those of the role serve are in MC_SERVERS.
AC_DEFUN([MC_PLUGIN], [
m4_pushdef([mc_up], m4_toupper([$1]))
AC_ARG_ENABLE([$1],
  [AS_HELP_STRING([--disable-$1], [do not build the plugin $2/$1])],
  [mc_want=$enableval], [mc_want=auto])
AS_IF([test "$mc_want" = no], [mc_built=no; mc_why="switched off"],
  [m4_ifval([$3],
    [PKG_CHECK_MODULES(mc_up, [$3], [mc_built=yes; mc_why=""],
      [mc_built=no; mc_why="no $3 (package $4)"
       AS_IF([test "$mc_want" = yes],
         [AC_MSG_ERROR([--enable-$1: no $3; install $4])])])],
    [mc_built=yes; mc_why=""])])
AM_CONDITIONAL([PLUGIN_]mc_up, [test "$mc_built" = yes])
AS_VAR_APPEND([mc_table], ["`printf '  %-10s %-12s %-4s %s' '$2' '$1' "$mc_built" "$mc_why"`
"])
AS_IF([test "$mc_built" = yes], [AS_VAR_APPEND([mc_plugins], [" $1"])])
m4_if([$2], [serve], [AS_VAR_APPEND([MC_SERVERS], ["$1 "])])
m4_foreach_w([mc_alias], [$5],
  [AS_VAR_APPEND([MC_ALIASES], ["mc_alias=$1 "])
])
m4_foreach_w([mc_statement], [$6],
  [AS_VAR_APPEND([MC_STATEMENTS], ["STATEMENT(mc_statement,$1) "])
])
m4_popdef([mc_up])
])

dnl MC_SUMMARY: what is built, and why the rest is not.
AC_DEFUN([MC_SUMMARY], [
AS_ECHO(["
$PACKAGE_NAME $PACKAGE_VERSION

  compiler   $CC $CFLAGS
  sanitizer  ${mc_sanitizer:-none}
  prefix     $prefix

  role       plugin       built
$mc_table"])
])
