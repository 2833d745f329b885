libptcore_a_SOURCES += \
	src/python/codeobj.c src/python/codeobj.h \
	src/python/framewalk.c src/python/framewalk.h \
	src/python/gilstate.c src/python/gilstate.h \
	src/python/layout.c src/python/layout.h \
	src/python/layout_rows.h \
	src/python/linetable.c src/python/linetable.h \
	src/python/machine.c src/python/machine.h \
	src/python/opcodes.c src/python/opcodes.h \
	src/python/opcodes_rows.h \
	src/python/pyimage.c src/python/pyimage.h \
	src/python/pyprobes.c \
	src/python/pysearch.c src/python/pysearch.h \
	src/python/pystr.c src/python/pystr.h \
	src/python/pyversion.c src/python/pyversion.h \
	src/python/synth.c src/python/synth.h \
	src/python/synth_code.c src/python/synth_code.h \
	src/python/synth_fde.c \
	src/python/synth_frames.c src/python/synth_frames.h \
	src/python/synth_site.c src/python/synth_site.h \
	src/python/synth_table.c src/python/synth_table.h \
	src/python/synth_text.c
EXTRA_DIST += docs/CPYTHON.md
