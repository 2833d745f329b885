bin_PROGRAMS += pytrace
pytrace_SOURCES = \
	src/cmd/cmd.h src/cmd/main.c \
	src/cmd/cmd_dump.c \
	src/cmd/cmd_probes.c src/cmd/probes.c src/cmd/probes.h \
	src/cmd/probes_json.c
pytrace_LDADD =
if LIVE
pytrace_LDADD += libptlive.a
endif
pytrace_LDADD += libptcore.a $(PT_CORE_LIBS)
if LIVE
pytrace_LDADD += $(LIBBPF_LIBS)
endif
