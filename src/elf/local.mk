libptcore_a_SOURCES += \
	src/elf/elfaddr.c \
	src/elf/elfdyn.c \
	src/elf/elfehdr.c \
	src/elf/elfimg.c src/elf/elfimg.h src/elf/elfimg_priv.h \
	src/elf/elfmach.c \
	src/elf/elfnote.c src/elf/elfnote.h \
	src/elf/elfreloc.c \
	src/elf/elfsym.c \
	src/elf/sdtarg.c src/elf/sdtarg.h \
	src/elf/sdtfetch.c src/elf/sdtfetch.h \
	src/elf/sdtlex.c src/elf/sdtlex.h \
	src/elf/sdtoperand.c src/elf/sdtoperand.h \
	src/elf/sdtreg.c src/elf/sdtreg.h \
	src/elf/stapsdt.c src/elf/stapsdt.h \
	src/elf/uprobedef.c src/elf/uprobedef.h
