/* SPDX-License-Identifier: MIT */
/*
 * mem: "read these bytes of the target" as one function pointer.
 *
 * Behind it is a live process, the bytes of an ELF file at their virtual
 * addresses, or a test's array; what reads Python's structs cannot tell.
 */
#ifndef PT_MEM_H
#define PT_MEM_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct mem {
	/*
	 * Copy `len` bytes at `addr` to `buf`.  All or nothing: 0, or -EFAULT
	 * when a byte of them is not there, or another -errno when the target
	 * is gone or refuses.
	 */
	int (*read)(const struct mem *m, uint64_t addr, void *buf, size_t len);
};

static inline int mem_read(const struct mem *m, uint64_t addr, void *buf,
			   size_t len)
{
	return m->read(m, addr, buf, len);
}

static inline int mem_u64(const struct mem *m, uint64_t addr, uint64_t *v)
{
	return m->read(m, addr, v, sizeof(*v));
}

static inline int mem_u32(const struct mem *m, uint64_t addr, uint32_t *v)
{
	return m->read(m, addr, v, sizeof(*v));
}

#endif /* PT_MEM_H */
