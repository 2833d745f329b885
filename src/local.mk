# libptcore.a: everything that needs no kernel.  The unit tests link with it
# and without libbpf, so a core file that reaches for the kernel does not link.
noinst_LIBRARIES += libptcore.a
libptcore_a_SOURCES =
PT_CORE_LIBS = $(DW_LIBS) $(ELF_LIBS) $(YAJL_LIBS) $(ZSTD_LIBS) $(ZYDIS_LIBS) \
	$(CAPNG_LIBS)

include $(srcdir)/src/base/local.mk
include $(srcdir)/src/event/local.mk
include $(srcdir)/src/elf/local.mk
include $(srcdir)/src/python/local.mk
include $(srcdir)/src/target/local.mk
include $(srcdir)/src/stack/local.mk
include $(srcdir)/src/analysis/local.mk
include $(srcdir)/src/report/local.mk
include $(srcdir)/src/live/local.mk
include $(srcdir)/src/cmd/local.mk
