/* SPDX-License-Identifier: MIT */
/*
 * elf_synth: small ELF files of any class, byte order and machine, in memory.
 *
 *	ehdr | 3 program headers | notes ... | section headers, names
 *
 * Code is the LOAD of file offset 0x740 at 0x401740 (offsets differ from
 * addresses, as those of lld do), data the one of 0xe00 at 0x404e00.
 */
#ifndef PT_TEST_ELF_SYNTH_H
#define PT_TEST_ELF_SYNTH_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define SYNTH_TEXT_OFF 0x740
#define SYNTH_TEXT 0x401740
#define SYNTH_DATA_OFF 0xe00
#define SYNTH_DATA 0x404e00
#define SYNTH_LEN 0x200		/* of each */
#define SYNTH_NOTES 0x200	/* file offset of the first notes */

struct synth {
	bool is_64, msb;
	uint16_t machine;
	bool no_sections;	/* as sstrip leaves a file */
	bool pt_note;		/* a PT_NOTE over all notes */
	bool no_note_section;
	uint64_t base;		/* sh_addr of .stapsdt.base; 0: not there */
	size_t second;		/* notes from here on: a second section */
	uint8_t buf[8192];
	size_t at;		/* where the next byte goes */
	size_t notes_end;
};

static inline void put_n(struct synth *s, uint64_t v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		s->buf[s->at + (s->msb ? n - 1 - i : i)] =
			(uint8_t)(v >> (8 * i));
	s->at += n;
}

static inline void put_addr(struct synth *s, uint64_t v)
{
	put_n(s, v, s->is_64 ? 8 : 4);
}

static inline void put_str(struct synth *s, const char *str)
{
	memcpy(s->buf + s->at, str, strlen(str) + 1);
	s->at += strlen(str) + 1;
}

static inline void synth_begin(struct synth *s)
{
	s->at = SYNTH_NOTES;
}

/* A note of any owner; the strings are as many bytes as given. */
static inline void synth_note(struct synth *s, const char *owner, uint32_t type,
			      uint64_t loc, uint64_t base, uint64_t sem,
			      const char *strings, size_t len)
{
	size_t addrs = s->is_64 ? 24 : 12;

	put_n(s, strlen(owner) + 1, 4);
	put_n(s, addrs + len, 4);
	put_n(s, type, 4);
	put_str(s, owner);
	s->at = (s->at + 3) & ~(size_t)3;
	put_addr(s, loc);
	put_addr(s, base);
	put_addr(s, sem);
	memcpy(s->buf + s->at, strings, len);
	s->at += len;
	s->at = (s->at + 3) & ~(size_t)3;
	s->notes_end = s->at;
}

#define SYNTH_PROBE(s, loc, base, sem, strings) \
	synth_note(s, "stapsdt", 3, loc, base, sem, strings, sizeof(strings))

static inline void synth_phdr(struct synth *s, uint32_t type, uint32_t flags,
			      uint64_t off, uint64_t vaddr, uint64_t len)
{
	put_n(s, type, 4);
	if (s->is_64)
		put_n(s, flags, 4);
	put_addr(s, off);
	put_addr(s, vaddr);
	put_addr(s, vaddr);
	put_addr(s, len);
	put_addr(s, len);
	if (!s->is_64)
		put_n(s, flags, 4);
	put_addr(s, type == PT_LOAD ? 0x1000 : 4);
}

static inline void synth_shdr(struct synth *s, uint32_t name, uint32_t type,
			      uint64_t addr, uint64_t off, uint64_t len)
{
	put_n(s, name, 4);
	put_n(s, type, 4);
	put_addr(s, 0);
	put_addr(s, addr);
	put_addr(s, off);
	put_addr(s, len);
	put_n(s, 0, 4);
	put_n(s, 0, 4);
	put_addr(s, 4);
	put_addr(s, 0);
}

static inline void synth_ehdr(struct synth *s, size_t phnum, size_t shoff,
			      size_t shnum)
{
	memcpy(s->buf, ELFMAG, SELFMAG);
	s->buf[EI_CLASS] = s->is_64 ? ELFCLASS64 : ELFCLASS32;
	s->buf[EI_DATA] = s->msb ? ELFDATA2MSB : ELFDATA2LSB;
	s->buf[EI_VERSION] = EV_CURRENT;
	s->at = EI_NIDENT;
	put_n(s, ET_EXEC, 2);
	put_n(s, s->machine, 2);
	put_n(s, EV_CURRENT, 4);
	put_addr(s, SYNTH_TEXT);
	put_addr(s, s->is_64 ? 64 : 52);
	put_addr(s, shoff);
	put_n(s, 0, 4);
	put_n(s, s->is_64 ? 64 : 52, 2);
	put_n(s, s->is_64 ? 56 : 32, 2);
	put_n(s, phnum, 2);
	put_n(s, shnum ? (s->is_64 ? 64 : 40) : 0, 2);
	put_n(s, shnum, 2);
	put_n(s, shnum ? 1 : 0, 2);
}

/* Close the file; its length. */
static inline size_t synth_end(struct synth *s)
{
	static const char names[] = "\0.shstrtab\0.stapsdt.base\0.note.stapsdt";
	size_t names_at, shoff, second = s->second ? s->second : s->notes_end;
	size_t shnum = 0, end = 0x1000;

	s->at = names_at = end;
	memcpy(s->buf + s->at, names, sizeof(names));
	s->at = shoff = end + 0x40;
	if (!s->no_sections) {
		synth_shdr(s, 0, SHT_NULL, 0, 0, 0);
		synth_shdr(s, 1, SHT_STRTAB, 0, names_at, sizeof(names));
		shnum = 2;
		if (s->base) {
			synth_shdr(s, 11, SHT_PROGBITS, s->base, 0x740, 1);
			shnum++;
		}
		if (!s->no_note_section) {
			synth_shdr(s, 25, SHT_NOTE, 0, SYNTH_NOTES,
				   second - SYNTH_NOTES);
			shnum++;
		}
		if (s->second) {
			synth_shdr(s, 25, SHT_NOTE, 0, second,
				   s->notes_end - second);
			shnum++;
		}
	}
	end = s->at;
	synth_ehdr(s, s->pt_note ? 3 : 2, s->no_sections ? 0 : shoff, shnum);
	s->at = s->is_64 ? 64 : 52;
	synth_phdr(s, PT_LOAD, PF_R | PF_X, SYNTH_TEXT_OFF, SYNTH_TEXT,
		   SYNTH_LEN);
	synth_phdr(s, PT_LOAD, PF_R | PF_W, SYNTH_DATA_OFF, SYNTH_DATA,
		   SYNTH_LEN);
	synth_phdr(s, PT_NOTE, PF_R, SYNTH_NOTES, 0,
		   s->notes_end - SYNTH_NOTES);
	return end;
}

#endif /* PT_TEST_ELF_SYNTH_H */
