/* SPDX-License-Identifier: MIT */
/* event: records in and out of bytes, files and text, whole or refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <signal.h>

#include "event/recfile.h"
#include "event/record.h"
#include "event/text.h"
#include "rnd_records.h"

static char *text_of(const struct pt_hdr *rec)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(text_write(out, rec), 0);
	fclose(out);
	return text;
}

static void text_round_trip(void **state)
{
	struct recbuf a = { 0 }, b = { 0 };
	const struct pt_hdr *rec, *back;
	struct err err = { 0 };

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint16_t type = type_of((uint64_t)i);
		char *line;
		size_t len;

		rec = rnd_record(&a, type);
		assert_non_null(rec);
		assert_int_equal(record_check(rec, a.len, &rec, &err), 0);
		line = text_of(rec);
		len = strlen(line);
		assert_int_equal(line[len - 1], '\n');
		assert_null(memchr(line, '\n', len - 1));
		if (text_parse(line, len - 1, &b, &back, &err) != 1)
			fail_msg("%s: %s", err.text, line);
		if (back->size != rec->size || memcmp(back, rec, rec->size))
			fail_msg("not the same: %s%s", line, text_of(back));
		free(line);
	}
	recbuf_free(&a);
	recbuf_free(&b);
}

/* Every cut and every changed byte is refused or still inside its bounds. */
static void damaged_records(void **state)
{
	struct recbuf a = { 0 };
	const struct pt_hdr *rec, *out;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		uint16_t type = type_of((uint64_t)i);
		uint64_t *copy;
		size_t size;

		rec = rnd_record(&a, type);
		size = rec->size;
		copy = malloc(size);
		for (size_t cut = 0; cut < size; cut += 8) {
			memcpy(copy, rec, cut);
			assert_true(record_check(copy, cut, &out, NULL) < 0);
		}
		for (int j = 0; j < 40; j++) {
			memcpy(copy, rec, size);
			((uint8_t *)copy)[rnd() % size] ^= (uint8_t)rnd();
			if (!record_check(copy, size, &out, NULL))
				free(text_of(out));
		}
		free(copy);
	}
	recbuf_free(&a);
}

static void tails_are_found(void **state)
{
	struct recbuf b = { 0 };
	const struct pt_hdr *rec;
	const struct pt_syscall *sys;
	struct err err = { 0 };
	static const char line[] =
		"5 syscall nr=2 arg=0:path:\"/etc/passwd\" "
		"arg=3:socket/99:\"\\x02\\0\"";
	static const char meta[] = "5 meta host=\"h\" argv=\"a\" argv=\"\" "
				   "argv=\"b\" # as typed";

	(void)state;
	assert_int_equal(text_parse(line, strlen(line), &b, &rec, &err), 1);
	sys = (const void *)rec;
	assert_int_equal(sys->nr_args, 2);
	assert_int_equal(record_arg(sys, 0, PT_ARG_PATH)->len, 11);
	assert_memory_equal(record_arg_bytes(record_arg(sys, 0, PT_ARG_PATH)),
			    "/etc/passwd", 11);
	assert_int_equal(record_arg(sys, 3, PT_ARG_SOCKET)->total, 99);
	assert_null(record_arg(sys, 0, PT_ARG_SOCKET));
	assert_null(record_string(rec, 0));

	assert_int_equal(text_parse(meta, strlen(meta), &b, &rec, &err), 1);
	assert_string_equal(record_string(rec, 0), "");
	assert_string_equal(record_string(rec, 2), "h");
	assert_string_equal(record_string(rec, 4), "");
	assert_string_equal(record_string(rec, 5), "b");
	assert_null(record_string(rec, 6));
	recbuf_free(&b);
}

static void wrong_lines(void **state)
{
	static const struct {
		const char *line, *says;
	} rows[] = {
		{ "x syscall", "not a time in nanoseconds: 'x'" },
		{ "-1 syscall", "not a time in nanoseconds: '-1'" },
		{ "1 cal", "no record is called 'cal'" },
		{ "1", "no record is called ''" },
		{ "1 exit pid", "not a field with a value: 'pid'" },
		{ "1 exit pid=4294967296", "no such field, or a wrong value: "
					   "'pid=4294967296'" },
		{ "1 exit nr=1", "no such field, or a wrong value: 'nr='" },
		{ "1 exec file=\"a", "no such field, or a wrong value: "
				     "'file=\"a'" },
		{ "1 exec file=\"a\"x", "something is stuck to the end of "
					"'file=\"a\"'" },
		{ "1 exec file=\"a\\x00\"", "no such field, or a wrong value: "
					    "'file=\"a\\x00\"'" },
		{ "1 exec file=\"a\" file=\"b\"", "no such field, or a wrong "
						  "value: 'file='" },
		{ "1 thread comm=\"0123456789abcdefg\"",
		  "no such field, or a wrong value: "
		  "'comm=\"0123456789abcdefg'" },
		{ "1 syscall arg=6:path:\"\"",
		  "what follows in a syscall record does not fit it" },
		{ "1 part part=9 data=\"\"",
		  "what follows in a part record does not fit it" },
	};
	struct recbuf b = { 0 };
	const struct pt_hdr *rec;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err = { 0 };
		int rc = text_parse(rows[i].line, strlen(rows[i].line), &b,
				    &rec, &err);

		assert_true(rc < 0);
		assert_int_equal(err.kind, ERR_INPUT);
		assert_string_equal(err.text, rows[i].says);
	}
	assert_int_equal(text_parse("", 0, &b, &rec, NULL), 0);
	assert_int_equal(text_parse("  # x", 5, &b, &rec, NULL), 0);
	recbuf_free(&b);
}

/* ---- files -------------------------------------------------------------- */

static char folder[] = "/tmp/pytrace-event-XXXXXX";
static char path[64];

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/run.ptr", folder);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

static void write_form(int nr, bool packed, struct recbuf *b)
{
	struct recfile *f = NULL;
	struct err err = { 0 };

	seed = 42;
	assert_int_equal(recfile_create(&f, path, packed, &err), 0);
	for (int i = 0; i < nr; i++)
		assert_int_equal(recfile_put(f, rnd_record(b, PT_SYSCALL),
					     &err), 0);
	recbuf_begin(b, PT_END);
	assert_int_equal(recfile_put(f, recbuf_end(b), &err), 0);
	assert_int_equal(recfile_close(f, &err), 0);
}

static void write_recording(int nr, struct recbuf *b)
{
	write_form(nr, false, b);
}

/* How many records there are; the last result of next() in *rc. */
static int count_records(const char *file, int *rc, struct err *err)
{
	const struct pt_hdr *rec;
	struct source *src = NULL;
	int nr = 0;

	*rc = source_open(&src, file, err);
	if (*rc)
		return -1;
	while ((*rc = source_next(src, &rec, err)) > 0)
		nr++;
	source_close(src);
	return nr;
}

static void comes_back(bool packed)
{
	struct recbuf b = { 0 };
	const struct pt_hdr *rec;
	struct source *src = NULL;
	struct err err = { 0 };
	struct stat st;

	write_form(3000, packed, &b);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	seed = 42;
	assert_int_equal(source_open(&src, path, &err), 0);
	for (int i = 0; i < 3000; i++) {
		const struct pt_hdr *was = rnd_record(&b, PT_SYSCALL);

		assert_int_equal(source_next(src, &rec, &err), 1);
		assert_int_equal(rec->size, was->size);
		assert_memory_equal(rec, was, was->size);
	}
	assert_int_equal(source_next(src, &rec, &err), 1);
	assert_int_equal(rec->type, PT_END);
	assert_int_equal(source_next(src, &rec, &err), 0);
	source_close(src);
	recbuf_free(&b);
}

static void recording_comes_back(void **state)
{
	(void)state;
	comes_back(false);
	comes_back(true);
}

/* Packed, it can be read up to what was flushed before the cut. */
static void packed_recording_is_cut(void **state)
{
	struct recfile *f = NULL;
	struct recbuf b = { 0 };
	struct err err = { 0 };
	struct stat st, first;
	int rc, nr, last = 0;

	(void)state;
	seed = 42;
	unlink(path);
	assert_int_equal(recfile_create(&f, path, true, &err), 0);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(recfile_put(f, rnd_record(&b, PT_SYSCALL),
					     &err), 0);
		if (i == 3) {
			assert_int_equal(recfile_flush(f, &err), 0);
			assert_int_equal(stat(path, &first), 0);
		}
	}
	assert_int_equal(recfile_close(f, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	for (off_t len = st.st_size; len > 24; len--) {
		assert_int_equal(truncate(path, len), 0);
		nr = count_records(path, &rc, &err);
		assert_true(rc < 0);
		assert_int_equal(err.kind, ERR_INPUT);
		assert_true(len < first.st_size || nr >= 4);
		assert_true(len == st.st_size || nr <= last);
		last = nr;
	}
	recbuf_free(&b);
}

/* Whatever a byte becomes, what is read is records, and it ends. */
static void packed_recording_is_damaged(void **state)
{
	struct recbuf b = { 0 };
	struct err err = { 0 };
	uint8_t byte;
	int rc, fd;

	(void)state;
	for (off_t at = 24; at < 400; at++) {
		write_form(5, true, &b);
		fd = open(path, O_RDWR | O_CLOEXEC);
		assert_int_equal(pread(fd, &byte, 1, at), 1);
		byte ^= (uint8_t)(1u << at % 8);
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		close(fd);
		assert_true(count_records(path, &rc, &err) <= 6);
		assert_true(!rc || err.kind == ERR_INPUT);
	}
	recbuf_free(&b);
}

/* Wherever it is cut, the records before the cut are there and it says so. */
static void recording_is_cut(void **state)
{
	struct recbuf b = { 0 };
	struct err err = { 0 };
	struct stat st;
	int rc, nr, last = 0;

	(void)state;
	write_recording(5, &b);
	recbuf_free(&b);
	assert_int_equal(stat(path, &st), 0);
	for (off_t len = 24; len < st.st_size; len++) {
		write_recording(5, &b);
		assert_int_equal(truncate(path, len), 0);
		nr = count_records(path, &rc, &err);
		assert_true(rc < 0);
		assert_int_equal(err.kind, ERR_INPUT);
		assert_true(nr == last || nr == last + 1);
		last = nr;
	}
	assert_int_equal(last, 5);
	for (off_t len = 0; len < 24; len++) {
		unlink(path);
		write_recording(0, &b);
		assert_int_equal(truncate(path, len), 0);
		assert_true(count_records(path, &rc, &err) <= 0);
		assert_true(rc < 0);
		assert_int_equal(err.kind, ERR_INPUT);
	}
	recbuf_free(&b);
}

static void put_file(const char *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
	close(fd);
}

static void foreign_files_are_refused(void **state)
{
	struct err err = { 0 };
	int rc;

	(void)state;
	put_file("PERFILE2xxxxxxxxxxxxxxxxxxxxxxxx", 32);
	assert_int_equal(count_records(path, &rc, &err), -1);
	assert_non_null(strstr(err.text, "neither a recording"));
	put_file(RECFILE_MAGIC "\1\2\3\4\1\0\x18\0\0\0\0\0\0\0\0\0", 24);
	assert_int_equal(count_records(path, &rc, &err), -1);
	assert_non_null(strstr(err.text, "other byte order"));
	put_file(RECFILE_MAGIC "\4\3\2\1\3\0\x18\0\0\0\0\0\0\0\0\0", 24);
	assert_int_equal(count_records(path, &rc, &err), -1);
	assert_non_null(strstr(err.text, "version 3"));
	assert_int_equal(count_records("/nonexistent/x", &rc, &err), -1);
	assert_int_equal(rc, -ENOENT);
	put_file("1 exit\n\n# no newline at the end\n2 exit code=1", 45);
	assert_int_equal(count_records(path, &rc, &err), 2);
	assert_int_equal(rc, 0);
	put_file("1 exit\n2 exit x=1\n", 18);
	assert_int_equal(count_records(path, &rc, &err), 1);
	assert_non_null(strstr(err.text, "line 2: no such field"));
}

static void output_is_created_safely(void **state)
{
	struct recfile *f = NULL;
	struct err err = { 0 };
	char link_path[80], deep[120];

	(void)state;
	snprintf(link_path, sizeof(link_path), "%s/link", folder);
	put_file("precious", 8);
	assert_int_equal(recfile_check(path, &err), -EEXIST);
	assert_int_equal(recfile_create(&f, path, false, &err), -EEXIST);
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_non_null(strstr(err.text, "is not a recording"));
	assert_int_equal(symlink(path, link_path), 0);
	assert_true(recfile_check(link_path, &err) < 0);
	assert_true(recfile_create(&f, link_path, false, &err) < 0);
	assert_non_null(strstr(err.text, "symbolic link"));
	unlink(link_path);

	/* a folder of everybody's, through a link */
	assert_int_equal(symlink(folder, link_path), 0);
	assert_int_equal(chmod(folder, 01777), 0);
	snprintf(deep, sizeof(deep), "%s/new.ptr", link_path);
	assert_int_equal(recfile_check(deep, &err), -ELOOP);
	assert_int_equal(recfile_create(&f, deep, false, &err), -ELOOP);
	assert_int_equal(chmod(folder, 0700), 0);
	assert_int_equal(recfile_create(&f, deep, false, &err), 0);
	recfile_close(f, &err);
	unlink(deep);
	unlink(link_path);

	assert_int_equal(recfile_create(&f, "/nonexistent/x", false, &err), -ENOENT);
	assert_int_equal(recfile_create(&f, folder, false, &err), -EISDIR);
	put_file("", 0);
	assert_int_equal(recfile_create(&f, path, false, &err), 0);
	recfile_close(f, &err);
	assert_int_equal(recfile_create(&f, path, false, &err), 0);
	recfile_close(f, &err);
}

/* The disk is "full" at 600,000 bytes: what fits is kept, in whole records. */
static void disk_is_full(void **state)
{
	struct rlimit was, now;
	struct recbuf b = { 0 };
	struct recfile *f = NULL;
	struct err err = { 0 };
	int rc = 0, nr, put = 0;

	(void)state;
	unlink(path);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	now = was;
	now.rlim_cur = 600000;
	setrlimit(RLIMIT_FSIZE, &now);
	assert_int_equal(recfile_create(&f, path, false, &err), 0);
	while (!(rc = recfile_put(f, rnd_record(&b, PT_SYSCALL), &err)))
		put++;
	assert_int_equal(rc, -EFBIG);
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_int_equal(recfile_put(f, rnd_record(&b, PT_SYSCALL), &err),
			 -EFBIG);
	assert_true(recfile_size(f) <= 600000);
	assert_int_equal(recfile_close(f, &err), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &was);
	nr = count_records(path, &rc, &err);
	assert_int_equal(rc, -ENODATA);
	assert_non_null(strstr(err.text, "without an end mark"));
	assert_true(nr > 0 && nr <= put);
	recbuf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_round_trip),
		cmocka_unit_test(damaged_records),
		cmocka_unit_test(tails_are_found),
		cmocka_unit_test(wrong_lines),
		cmocka_unit_test(recording_comes_back),
		cmocka_unit_test(recording_is_cut),
		cmocka_unit_test(packed_recording_is_cut),
		cmocka_unit_test(packed_recording_is_damaged),
		cmocka_unit_test(foreign_files_are_refused),
		cmocka_unit_test(output_is_created_safely),
		cmocka_unit_test(disk_is_full),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
