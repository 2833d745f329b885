libptcore_a_SOURCES += \
	src/target/bounded.c src/target/bounded.h \
	src/target/maps.c src/target/maps.h \
	src/target/proc.c src/target/proc.h src/target/procs.c \
	src/target/remote.c src/target/remote.h \
	src/target/root.c src/target/root.h \
	src/target/settle.c \
	src/target/spawn.c src/target/spawn.h
