# make bench: what tracing costs.  Root; not part of make check.
BENCH_FILES = tests/bench/run tests/bench/workload.py tests/bench/service.py \
	tests/bench/floor.bpf.c
BENCH_SOURCES = \
	tests/bench/attach.c \
	tests/bench/bench.h \
	tests/bench/calls.c \
	tests/bench/child.c tests/bench/child.h \
	tests/bench/cost.c \
	tests/bench/faults.c \
	tests/bench/floor.c tests/bench/floor.h \
	tests/bench/flow.c \
	tests/bench/idle.c \
	tests/bench/interp.c tests/bench/interp.h \
	tests/bench/load.c \
	tests/bench/modes.c tests/bench/modes.h \
	tests/bench/ptbench.c \
	tests/bench/stat.c tests/bench/stat.h \
	tests/bench/subject.c tests/bench/subject.h \
	tests/bench/tools.c \
	tests/bench/work.c tests/bench/work.h
EXTRA_DIST += $(BENCH_FILES)

.PHONY: bench
if LIVE
EXTRA_PROGRAMS = tests/bench/ptbench
tests_bench_ptbench_SOURCES = $(BENCH_SOURCES)
tests_bench_ptbench_CPPFLAGS = $(AM_CPPFLAGS) $(LIBBPF_CFLAGS) \
	-isystem $(builddir)/tests/bench/gen
tests_bench_ptbench_LDADD = libptlive.a libptcore.a $(PT_CORE_LIBS) \
	$(LIBBPF_LIBS) -lpthread
$(tests_bench_ptbench_OBJECTS): $(BENCH_SKEL) $(BPF_SKEL)

BENCH_SKEL = tests/bench/gen/floor.skel.h
tests/bench/gen/floor.bpf.o: tests/bench/floor.bpf.c $(PT_BPF_H)
	$(V_BPF)$(MKDIR_P) tests/bench/gen && \
	$(CLANG) $(BPF_CFLAGS) -c $(srcdir)/tests/bench/floor.bpf.c -o $@
$(BENCH_SKEL): tests/bench/gen/floor.bpf.o
	$(V_BPF)$(BPFTOOL) gen skeleton tests/bench/gen/floor.bpf.o \
		name floor_bpf > $@.tmp && mv $@.tmp $@
CLEANFILES += tests/bench/ptbench tests/bench/gen/floor.bpf.o $(BENCH_SKEL)

bench: tests/bench/ptbench pytrace
	@PYTRACE='$(abs_top_builddir)/pytrace' $(srcdir)/tests/bench/run '$(abs_top_builddir)/tests/bench/ptbench' \
		$(BENCH_SECTIONS)
else
EXTRA_DIST += $(BENCH_SOURCES)
bench:
	@echo 'bench: needs live tracing, which this build is without'; exit 1
endif
