bin_PROGRAMS += pytrace
pytrace_SOURCES = \
	src/cmd/cmd.h src/cmd/main.c \
	src/cmd/cmd_calls.c src/cmd/cmd_calls_python.c src/cmd/calls.h \
	src/cmd/cmd_doctor.c \
	src/cmd/analyse.c src/cmd/analyse.h \
	src/cmd/cmd_dump.c \
	src/cmd/doctor.h src/cmd/doctor_print.c \
	src/cmd/doctor_left.c \
	src/cmd/jsonline.c src/cmd/jsonline.h \
	src/cmd/probes_python.c src/cmd/probes_python.h \
	src/cmd/probes_synth.c src/cmd/probes_synth.h \
	src/cmd/probes_pid.c src/cmd/probes_pid.h \
	src/cmd/cmd_ps.c src/cmd/ps.c src/cmd/ps.h \
	src/cmd/ps_json.c src/cmd/ps_print.c \
	src/cmd/cmd_probes.c src/cmd/probes.c src/cmd/probes.h \
	src/cmd/probes_json.c \
	src/cmd/probes_events.c src/cmd/probes_events.h \
	src/cmd/cmd_record.c \
	src/cmd/cmd_summary.c \
	src/cmd/cmd_trace.c \
	src/cmd/cmd_views.c \
	src/cmd/interval.c src/cmd/interval.h \
	src/cmd/live.h \
	src/cmd/options.c \
	src/cmd/output.c src/cmd/output.h \
	src/cmd/totals.c src/cmd/totals.h \
	src/cmd/opts.c src/cmd/opts.h \
	src/cmd/targets.c src/cmd/targets.h \
	src/cmd/pipeline.c src/cmd/pipeline.h
pytrace_LDADD =
PT_CMD_LIVE = src/cmd/live.c src/cmd/children.c src/cmd/children.h \
	src/cmd/journal.c src/cmd/journal.h \
	src/cmd/dryrun.c src/cmd/dryrun.h src/cmd/price.c src/cmd/price.h \
	src/cmd/say.c src/cmd/say.h
if LIVE
pytrace_SOURCES += $(PT_CMD_LIVE)
pytrace_LDADD += libptlive.a
EXTRA_DIST += src/cmd/nolive.c
else
pytrace_SOURCES += src/cmd/nolive.c
EXTRA_DIST += $(PT_CMD_LIVE)
endif
pytrace_LDADD += libptcore.a $(PT_CORE_LIBS)
if LIVE
pytrace_LDADD += $(LIBBPF_LIBS)
endif
