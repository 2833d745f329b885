# PT_NEED(PREFIX, MODULE, DEBIAN-PACKAGE): a library that nothing works without
AC_DEFUN([PT_NEED], [
  PKG_CHECK_MODULES([$1], [$2], [],
    [AC_MSG_ERROR([$2 is missing: install $3])])])
