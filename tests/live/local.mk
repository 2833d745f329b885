# Tests that trace: pytest files, run by check-live (scripts/local.mk).
EXTRA_DIST += \
	tests/conftest.py \
	tests/found.py \
	tests/pytest.ini \
	tests/live/conftest.py \
	tests/live/tracing.py \
	tests/live/test_calls.py \
	tests/live/test_check.py \
	tests/live/test_counts.py \
	tests/live/test_events.py \
	tests/live/test_identity.py \
	tests/live/test_endings.py \
	tests/live/test_faults.py \
	tests/live/test_oracle.py \
	tests/live/test_plan.py tests/live/test_told.py \
	tests/live/test_promises.py \
	tests/live/test_quota.py \
	tests/live/test_real_programs.py \
	tests/live/test_asleep.py tests/live/test_beside.py \
	tests/live/test_kernel.py \
	tests/live/test_sched.py \
	tests/live/test_planted.py tests/live/planted/make_site.py \
	tests/live/test_short_lived.py \
	tests/live/test_spelling.py \
	tests/live/test_account.py \
	tests/live/test_target_unharmed.py \
	tests/live/oracle/build.py \
	tests/live/oracle/busy.py \
	tests/live/oracle/calls_program.py \
	tests/live/oracle/check.py \
	tests/live/oracle/fake.py \
	tests/live/oracle/hook/sitecustomize.py \
	tests/live/oracle/mark.py \
	tests/live/oracle/mirror.py \
	tests/live/oracle/otherwise.py \
	tests/live/oracle/profiler.c \
	tests/live/oracle/program.py \
	tests/live/oracle/shapes.py \
	tests/live/oracle/special.py \
	tests/live/oracle/tiny.py
EXTRA_DIST += \
	tests/live/test_layouts.py tests/live/layout_probe.py \
	tests/live/test_synth.py tests/live/test_synth_places.py \
	tests/live/test_linetables.py tests/live/dump_linetables.py
EXTRA_DIST += \
	tests/live/hangfs.py tests/live/targets.py \
	tests/live/test_target_find.py tests/live/test_target_hang.py tests/live/test_target_ps.py
EXTRA_DIST += tests/live/test_doctor.py tests/live/test_least_rights.py
EXTRA_DIST += tests/live/test_targets.py
EXTRA_DIST += tests/live/test_perf_probe.py
# For test_least_rights.py: what the kernel half reads of a process.
if LIVE
check_PROGRAMS += tests/live/show_through
tests_live_show_through_SOURCES = tests/live/show_through.c
tests_live_show_through_LDADD = libptlive.a libptcore.a $(PT_CORE_LIBS) \
	$(LIBBPF_LIBS)
else
EXTRA_DIST += tests/live/show_through.c
endif
