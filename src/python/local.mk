libptcore_a_SOURCES += \
	src/python/layout.c src/python/layout.h \
	src/python/layout_rows.h
