/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * reader_abi: what is asked of reader.bpf.c, and what it answers.
 *
 * An iterator's program is run by whoever reads from it.  The request lies in
 * the buffer that is read into: so two readers can never take each other's.
 */
#ifndef PT_READER_ABI_H
#define PT_READER_ABI_H

#include "pytrace_abi.h"

#define PT_READER_MAGIC 0x7265616465722031ULL	/* "reader 1" */
#define PT_READER_PIECE 256u		/* one copy: on the program's stack */
#define PT_READER_PIECES 64u		/* at most, in one request */
#define PT_READER_MAX (PT_READER_PIECE * PT_READER_PIECES)

struct pt_reader_request {
	pt_u64 magic;
	pt_u64 addr;
	pt_u64 len;		/* bytes, at most PT_READER_MAX; 0: who is it */
};

/* First in the answer; then the bytes, as many as could be read. */
struct pt_reader_reply {
	pt_u64 start;		/* of the process, CLOCK_BOOTTIME, ns */
	pt_u64 exec_id;		/* changes with each exec */
	pt_u64 exe_ino;		/* of its executable; 0: none (a kernel thread) */
	pt_u32 exe_dev;		/* major << 20 | minor */
	pt_u32 pad;
};

/* A mapping; then the bytes of its path and its NUL, padded to a whole word. */
struct pt_reader_vma {
	pt_u64 start, end;	/* addresses */
	pt_u64 offset;		/* in the file, bytes */
	pt_u64 ino;		/* 0: no file */
	pt_u32 dev;
	pt_u32 flags;		/* VM_READ 1, VM_WRITE 2, VM_EXEC 4, and */
#define PT_READER_SHARED 8u
	pt_u32 path_len;	/* bytes with the NUL; 0: no path, or too long */
	pt_u32 pad;
};

#define PT_READER_PATH 4096u

#endif /* PT_READER_ABI_H */
