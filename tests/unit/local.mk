UNIT_TESTS += tests/unit/test_elfimg
tests_unit_test_elfimg_SOURCES = tests/unit/test_elfimg.c tests/unit/elf_build.h
UNIT_TESTS += tests/unit/test_base
tests_unit_test_base_SOURCES = tests/unit/test_base.c
UNIT_TESTS += tests/unit/test_syscalls
tests_unit_test_syscalls_SOURCES = tests/unit/test_syscalls.c
UNIT_TESTS += tests/unit/test_layout
tests_unit_test_layout_SOURCES = tests/unit/test_layout.c
