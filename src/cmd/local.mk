bin_PROGRAMS += pytrace
pytrace_SOURCES = src/cmd/main.c
pytrace_LDADD =
if LIVE
pytrace_LDADD += libptlive.a
endif
pytrace_LDADD += libptcore.a $(PT_CORE_LIBS)
if LIVE
pytrace_LDADD += $(LIBBPF_LIBS)
endif
