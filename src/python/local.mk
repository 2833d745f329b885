libptcore_a_SOURCES += \
	src/python/codeobj.c src/python/codeobj.h \
	src/python/layout.c src/python/layout.h \
	src/python/layout_rows.h \
	src/python/linetable.c src/python/linetable.h \
	src/python/pystr.c src/python/pystr.h
