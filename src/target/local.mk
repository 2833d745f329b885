libptcore_a_SOURCES += \
	src/target/bounded.c src/target/bounded.h \
	src/target/budget.c src/target/budget.h \
	src/target/cgroup.c src/target/cgroup.h \
	src/target/checks.c src/target/checks.h src/target/checks_proc.c \
	src/target/cmdline.c \
	src/target/drop.c src/target/drop.h \
	src/target/embedded.c src/target/embedded.h \
	src/target/explain.c \
	src/target/find.c src/target/find.h \
	src/target/guess.c src/target/guess.h \
	src/target/kallsyms.c src/target/kallsyms.h \
	src/target/nofile.c src/target/nofile.h \
	src/target/pages.c src/target/pages.h \
	src/target/imgcache.c src/target/imgcache.h \
	src/target/interp.c src/target/interp.h \
	src/target/ldconf.c src/target/ldconf.h \
	src/target/ldpath.c src/target/ldpath.h \
	src/target/mapped.c src/target/mapped.h \
	src/target/leftovers.c src/target/leftovers.h \
	src/target/maps.c src/target/maps.h \
	src/target/mounts.c src/target/mounts.h \
	src/target/memimg.c src/target/memimg.h \
	src/target/needed.c src/target/needed.h \
	src/target/proc.c src/target/proc.h src/target/procs.c \
	src/target/pyenv.c src/target/pyenv.h \
	src/target/reader.c src/target/reader.h \
	src/target/remote.c src/target/remote.h \
	src/target/rights.c src/target/rights.h \
	src/target/root.c src/target/root.h \
	src/target/route.c src/target/route.h \
	src/target/select.c src/target/select.h src/target/select_priv.h \
	src/target/select_match.c src/target/select_names.c \
	src/target/settle.c \
	src/target/shebang.c src/target/shebang.h \
	src/target/spawn.c src/target/spawn.h \
	src/target/through.c src/target/through.h \
	src/target/whatis.c src/target/whatis.h \
	src/target/where.c src/target/where.h \
	src/target/which.c src/target/which.h
