# Unit tests: one cmocka program a module, linked without libbpf.
UNIT_TESTS =
if CMOCKA
LDADD = libptcore.a $(PT_CORE_LIBS) $(CMOCKA_LIBS)
include $(srcdir)/tests/unit/local.mk
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
endif

include $(srcdir)/tests/golden/local.mk
include $(srcdir)/tests/fuzz/local.mk
EXTRA_DIST += tests/cli/test_probes.py tests/cli/test_which.py \
	tests/cli/test_messages.py tests/cli/test_summary.py \
	tests/cli/test_views.py tests/cli/test_schema.py \
	tests/cli/test_perf_probe.py tests/cli/test_calls.py

LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
AM_TESTS_ENVIRONMENT = \
	LC_ALL=C; export LC_ALL; \
	CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	PYTRACE='$(abs_top_builddir)/pytrace'; export PYTRACE; \
	SRCDIR='$(abs_top_srcdir)'; export SRCDIR;
include $(srcdir)/tests/live/local.mk
include $(srcdir)/tests/bench/local.mk
