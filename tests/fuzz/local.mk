# Fuzz targets.  Without libFuzzer each is a test over its corpus; with it:
#
#	make fuzz T=sdtarg SECS=60
#
# To add one: fuzz_NAME.c, a line in FUZZERS, the three lines of its own below,
# and some small inputs in corpus/NAME.
FUZZERS = tests/fuzz/fuzz_sdtarg tests/fuzz/fuzz_stapsdt
FUZZERS += tests/fuzz/fuzz_recfile tests/fuzz/fuzz_text
FUZZERS += tests/fuzz/fuzz_codeobj tests/fuzz/fuzz_layout \
	tests/fuzz/fuzz_linetable tests/fuzz/fuzz_pyimage tests/fuzz/fuzz_pystr
FUZZERS += tests/fuzz/fuzz_maps
FUZZERS += tests/fuzz/fuzz_synth
FUZZ_LIBS = libptcore.a $(PT_CORE_LIBS)
if LIBFUZZER
FUZZ_MAIN =
LDFLAGS_FUZZ = $(AM_LDFLAGS) -fsanitize=fuzzer
else
FUZZ_MAIN = tests/fuzz/corpus_main.c
LDFLAGS_FUZZ = $(AM_LDFLAGS)
TESTS += $(FUZZERS)
endif
check_PROGRAMS += $(FUZZERS)
EXTRA_DIST += tests/fuzz/corpus

tests_fuzz_fuzz_sdtarg_SOURCES = tests/fuzz/fuzz_sdtarg.c $(FUZZ_MAIN)
tests_fuzz_fuzz_sdtarg_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_sdtarg_LDFLAGS = $(LDFLAGS_FUZZ)

tests_fuzz_fuzz_stapsdt_SOURCES = tests/fuzz/fuzz_stapsdt.c $(FUZZ_MAIN)
tests_fuzz_fuzz_stapsdt_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_stapsdt_LDFLAGS = $(LDFLAGS_FUZZ)

tests_fuzz_fuzz_recfile_SOURCES = tests/fuzz/fuzz_recfile.c $(FUZZ_MAIN)
tests_fuzz_fuzz_recfile_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_recfile_LDFLAGS = $(LDFLAGS_FUZZ)

tests_fuzz_fuzz_text_SOURCES = tests/fuzz/fuzz_text.c $(FUZZ_MAIN)
tests_fuzz_fuzz_text_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_text_LDFLAGS = $(LDFLAGS_FUZZ)
tests_fuzz_fuzz_codeobj_SOURCES = tests/fuzz/fuzz_codeobj.c $(FUZZ_MAIN)
tests_fuzz_fuzz_codeobj_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_codeobj_LDFLAGS = $(LDFLAGS_FUZZ)

tests_fuzz_fuzz_layout_SOURCES = tests/fuzz/fuzz_layout.c $(FUZZ_MAIN)
tests_fuzz_fuzz_layout_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_layout_LDFLAGS = $(LDFLAGS_FUZZ)

tests_fuzz_fuzz_linetable_SOURCES = tests/fuzz/fuzz_linetable.c $(FUZZ_MAIN)
tests_fuzz_fuzz_linetable_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_linetable_LDFLAGS = $(LDFLAGS_FUZZ)

tests_fuzz_fuzz_pyimage_SOURCES = tests/fuzz/fuzz_pyimage.c $(FUZZ_MAIN)
tests_fuzz_fuzz_pyimage_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_pyimage_LDFLAGS = $(LDFLAGS_FUZZ)

tests_fuzz_fuzz_pystr_SOURCES = tests/fuzz/fuzz_pystr.c $(FUZZ_MAIN)
tests_fuzz_fuzz_pystr_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_pystr_LDFLAGS = $(LDFLAGS_FUZZ)

tests_fuzz_fuzz_maps_SOURCES = tests/fuzz/fuzz_maps.c $(FUZZ_MAIN)
tests_fuzz_fuzz_maps_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_maps_LDFLAGS = $(LDFLAGS_FUZZ)

tests_fuzz_fuzz_synth_SOURCES = tests/fuzz/fuzz_synth.c $(FUZZ_MAIN)
tests_fuzz_fuzz_synth_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_synth_LDFLAGS = $(LDFLAGS_FUZZ)

# A build of its own in _fuzz, with libFuzzer, ASan and UBSan.  What it learns
# stays in _fuzz/found/T; what fails is _fuzz/crash-* (to be mended, then kept
# in corpus/T).
SECS = 60
.PHONY: fuzz
fuzz:
	$(AM_V_at)test -n '$(T)' || { echo 'make fuzz T=NAME [SECS=60]'; exit 2; }
	$(AM_V_at)mkdir -p _fuzz/found/'$(T)'
	$(AM_V_at)test -f _fuzz/Makefile || { cd _fuzz && \
	  '$(abs_top_srcdir)/configure' --quiet --disable-live CC=clang \
	    --enable-fuzzers --enable-sanitizers=address,undefined \
	    CFLAGS='-O1 -g -fsanitize=fuzzer-no-link'; }
	$(AM_V_at)cd _fuzz && $(MAKE) $(AM_MAKEFLAGS) tests/fuzz/fuzz_'$(T)'
	cd _fuzz && tests/fuzz/fuzz_'$(T)' -max_total_time='$(SECS)' \
	  -timeout=10 -print_final_stats=1 $(FUZZFLAGS) found/'$(T)' \
	  '$(abs_top_srcdir)/tests/fuzz/corpus/$(T)'

clean-local: clean-fuzz
.PHONY: clean-fuzz
clean-fuzz:
	-rm -rf _fuzz
