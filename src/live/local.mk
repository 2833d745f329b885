# libptlive.a: the only folder that may include libbpf.
if LIVE
noinst_LIBRARIES += libptlive.a
libptlive_a_CPPFLAGS = $(AM_CPPFLAGS) $(LIBBPF_CFLAGS)
libptlive_a_SOURCES = $(PT_LIVE_SOURCES)
$(libptlive_a_OBJECTS): $(BPF_SKEL)
else
EXTRA_DIST += $(PT_LIVE_SOURCES)
endif
PT_LIVE_SOURCES =
