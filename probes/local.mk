PT_BPF_C = probes/pytrace.bpf.c
PT_BPF_H = \
	probes/pytrace_abi.h \
	probes/pytrace_control.h \
	probes/kernel_types.h \
	probes/state.bpf.h \
	probes/emit.bpf.h \
	probes/proc.bpf.h \
	probes/walk.bpf.h \
	probes/define.bpf.h \
	probes/collector.bpf.h \
	probes/fault.bpf.h \
	probes/syscall.bpf.h \
	probes/sched.bpf.h \
	probes/tracepoint.bpf.h \
	probes/usdt.bpf.h \
	probes/callees.bpf.h \
	probes/calls.bpf.h \
	probes/synth.bpf.h \
	probes/process.bpf.h
PT_READER_C = probes/reader.bpf.c
EXTRA_DIST += $(PT_BPF_C) $(PT_BPF_H) $(PT_READER_C) probes/reader_abi.h

if LIVE
BPF_CFLAGS = -g -O2 -Wall -Werror -target bpf -mcpu=v3 \
	-D__TARGET_ARCH_$(BPF_ARCH) -I$(srcdir)/probes $(BPF_SYSINC)
BPF_SKEL = probes/gen/pytrace.skel.h

V_BPF   = $(V_BPF_@AM_V@)
V_BPF_  = $(V_BPF_@AM_DEFAULT_V@)
V_BPF_0 = @echo "  BPF     " $@;

probes/gen/pytrace.bpf.o: $(PT_BPF_C) $(PT_BPF_H)
	$(V_BPF)$(MKDIR_P) probes/gen && \
	$(CLANG) $(BPF_CFLAGS) -c $(srcdir)/probes/pytrace.bpf.c -o $@
$(BPF_SKEL): probes/gen/pytrace.bpf.o
	$(V_BPF)$(BPFTOOL) gen skeleton probes/gen/pytrace.bpf.o \
		name pytrace_bpf > $@.tmp && mv $@.tmp $@
BUILT_SOURCES += $(BPF_SKEL)
CLEANFILES += probes/gen/pytrace.bpf.o $(BPF_SKEL)

# A small one of its own: loaded only where /proc refuses.
BPF_READER = probes/gen/reader.skel.h
probes/gen/reader.bpf.o: $(PT_READER_C) probes/reader_abi.h \
		probes/kernel_types.h probes/pytrace_abi.h
	$(V_BPF)$(MKDIR_P) probes/gen && \
	$(CLANG) $(BPF_CFLAGS) -c $(srcdir)/$(PT_READER_C) -o $@
$(BPF_READER): probes/gen/reader.bpf.o
	$(V_BPF)$(BPFTOOL) gen skeleton probes/gen/reader.bpf.o \
		name reader_bpf > $@.tmp && mv $@.tmp $@
BUILT_SOURCES += $(BPF_READER)
CLEANFILES += probes/gen/reader.bpf.o $(BPF_READER)
endif
