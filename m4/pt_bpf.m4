# PT_BPF: what the kernel half needs: libbpf, a clang that emits BPF, bpftool
AC_DEFUN([PT_BPF], [
  AC_REQUIRE([AC_CANONICAL_HOST])
  AC_ARG_ENABLE([live],
    [AS_HELP_STRING([--disable-live], [read recordings and files only, without eBPF])],
    [], [enable_live=auto])
  AC_ARG_VAR([CLANG], [clang that can emit BPF object files])
  AC_ARG_VAR([BPFTOOL], [bpftool that makes the skeleton header])
  pt_have_bpf=no
  pt_have_bpf_why="no (--disable-live)"
  AS_IF([test "x$enable_live" != xno], [
    PKG_CHECK_MODULES([LIBBPF], [libbpf >= 1.0], [pt_lib=yes], [pt_lib=no])
    AC_PATH_PROG([CLANG], [clang], [no])
    AC_PATH_PROG([BPFTOOL], [bpftool], [no], [$PATH:/usr/sbin:/sbin])
    pt_have_bpf=yes
    AS_IF([test "$pt_lib" = no], [pt_missing="$pt_missing libbpf-dev"])
    AS_IF([test "$CLANG" = no], [pt_missing="$pt_missing clang"])
    AS_IF([test "$BPFTOOL" = no], [pt_missing="$pt_missing bpftool"])
    pt_have_bpf_why=yes
    AS_IF([test -n "$pt_missing"],
      [pt_have_bpf=no; pt_have_bpf_why="no, missing:$pt_missing"])
    AS_IF([test "x$enable_live" = xyes && test "$pt_have_bpf" = no],
      [AC_MSG_ERROR([live tracing needs these packages:$pt_missing])])])
  AS_CASE([$host_cpu], [x86_64|i?86], [BPF_ARCH=x86], [aarch64], [BPF_ARCH=arm64],
    [BPF_ARCH=$host_cpu])
  AC_SUBST([BPF_ARCH])
  # headers such as asm/types.h live in a multiarch folder that -target bpf forgets
  BPF_SYSINC=
  AS_IF([test "$pt_have_bpf" = yes],
    [BPF_SYSINC=`$CLANG -v -E - </dev/null 2>&1 | sed -n '/search starts here/,/End of search/s|^ \(/.*\)|-idirafter \1|p' | tr '\n' ' '`])
  AC_SUBST([BPF_SYSINC])
  # what clang's -Wpedantic minds in libbpf's LIBBPF_OPTS
  LIVE_CFLAGS=
  PT_CC_FLAG([-Wno-gnu-statement-expression], [LIVE_CFLAGS])
  PT_CC_FLAG([-Wno-gnu-zero-variadic-macro-arguments], [LIVE_CFLAGS])
  AC_SUBST([LIVE_CFLAGS])
  AM_CONDITIONAL([LIVE], [test "$pt_have_bpf" = yes])
  AS_IF([test "$pt_have_bpf" = yes], [AC_DEFINE([HAVE_LIVE], [1], [eBPF tracing is built in])])])
