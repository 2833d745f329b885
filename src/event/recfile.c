/* SPDX-License-Identifier: MIT */
/* recfile: write a recording. */
#include "event/recfile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event/record.h"
#include "event/recfile_head.h"
#include "event/zpack.h"

#define BUFFER ((size_t)256 << 10)

struct recfile {
	int fd;
	char *path;		/* for sentences */
	uint8_t *buf;
	size_t len, room;
	uint64_t written;	/* bytes in the file, whole records */
	struct zpack *pack;	/* NULL: plain records */
	uint64_t last_t;	/* of the record before, if packed */
	uint64_t events;	/* in them */
	int failed;		/* the first failure, kept */
};

/* ---- a safe place ------------------------------------------------------- */

static int refuse(struct err *err, int rc, const char *path, const char *why)
{
	return err_kind(err, ERR_OUTPUT, rc, "cannot write '%s': %s", path,
			why);
}

/*
 * A folder that is reached through a symbolic link, and that everybody may
 * write to, may be a trap laid for a tool that runs as root.
 */
static int check_folder(const char *path, struct err *err)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS,
	};
	char *copy = strdup(path);
	const char *folder;
	struct stat st;
	int rc = 0;
	long fd;

	if (!copy)
		return err_set(err, -ENOMEM, "out of memory");
	folder = dirname(copy);
	fd = syscall(SYS_openat2, AT_FDCWD, folder, &how, sizeof(how));
	if (fd >= 0)
		close((int)fd);
	else if (errno == ELOOP && !stat(folder, &st) && (st.st_mode & S_IWOTH))
		rc = refuse(err, -ELOOP, path,
			    "a symbolic link leads to its folder, which "
			    "everybody may write to");
	free(copy);
	return rc;
}

/* May what `fd` has open be replaced?  Says why not. */
static const char *not_ours(int fd, int *rc)
{
	char magic[sizeof(RECFILE_MAGIC) - 1];
	struct stat st;

	*rc = -EEXIST;
	if (fstat(fd, &st) < 0) {
		*rc = -errno;
		return strerror(errno);
	}
	if (S_ISCHR(st.st_mode)) {	/* /dev/null, a terminal */
		*rc = 0;
		return NULL;
	}
	if (!S_ISREG(st.st_mode))
		return "not a regular file";
	if (st.st_uid != geteuid())
		return "it exists and is another user's";
	if (st.st_nlink > 1)
		return "it exists and has a second name (hard link)";
	if (st.st_size &&
	    (pread(fd, magic, sizeof(magic), 0) != (ssize_t)sizeof(magic) ||
	     memcmp(magic, RECFILE_MAGIC, sizeof(magic)) != 0))
		return "it exists and is not a recording";
	*rc = 0;
	return NULL;
}

static int open_existing(const char *path, struct err *err)
{
	struct stat st;
	const char *why;
	int fd, rc;

	fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
		  O_CLOEXEC);
	if (fd < 0)
		return refuse(err, -errno, path,
			      errno == ELOOP ? "it is a symbolic link" :
					       strerror(errno));
	why = not_ours(fd, &rc);
	if (!why && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    (fchmod(fd, 0600) < 0 || ftruncate(fd, 0) < 0)) {
		rc = -errno;
		why = strerror(errno);
	}
	if (why) {
		close(fd);
		return refuse(err, rc, path, why);
	}
	return fd;
}

static int open_safely(const char *path, struct err *err)
{
	int fd, rc;

	if (!strcmp(path, "-"))
		fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	else {
		rc = check_folder(path, err);
		if (rc < 0)
			return rc;
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW |
			  O_CLOEXEC, 0600);
		if (fd < 0 && errno == EEXIST)
			return open_existing(path, err);
	}
	if (fd < 0)
		return refuse(err, -errno, path, strerror(errno));
	return fd;
}

/* Of a new file: may it be made? */
static int check_new(const char *path, struct err *err)
{
	char *copy = strdup(path);
	int rc = 0;

	if (!copy)
		return err_set(err, -ENOMEM, "out of memory");
	if (faccessat(AT_FDCWD, dirname(copy), W_OK | X_OK, AT_EACCESS))
		rc = refuse(err, -errno, path, strerror(errno));
	free(copy);
	return rc;
}

int recfile_check(const char *path, struct err *err)
{
	const char *why;
	int fd, rc;

	if (!strcmp(path, "-"))
		return 0;
	rc = check_folder(path, err);
	if (rc < 0)
		return rc;
	fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return check_new(path, err);
	if (fd < 0)
		return refuse(err, -errno, path,
			      errno == ELOOP ? "it is a symbolic link" :
					       strerror(errno));
	why = not_ours(fd, &rc);
	close(fd);
	return why ? refuse(err, rc, path, why) : 0;
}

/* ---- writing ------------------------------------------------------------ */

/* Of `len` bytes that begin with a record: those of whole ones, which count. */
static size_t whole_records(struct recfile *f, const uint8_t *bytes, size_t len)
{
	size_t at = 0;

	while (len - at >= sizeof(struct pt_hdr)) {
		struct pt_hdr h;

		memcpy(&h, bytes + at, sizeof(h));
		if (h.size > len - at)
			break;
		f->events += record_event(&h) || h.type == PT_CALL ||
			     h.type == PT_RETURN;
		at += h.size;
	}
	return at;
}

static int fail(struct recfile *f, struct err *err)
{
	return err_kind(err, ERR_OUTPUT, f->failed, "cannot write '%s': %s",
			f->path, strerror(-f->failed));
}

/*
 * All or what goes; after a failure the file ends with a whole record (where
 * it can be cut: a pipe cannot).
 */
static int write_out(struct recfile *f, const uint8_t *bytes, size_t len,
		     struct err *err)
{
	size_t at = 0;
	ssize_t n;

	while (at < len) {
		n = write(f->fd, bytes + at, len - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			f->failed = -errno;
			if (!f->pack)
				f->written += whole_records(f, bytes, at);
			if (ftruncate(f->fd, (off_t)f->written) < 0)
				return fail(f, err);	/* says the first */
			return fail(f, err);
		}
		at += (size_t)n;
	}
	f->written += len;
	return 0;
}

static int write_records(struct recfile *f, const uint8_t *bytes, size_t len,
			 struct err *err)
{
	const uint8_t *records = bytes;
	size_t records_len = len;
	int rc;

	if (f->pack && len) {
		rc = zpack_put(f->pack, bytes, len, &bytes, &len, err);
		if (rc < 0) {
			f->failed = rc;
			return rc;
		}
	}
	rc = write_out(f, bytes, len, err);
	if (!rc)
		(void)whole_records(f, records, records_len);
	return rc;
}

int recfile_flush(struct recfile *f, struct err *err)
{
	size_t len = f->len;

	if (f->failed)
		return fail(f, err);
	f->len = 0;
	return write_records(f, f->buf, len, err);
}

/* For a record that is longer than the buffer, which is empty. */
static int make_room(struct recfile *f, size_t room, struct err *err)
{
	uint8_t *buf = realloc(f->buf, room);

	if (!buf)
		return err_set(err, -ENOMEM, "out of memory");
	f->buf = buf;
	f->room = room;
	return 0;
}

int recfile_put(struct recfile *f, const struct pt_hdr *rec, struct err *err)
{
	int rc = 0;

	if (f->failed)
		return fail(f, err);
	if (f->len && rec->size > f->room - f->len) {
		rc = recfile_flush(f, err);
		if (rc < 0)
			return rc;
	}
	if (rec->size > f->room)
		rc = make_room(f, rec->size, err);
	if (rc < 0)
		return rc;
	memcpy(f->buf + f->len, rec, rec->size);
	if (f->pack) {
		struct pt_hdr *copy = (void *)(f->buf + f->len);

		copy->t -= f->last_t;
		f->last_t = rec->t;
	}
	f->len += rec->size;
	return 0;
}

uint64_t recfile_size(const struct recfile *f)
{
	return f->written + f->len;
}

uint64_t recfile_events(const struct recfile *f)
{
	return f->events;
}

static int write_head(struct recfile *f, struct err *err)
{
	struct recfile_head head = {
		.magic = RECFILE_MAGIC,
		.order = RECFILE_ORDER,
		.version = f->pack ? RECFILE_PACKED : RECFILE_VERSION,
		.size = sizeof(head),
	};
	ssize_t n;

	do {
		n = write(f->fd, &head, sizeof(head));
	} while (n < 0 && errno == EINTR);
	if (n == (ssize_t)sizeof(head)) {
		f->written = sizeof(head);
		return 0;
	}
	f->failed = n < 0 ? -errno : -ENOSPC;
	return fail(f, err);
}

static void free_file(struct recfile *f)
{
	if (f->fd >= 0)
		close(f->fd);
	zpack_free(f->pack);
	free(f->path);
	free(f->buf);
	free(f);
}

int recfile_create(struct recfile **out, const char *path, bool packed,
		   struct err *err)
{
	struct recfile *f = calloc(1, sizeof(*f));
	int rc;

	if (!f)
		return err_set(err, -ENOMEM, "out of memory");
	f->fd = -1;
	f->path = strdup(strcmp(path, "-") ? path : "standard output");
	f->buf = malloc(BUFFER);
	f->room = BUFFER;
	if (!f->path || !f->buf) {
		rc = err_set(err, -ENOMEM, "out of memory");
		goto fail;
	}
	rc = packed ? zpack_new(&f->pack, err) : 0;
	if (rc < 0)
		goto fail;
	rc = f->fd = open_safely(path, err);
	if (rc < 0)
		goto fail;
	rc = write_head(f, err);
	if (rc < 0)
		goto fail;
	*out = f;
	return 0;
fail:
	free_file(f);
	return rc;
}

int recfile_close(struct recfile *f, struct err *err)
{
	int rc;

	if (!f)
		return 0;
	rc = recfile_flush(f, err);
	if (close(f->fd) < 0 && !rc) {
		f->failed = -errno;
		rc = fail(f, err);
	}
	f->fd = -1;
	free_file(f);
	return rc;
}
