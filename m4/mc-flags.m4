dnl SPDX-License-Identifier: MIT
dnl MC_TRY_FLAGS(VARIABLE, FLAGS...): keeps each flag that the compiler takes.
AC_DEFUN([MC_TRY_FLAGS], [
for mc_flag in m4_normalize([$2]); do
  mc_saved=$CFLAGS
  CFLAGS="$CFLAGS -Werror $mc_flag"
  AC_MSG_CHECKING([whether $CC takes $mc_flag])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
    [AC_MSG_RESULT([yes]); AS_VAR_APPEND([$1], [" $mc_flag"])],
    [AC_MSG_RESULT([no])])
  CFLAGS=$mc_saved
done
])

dnl MC_TRY_RELR: relative relocations, of which tables of options have many, take
dnl two bits each instead of 24 bytes, where the C library reads them (glibc 2.36).
AC_DEFUN([MC_TRY_RELR], [
mc_saved=$LDFLAGS
LDFLAGS="$LDFLAGS -pie -Wl,-z,pack-relative-relocs"
AC_MSG_CHECKING([whether programs with packed relocations run])
AC_RUN_IFELSE([AC_LANG_PROGRAM([static const char *const word = "a";
  const char *const *volatile at = &word;], [return **at == 'a' ? 0 : 1;])],
  [AC_MSG_RESULT([yes]); AS_VAR_APPEND([MC_LDFLAGS],
    [" -Wl,-z,pack-relative-relocs"])],
  [AC_MSG_RESULT([no])], [AC_MSG_RESULT([cannot tell])])
LDFLAGS=$mc_saved
])

AC_DEFUN([MC_WARNINGS], [
MC_TRY_FLAGS([MC_CFLAGS], [-Wall -Wextra -Wshadow -Wmissing-prototypes
  -Wstrict-prototypes -Wvla -Wpointer-arith -Wwrite-strings -Wundef
  -Wno-gnu-variable-sized-type-not-at-end -fvisibility=hidden])
AC_ARG_ENABLE([werror],
  [AS_HELP_STRING([--enable-werror], [warnings are errors])],
  [AS_IF([test "$enableval" = yes], [AS_VAR_APPEND([MC_CFLAGS], [" -Werror"])])])
AC_SUBST([MC_CFLAGS])
])

dnl Hardening and small plugins are on unless a sanitizer is: they get in each
dnl other's way.
AC_DEFUN([MC_HARDENING], [
AC_ARG_WITH([sanitizer],
  [AS_HELP_STRING([--with-sanitizer=LIST],
    [address,undefined or thread: build with these sanitizers])],
  [mc_sanitizer=$withval], [mc_sanitizer=])
AS_CASE([$mc_sanitizer], [no], [mc_sanitizer=],
  [yes], [mc_sanitizer=address,undefined])
AS_IF([test -z "$mc_sanitizer"], [
  MC_TRY_FLAGS([MC_CFLAGS], [-fstack-protector-strong -fstack-clash-protection
    -fcf-protection -D_FORTIFY_SOURCE=2])
  MC_TRY_FLAGS([MC_LDFLAGS], [-Wl,-z,relro -Wl,-z,now])
  dnl libtool links a plugin with the whole archive of the kit: what the plugin
  dnl does not call is left out again.
  MC_TRY_FLAGS([MC_CFLAGS], [-ffunction-sections -fdata-sections])
  MC_TRY_FLAGS([MC_LDFLAGS], [-Wl,--gc-sections])
  dnl Nothing here unwinds a stack.  Debuggers do, by debug information: that is in packages
  dnl of its own, these tables would be in each program.
  MC_TRY_FLAGS([MC_CFLAGS], [-fno-asynchronous-unwind-tables -fno-unwind-tables])
  MC_TRY_FLAGS([MC_LDFLAGS], [-Wl,--no-ld-generated-unwind-info])
  dnl A plugin of 5 KiB takes 10 instead of 14: code and constants share pages.
  MC_TRY_FLAGS([MC_LDFLAGS], [-Wl,-z,noseparate-code])
  MC_TRY_RELR
])
AC_SUBST([MC_LDFLAGS])
])

dnl MC_SMALL: code that runs once an interval, once a connection, at a start or for people is made
dnl small where all else is made fast; COLD_CFLAGS come after CFLAGS.
AC_DEFUN([MC_SMALL], [
COLD_CFLAGS=
AS_CASE([" $CFLAGS "], [*" -O2 "*|*" -O3 "*], [MC_TRY_FLAGS([COLD_CFLAGS], [-Os])])
AC_SUBST([COLD_CFLAGS])
])

AC_DEFUN([MC_SANITIZER], [
AS_IF([test -n "$mc_sanitizer"], [
  mc_before="$MC_CFLAGS"
  MC_TRY_FLAGS([MC_CFLAGS], [-fsanitize=$mc_sanitizer])
  AS_IF([test "$mc_before" = "$MC_CFLAGS"],
    [AC_MSG_ERROR([the compiler has no -fsanitize=$mc_sanitizer])])
  AS_VAR_APPEND([MC_CFLAGS], [" -fno-omit-frame-pointer"])
  AS_CASE([$mc_sanitizer], [*undefined*],
    [AS_VAR_APPEND([MC_CFLAGS], [" -fno-sanitize-recover=undefined"])])
])
AM_CONDITIONAL([SANITIZED], [test -n "$mc_sanitizer"])
])
