libptcore_a_SOURCES += \
	src/python/linetable.c src/python/linetable.h \
	src/python/layout.c src/python/layout.h \
	src/python/layout_rows.h
