UNIT_TESTS += tests/unit/test_printable
tests_unit_test_printable_SOURCES = tests/unit/test_printable.c
UNIT_TESTS += tests/unit/test_stapsdt
tests_unit_test_stapsdt_SOURCES = tests/unit/test_stapsdt.c \
	tests/unit/elf_build.h tests/unit/elf_synth.h
UNIT_TESTS += tests/unit/test_sdtlive
tests_unit_test_sdtlive_SOURCES = tests/unit/test_sdtlive.c tests/unit/elf_build.h
EXTRA_DIST += tests/data/sdt_target.c tests/data/sdt_sites.c
UNIT_TESTS += tests/unit/test_sdtarg
tests_unit_test_sdtarg_SOURCES = tests/unit/test_sdtarg.c
UNIT_TESTS += tests/unit/test_uprobedef
tests_unit_test_uprobedef_SOURCES = tests/unit/test_uprobedef.c
UNIT_TESTS += tests/unit/test_elfimg
tests_unit_test_elfimg_SOURCES = tests/unit/test_elfimg.c tests/unit/elf_build.h
UNIT_TESTS += tests/unit/test_base
tests_unit_test_base_SOURCES = tests/unit/test_base.c
UNIT_TESTS += tests/unit/test_syscalls
tests_unit_test_syscalls_SOURCES = tests/unit/test_syscalls.c
UNIT_TESTS += tests/unit/test_event
tests_unit_test_event_SOURCES = tests/unit/test_event.c \
	tests/unit/rnd_records.h
UNIT_TESTS += tests/unit/test_views
tests_unit_test_views_SOURCES = tests/unit/test_views.c \
	tests/unit/rnd_records.h
UNIT_TESTS += tests/unit/test_stack
tests_unit_test_stack_SOURCES = tests/unit/test_stack.c
UNIT_TESTS += tests/unit/test_report
tests_unit_test_report_SOURCES = tests/unit/test_report.c
UNIT_TESTS += tests/unit/test_layout
tests_unit_test_layout_SOURCES = tests/unit/test_layout.c
UNIT_TESTS += tests/unit/test_select
tests_unit_test_select_SOURCES = tests/unit/test_select.c
UNIT_TESTS += tests/unit/test_maps tests/unit/test_proc tests/unit/test_spawn
tests_unit_test_maps_SOURCES = tests/unit/test_maps.c
tests_unit_test_proc_SOURCES = tests/unit/test_proc.c
tests_unit_test_spawn_SOURCES = tests/unit/test_spawn.c
UNIT_TESTS += tests/unit/test_linetable
tests_unit_test_linetable_SOURCES = tests/unit/test_linetable.c \
	tests/unit/linetable_stream.h
# For tests/live: reads what tests/live/dump_linetables.py writes.
check_PROGRAMS += tests/unit/check_linetables
tests_unit_check_linetables_SOURCES = tests/unit/check_linetables.c
EXTRA_DIST += tests/data/linetables/3.9.bin tests/data/linetables/3.10.bin \
	tests/data/linetables/3.11.bin tests/data/linetables/3.13.bin \
	tests/data/linetables/3.15.bin
UNIT_TESTS += tests/unit/test_num
tests_unit_test_num_SOURCES = tests/unit/test_num.c
UNIT_TESTS += tests/unit/test_pystr tests/unit/test_codeobj
tests_unit_test_pystr_SOURCES = tests/unit/test_pystr.c
tests_unit_test_codeobj_SOURCES = tests/unit/test_codeobj.c
UNIT_TESTS += tests/unit/test_kallsyms
tests_unit_test_kallsyms_SOURCES = tests/unit/test_kallsyms.c
UNIT_TESTS += tests/unit/test_framewalk
tests_unit_test_framewalk_SOURCES = tests/unit/test_framewalk.c
UNIT_TESTS += tests/unit/test_names
tests_unit_test_names_SOURCES = tests/unit/test_names.c
UNIT_TESTS += tests/unit/test_evfield
tests_unit_test_evfield_SOURCES = tests/unit/test_evfield.c
UNIT_TESTS += tests/unit/test_sysset
tests_unit_test_sysset_SOURCES = tests/unit/test_sysset.c
# For tests/live: what an interpreter's file is.
check_PROGRAMS += tests/unit/show_pyimage
tests_unit_show_pyimage_SOURCES = tests/unit/show_pyimage.c
check_PROGRAMS += tests/unit/show_synth
tests_unit_show_synth_SOURCES = tests/unit/show_synth.c
UNIT_TESTS += tests/unit/test_synth
tests_unit_test_synth_SOURCES = tests/unit/test_synth.c tests/unit/elf_build.h
EXTRA_DIST += tests/data/tiny_evaluator.c
UNIT_TESTS += tests/unit/test_pyversion
tests_unit_test_pyversion_SOURCES = tests/unit/test_pyversion.c
UNIT_TESTS += tests/unit/test_pyimage
tests_unit_test_pyimage_SOURCES = tests/unit/test_pyimage.c \
	tests/unit/debug_offsets.h
EXTRA_DIST += tests/data/fake_python.c
UNIT_TESTS += tests/unit/test_guess
tests_unit_test_guess_SOURCES = tests/unit/test_guess.c
UNIT_TESTS += tests/unit/test_analysis tests/unit/test_idle
tests_unit_test_analysis_SOURCES = tests/unit/test_analysis.c \
	tests/unit/rnd_stream.h
UNIT_TESTS += tests/unit/test_rows
tests_unit_test_rows_SOURCES = tests/unit/test_rows.c tests/unit/rnd_stream.h
tests_unit_test_idle_SOURCES = tests/unit/test_idle.c
UNIT_TESTS += tests/unit/test_rights
tests_unit_test_rights_SOURCES = tests/unit/test_rights.c
UNIT_TESTS += tests/unit/test_memimg
tests_unit_test_memimg_SOURCES = tests/unit/test_memimg.c
UNIT_TESTS += tests/unit/test_cgroup
tests_unit_test_cgroup_SOURCES = tests/unit/test_cgroup.c
UNIT_TESTS += tests/unit/test_budget
tests_unit_test_budget_SOURCES = tests/unit/test_budget.c
UNIT_TESTS += tests/unit/test_shadow
tests_unit_test_shadow_SOURCES = tests/unit/test_shadow.c
UNIT_TESTS += tests/unit/test_calls
tests_unit_test_calls_SOURCES = tests/unit/test_calls.c
