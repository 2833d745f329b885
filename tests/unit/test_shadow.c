/* SPDX-License-Identifier: MIT */
/*
 * shadow: each rule by a case, and random programs whose stack is known.
 *
 * A case is a script, a word a record, all of one thread:
 *
 *	+F<C	PT_CALL of frame F (a letter, also its code) from C (0: none)
 *	-F	PT_RETURN		*F	PT_CALL_MAKES of F
 *	=ABC	PT_SEED, outermost first (a small letter: linked)
 *	then flags, each a letter: r resumed, t thrown, g generator, y yielded,
 *	x raised, ? loose, e exact, b unbegun; and of a seed /N: so many were lost, !N: so many
 *	outer frames are left out, and the walk went no further
 *
 * and so is what comes of it: +F, with its begin behind (r, t, s: seeded), -F with
 * its end (y, x, u: unfinished), *F; then, behind a bar, the stack.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/record.h"
#include "stack/shadow.h"

#define TID 7
#define PROC 1

static struct recbuf buf;
static uint64_t now;
static const struct shadow_opts with_stacks = { .begin_stacks = true,
						.end_stacks = true };

/* Where the frame of a letter is, and what its code object is. */
static uint64_t frame_of(char c)
{
	return c == '0' ? 0 : 0x1000 + 16 * (uint64_t)(unsigned char)toupper(c);
}

static void set_head(struct pt_hdr *h, uint32_t flags)
{
	h->t = now += 10;
	h->pid = h->tid = TID;
	h->proc = PROC;
	h->flags = flags;
}

static const struct pt_hdr *make_call(uint64_t frame, uint64_t caller,
				      uint64_t code, uint32_t flags)
{
	struct pt_call *rec = recbuf_begin(&buf, PT_CALL);

	set_head(&rec->h, flags);
	rec->frame = frame;
	rec->caller = caller;
	rec->code = code;
	return recbuf_end(&buf);
}

static const struct pt_hdr *make_return(uint64_t frame, uint64_t code,
					uint32_t flags)
{
	struct pt_return *rec = recbuf_begin(&buf, PT_RETURN);

	set_head(&rec->h, flags);
	rec->frame = frame;
	rec->code = code;
	return recbuf_end(&buf);
}

/* ---- cases -------------------------------------------------------------------- */

static uint32_t flags_of(const char *word)
{
	uint32_t flags = 0;

	for (; *word && *word != '/'; word++) {
		flags |= *word == 'r' ? PT_CALL_RESUMED : 0;
		flags |= *word == 't' ? PT_CALL_THROWN : 0;
		flags |= *word == '?' ? PT_CALL_LOOSE : 0;
		flags |= *word == 'g' ? PT_CALL_GENERATOR : 0;
		flags |= *word == 'y' ? PT_RETURN_YIELDED : 0;
		flags |= *word == 'x' ? PT_RETURN_RAISED : 0;
	}
	return flags;
}

static uint32_t exact(const char *word, uint32_t flag)
{
	return strchr(word, 'e') ? flag : 0;
}

static const struct pt_hdr *make_seed(const char *frames)
{
	const char *lost = strchr(frames, '/'), *less = strchr(frames, '!');
	size_t nr = strcspn(frames, "/!");
	struct pt_seed *rec = recbuf_begin(&buf, PT_SEED);

	set_head(&rec->h, 0);
	rec->lost = lost ? strtoull(lost + 1, NULL, 10) : 0;
	rec->omitted = less ? (uint32_t)strtoul(less + 1, NULL, 10) : 0;
	rec->why = less ? PT_WHY_TOO_DEEP : PT_WHY_NONE;
	while (nr--) {
		const struct pt_seed_frame f = {
			.frame = frame_of(frames[nr]),
			.code = frame_of(frames[nr]),
			.flags = islower((unsigned char)frames[nr]) ?
				 PT_SEED_SUSPENDED : 0,
		};

		recbuf_seed_frame(&buf, &f);
	}
	return recbuf_end(&buf);
}

static const struct pt_hdr *make(const char *word)
{
	uint64_t frame = frame_of(word[1]);

	switch (word[0]) {
	case '+':
		return make_call(frame, frame_of(word[3]), frame,
				 flags_of(word + 4) |
				 exact(word, PT_CALL_EXACT));
	case '*':
		return make_call(frame, frame_of(word[3]), frame,
				 PT_CALL_MAKES | PT_CALL_GENERATOR);
	case '-':
		return make_return(frame, frame, flags_of(word + 2) |
				   (strchr(word, 'b') ? PT_RETURN_UNBEGUN : 0) |
				   exact(word, PT_RETURN_EXACT));
	case '=':
		return make_seed(word + 1);
	default:
		fail_msg("no such record: %s", word);
		return NULL;
	}
}

static void put_steps(FILE *out, const struct shadow *s)
{
	static const char begins[] = " rts", ends[] = " yxu";
	size_t nr;
	const struct step *step = shadow_steps(s, &nr);

	for (size_t i = 0; i < nr; i++, step++) {
		char c = (char)((step->code - 0x1000) / 16);
		char how = step->kind == STEP_BEGIN ? begins[step->begin] :
			   step->kind == STEP_END ? ends[step->end] : ' ';

		fprintf(out, "%c%c", "+-*"[step->kind], step->code ? c : '?');
		if (how != ' ')
			putc(how, out);
		putc(' ', out);
	}
}

static void put_stack(FILE *out, const struct shadow *s)
{
	struct shadow_stack st;

	fputs("| ", out);
	if (!shadow_stack(s, TID, &st)) {
		fputs("unknown", out);
		return;
	}
	if (st.open)
		putc('.', out);
	for (uint32_t i = st.nr; i--;) {
		struct shadow_frame f = shadow_at(s, TID, i);
		char c = f.code ? (char)((f.code - 0x1000) / 16) : '?';

		putc(f.linked ? tolower((unsigned char)c) : c, out);
	}
}

static const struct {
	const char *name, *script, *out;
} cases[] = {
	{ "calls nest", "=A +B<A +C<B -C -B",
	  "+As +B +C -C -B | A" },
	{ "an exception ends what it leaves", "+A<0 +B<A -Bx -A",
	  "+A +B -Bx -A | " },
	{ "a return that was not seen", "+A<0 +B<A +C<B -A",
	  "+A +B +C -Cu -Bu -A | " },
	{ "a return that was not seen, found by a call", "+A<0 +B<A +C<A",
	  "+A +B -Bu +C | AC" },
	{ "what returns without a call never ran", "+A<0 -I +B<A",
	  "+A +B | AB" },
	{ "a generator runs, yields, is resumed, returns",
	  "+A<0 *G<A +G<Ag -Ggy +G<Agr -Gg",
	  "+A *G +G -Gy +Gr -G | A" },
	{ "thrown into a generator, with a call", "+A<0 +G<Ag -Ggy +G<Agt -Ggx",
	  "+A +G -Gy +Gt -Gx | A" },
	{ "thrown into, without a call: it returns",
	  "+A<0 +G<Ag -Ggy -Ggx +B<A", "+A +G -Gy +Gt -Gx +B | AB" },
	{ "thrown into, without a call: it calls",
	  "+A<0 +G<Ag -Ggy +H<G -H -Ggy", "+A +G -Gy +Gt +H -H -Gy | A" },
	{ "thrown into before it was seen: it returns", "=A -Ggx",
	  "+As +Gt -Gx | A" },
	{ "an exception passes a generator that delegates",
	  "+A<0 +G<Ag +H<Gg -Hgy -Ggy +H<Ggt -Hgx +G<Agt -Ggx",
	  "+A +G +H -Hy -Gy +Ht -Hx +Gt -Gx | A" },
	{ "... and is caught before it comes there",
	  "+A<0 +G<Ag +H<Gg -Hgy -Ggy +H<Ggt -Hgy +B<A",
	  "+A +G +H -Hy -Gy +Ht -Hy +B | AB" },
	{ "... which is on no stack when that is over",
	  "+A<0 +G<Ag +H<Gg -Hgy -Ggy +H<Ggt -Hgy",
	  "+A +G +H -Hy -Gy +Ht -Hy | A" },
	{ "... and whose caller is not known", "+A<0 +H<Qgt", "+A +Ht | AH" },
	{ "what was resumed and has returned is suspended no more",
	  "+A<0 +G<Ag -Ggy +G<Agr -Gg +B<G",
	  "+A +G -Gy +Gr -G +?s +B | .?B" },
	{ "... and it runs after all", "+A<0 +G<Ag +H<Gg -Hgy -Ggy +H<Ggt +B<G",
	  "+A +G +H -Hy -Gy +Ht -Hu +Gt +B | AGB" },
	{ "... whose frame is not linked to who throws",
	  "+A<0 +G<Ag +H<Gg -Hgy -Ggy +H<0gt +B<H -B -Hgy +B<A",
	  "+A +G +H -Hy -Gy +Ht +B -B -Hy +B | AB" },
	{ "a seed has one that is linked", "=AgH -Hgx +B<A",
	  "+As +Hs -Hx +B | AB" },
	{ "... and is suspended when that is over", "=AgH -Hgx +B<G",
	  "+As +Hs -Hx +Gt +B | AGB" },
	{ "a seed in which what ran is only linked", "+A<0 +G<Ag =Ag/3",
	  "+A +G -Gu | Ag" },
	{ "greenlets are stacks of their own",
	  "+A<0 +B<A +X<0 +Y<X +C<B -C +Z<Y -Z -Y -X -B",
	  "+A +B +X +Y +C -C +Z -Z -Y -X -B | A" },
	{ "one ends, and it is not known which runs", "+A<0 +X<0 -X",
	  "+A +X -X | unknown" },
	{ "a caller that is not known has callers that are not",
	  "+A<0 +B<A +Y<X -Y -X -B", "+A +B +?s +Y -Y -X -B | A" },
	{ "... while it runs", "+A<0 +Y<X", "+A +?s +Y | .?Y" },
	{ "a caller that could not be read", "+A<0 +B<0? +C<B -B",
	  "+A +B +C -Cu -B | A" },
	{ "a frame's address is used again", "+A<0 +B<A +C<B +D<C +B<D",
	  "+A +B +C +D -Bu +B | ACDB" },
	{ "... of a stack that is aside: what was above it has ended, too",
	  "+A<0 +B<A +C<B +X<0 +B<X -B +D<A",
	  "+A +B +C +X -Cu -Bu +B -B +D | AD" },
	{ "... of all of that stack", "+A<0 +B<A +X<0 +A<X -A -X +B<0",
	  "+A +B +X -Bu -Au +A -A -X +B | B" },
	{ "... in a seed", "+A<0 +B<A +X<0 =XB/1", "+A +B +X -Bu +Bs | XB" },
	{ "a seed after a loss", "=AB +C<B =ABD/4 -D",
	  "+As +Bs +C -Cu +Ds -D | AB" },
	{ "a seed in between", "=AC =ABC/1", "+As +Cs +Bs | ABC" },
	{ "a seed of another stack", "=AB =XY/9", "+As +Bs -Bu -Au +Xs +Ys | XY" },
	{ "a seed without frames", "=AB =/9", "+As +Bs -Bu -Au | " },
	{ "a seed of a greenlet", "+A<0 +X<0 +Y<X =AB/2 -B +Z<Y",
	  "+A +X +Y +Bs -B +Z | XYZ" },
	{ "a seed of a greenlet that was not known", "+A<0 +X<0 =YZ/3 +B<X",
	  "+A +X +Ys +Zs +B | XB" },
	{ "exact: what is told twice is told once",
	  "+A<0e +B<Ae +B<Ae -Be +B<Ae -Be", "+A +B -B +B -B | A" },
	{ "exact: a frame's address is used again by another function",
	  "+A<0e +B<Ae -Be +B<Ae -Be -Ae", "+A +B -B +B -B -A | " },
	{ "exact: a generator is resumed, and that is told twice",
	  "+A<0e +G<Age -Ggye +G<Agre +G<Agre -Ggye",
	  "+A +G -Gy +Gr -Gy | A" },
	{ "exact: a generator that could not be resumed was not",
	  "+A<0e +G<Age -Ggye -Ggxe +B<Ae", "+A +G -Gy +B | AB" },
	{ "a frame is on a seed once", "=ABA", "+As +Bs | AB" },
};

static void run_case(size_t nr)
{
	char script[256], *word, *save = NULL, *is = NULL;
	struct shadow *s;
	size_t len;
	FILE *out = open_memstream(&is, &len);

	assert_non_null(out);
	now = 0;
	assert_int_equal(shadow_new(&s, &with_stacks), 0);
	snprintf(script, sizeof(script), "%s", cases[nr].script);
	for (word = strtok_r(script, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		assert_int_equal(shadow_feed(s, make(word)), 0);
		assert_true(shadow_sane(s));
		put_steps(out, s);
	}
	put_stack(out, s);
	fclose(out);
	if (strcmp(is, cases[nr].out))
		fail_msg("%s:\n%s\nis\t%s\nnot\t%s", cases[nr].name,
			 cases[nr].script, is, cases[nr].out);
	free(is);
	shadow_free(s);
}

static void rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		run_case(i);
}

static const struct step *feed(struct shadow *s, const char *word, size_t i)
{
	const struct step *steps;
	size_t nr;

	assert_int_equal(shadow_feed(s, make(word)), 0);
	steps = shadow_steps(s, &nr);
	assert_true(i < nr);
	return &steps[i];
}

/* A return that is left out on purpose, again and again. */
static void drift_is_seen(void **state)
{
	const struct shadow_drift *drift;
	struct shadow *s;

	(void)state;
	assert_int_equal(shadow_new(&s, NULL), 0);
	feed(s, "+A<0e", 0);
	for (int i = 0; i < SHADOW_MAX_DRIFT; i++) {
		feed(s, "+B<Ae", 0);
		feed(s, "+C<Ae", 0);		/* B has ended unseen */
		feed(s, "-Ce", 0);
		assert_null(shadow_drift(s));
	}
	/* what is seeded is known again */
	assert_int_equal(shadow_feed(s, make("=A")), 0);
	for (int i = 0; i < SHADOW_MAX_DRIFT + 1; i++) {
		assert_null(shadow_drift(s));
		feed(s, "+B<Ae", 0);
		feed(s, "+C<Ae", 0);
		feed(s, "-Ce", 0);
	}
	drift = shadow_drift(s);
	assert_non_null(drift);
	assert_int_equal(drift->tid, TID);
	assert_int_equal(drift->frames, SHADOW_MAX_DRIFT + 1);
	shadow_free(s);
	/* ends without begins: code that a just-in-time compiler made */
	assert_int_equal(shadow_new(&s, NULL), 0);
	feed(s, "+A<0e", 0);
	for (int i = 0; i < 4 * SHADOW_MAX_STRAYS; i++)
		assert_int_equal(shadow_feed(s, make("-Beb")), 0);
	assert_null(shadow_drift(s));		/* these never began */
	for (int i = 0; i < SHADOW_MAX_STRAYS; i++) {
		assert_int_equal(shadow_feed(s, make("-Be")), 0);
		assert_null(shadow_drift(s));
	}
	feed(s, "+B<Ae", 0);
	feed(s, "-Be", 0);
	assert_int_equal(shadow_feed(s, make("-Be")), 0);
	assert_non_null(shadow_drift(s));
	shadow_free(s);
	/* probes that are known to be silent at times may be */
	assert_int_equal(shadow_new(&s, NULL), 0);
	feed(s, "+A<0", 0);
	for (int i = 0; i < 4 * SHADOW_MAX_DRIFT; i++) {
		feed(s, "+B<A", 0);
		feed(s, "+C<A", 0);
		feed(s, "-C", 0);
	}
	assert_null(shadow_drift(s));
	shadow_free(s);
}

/* Records are 10 ns apart. */
static void times_and_what_was_done(void **state)
{
	const struct step *step;
	struct shadow *s;

	(void)state;
	now = 0;
	assert_int_equal(shadow_new(&s, NULL), 0);
	feed(s, "=A", 0);
	feed(s, "+B<A", 0);			/* 20 */
	shadow_off(s, TID, 3, 4);
	shadow_syscall(s, TID, 5);
	step = feed(s, "+B<B", 0);		/* 30: the same frame again */
	assert_int_equal(step->kind, STEP_END);
	assert_int_equal(step->end, END_UNFINISHED);
	feed(s, "+C<B", 0);			/* 40 */
	shadow_fault(s, TID, true);
	shadow_fault(s, TID, false);
	step = feed(s, "-C", 0);		/* 50 */
	assert_int_equal(step->t - step->begin_t, 10);
	assert_int_equal(step->inside.faults, 2);
	assert_int_equal(step->inside.majors, 1);
	assert_int_equal(step->inside.syscalls, 0);
	assert_int_equal(step->depth, 2);
	assert_false(step->late || step->gap || step->recursive);
	step = feed(s, "-B", 0);		/* 60 */
	assert_int_equal(step->t - step->begin_t, 30);
	assert_int_equal(step->child_ns, 10);
	step = feed(s, "-A", 0);		/* 70 */
	assert_true(step->late);
	assert_int_equal(step->begin, BEGIN_SEEDED);
	assert_int_equal(step->t - step->begin_t, 60);
	assert_int_equal(step->child_ns, 30);
	assert_int_equal(step->inside.off_ns[3], 4);
	assert_int_equal(step->inside.syscalls, 1);
	assert_int_equal(step->inside.sys_ns, 5);
	feed(s, "+G<0g", 0);			/* 80 */
	feed(s, "-Ggy", 0);			/* 90 */
	now += 100;
	step = feed(s, "+G<0gr", 0);		/* 200 */
	assert_true(step->suspended);
	assert_int_equal(step->suspended_ns, 110);
	feed(s, "+B<G", 0);			/* 210 */
	feed(s, "+C<B", 0);
	feed(s, "-C", 0);			/* 230: B's last sign of life */
	now += 100;
	step = feed(s, "+C<G", 0);
	assert_int_equal(step->end, END_UNFINISHED);
	assert_int_equal(step->t, 230);
	shadow_free(s);
}

static void what_a_greenlet_did_is_its_own(void **state)
{
	const struct step *step;
	struct shadow *s;

	(void)state;
	now = 0;
	assert_int_equal(shadow_new(&s, NULL), 0);
	feed(s, "+A<0", 0);		/* 10 */
	feed(s, "+X<0", 0);		/* 20 */
	shadow_off(s, TID, 1, 7);
	step = feed(s, "-A", 0);	/* 30 */
	assert_int_equal(step->inside.off_ns[1], 0);
	assert_int_equal(step->inside.aside_ns, 10);
	step = feed(s, "-X", 0);	/* 40 */
	assert_int_equal(step->inside.off_ns[1], 7);
	assert_int_equal(step->inside.aside_ns, 10);
	shadow_free(s);
}

/* A loss of fewer records than the way out and in again takes changes nothing. */
static void a_gap_is_marked(void **state)
{
	const struct step *step;
	struct shadow *s;

	(void)state;
	now = 0;
	assert_int_equal(shadow_new(&s, NULL), 0);
	feed(s, "=ABCD", 3);
	assert_int_equal(shadow_feed(s, make("=ABC/5")), 0);
	step = feed(s, "-C", 0);	/* 2 out, 1 in again */
	assert_true(step->gap);
	step = feed(s, "-B", 0);	/* 3 and 2: 5 */
	assert_true(step->gap);
	step = feed(s, "-A", 0);	/* 4 and 3 */
	assert_false(step->gap);
	shadow_free(s);
}

/* Its outer frames may not be in it: what was there stays. */
static void seeds_leave_out(void **state)
{
	struct shadow_stack st;
	const struct step *step;
	struct shadow *s;

	(void)state;
	assert_int_equal(shadow_new(&s, &with_stacks), 0);
	feed(s, "=A!5", 0);
	step = feed(s, "+B<A", 0);
	assert_int_equal(step->depth, 6);
	assert_int_equal(step->omitted, 5);
	assert_true(shadow_stack(s, TID, &st));
	assert_int_equal(st.omitted, 5);
	assert_true(st.open);
	feed(s, "-A", 1);
	feed(s, "+B<0", 0);		/* from nowhere: all of it is known */
	assert_true(shadow_stack(s, TID, &st));
	assert_int_equal(st.omitted, 0);
	assert_false(st.open);
	feed(s, "=BCDE", 0);
	assert_int_equal(shadow_feed(s, make("=DE!2")), 0);
	shadow_steps(s, &(size_t){ 0 });
	assert_true(shadow_stack(s, TID, &st));
	assert_int_equal(st.nr, 4);
	assert_int_equal(st.omitted, 0);
	assert_false(st.open);
	shadow_free(s);
}

/* What an exception passes does not run: it calls nobody, and takes no time. */
static void what_is_linked_does_not_run(void **state)
{
	const struct step *step;
	struct shadow *s;
	uint64_t id;

	(void)state;
	now = 0;
	assert_int_equal(shadow_new(&s, NULL), 0);
	id = feed(s, "+A<0", 0)->id;		/* 10 */
	feed(s, "+G<Ag", 0);
	feed(s, "+H<Gg", 0);
	feed(s, "-Hgy", 0);			/* 40 */
	feed(s, "-Ggy", 0);			/* 50: 30 of G */
	/* H's own code is that of G, now */
	assert_int_equal(shadow_feed(s, make_call(frame_of('H'), frame_of('G'),
		frame_of('G'), PT_CALL_GENERATOR | PT_CALL_THROWN)), 0);
	step = shadow_steps(s, &(size_t){ 0 });
	assert_int_equal(step->parent, id);
	assert_false(step->recursive);
	assert_false(step->suspended);		/* that was another code's */
	assert_int_equal(shadow_feed(s, make_return(frame_of('H'), 0,
						    PT_RETURN_GENERATOR)), 0);
	step = feed(s, "-A", 0);		/* 80: 10 of H */
	assert_int_equal(step->child_ns, 40);
	/* an address of a generator that is called anew was not suspended */
	feed(s, "+G<0g", 0);
	feed(s, "-Ggy", 0);
	step = feed(s, "+G<0g", 0);
	assert_int_equal(step->begin, BEGIN_ENTRY);
	assert_false(step->suspended);
	shadow_free(s);
}

static void names_alone(void **state)
{
	struct shadow *s;
	struct shadow_stack st;
	size_t nr;

	(void)state;
	assert_int_equal(shadow_new(&s, NULL), 0);
	for (uint64_t code = 1; code <= 3; code++)
		assert_int_equal(shadow_feed(s, make_call(0, 0, code, 0)), 0);
	assert_int_equal(shadow_feed(s, make_call(0, 0, 2, 0)), 0);
	assert_true(shadow_stack(s, TID, &st));
	assert_int_equal(st.nr, 4);
	/* the innermost of that name, and what is above one that is below */
	assert_int_equal(shadow_feed(s, make_return(0, 2, 0)), 0);
	assert_int_equal(shadow_feed(s, make_return(0, 9, 0)), 0);
	assert_int_equal(shadow_feed(s, make_return(0, 2, 0)), 0);
	shadow_steps(s, &nr);
	assert_int_equal(nr, 2);
	assert_int_equal(shadow_totals(s)->leaked, 1);
	assert_int_equal(shadow_totals(s)->ignored, 1);
	assert_true(shadow_stack(s, TID, &st));
	assert_int_equal(st.nr, 1);
	shadow_free(s);
}

static const struct pt_hdr *other(uint16_t type)
{
	struct pt_hdr *h = recbuf_begin(&buf, type);

	set_head(h, 0);
	return recbuf_end(&buf);
}

static void threads_end(void **state)
{
	const struct step *step;
	struct pt_thread *th;
	struct pt_fork *fork;
	struct shadow_stack st;
	struct shadow *s;
	size_t nr;

	(void)state;
	now = 0;
	assert_int_equal(shadow_new(&s, NULL), 0);
	/* by their exit, when what runs is over; and what is aside */
	feed(s, "+C<0", 0);
	feed(s, "+A<0", 0);
	feed(s, "+B<A", 0);
	assert_int_equal(shadow_feed(s, other(PT_EXIT)), 0);
	step = shadow_steps(s, &nr);
	assert_int_equal(nr, 3);
	assert_int_equal(step[2].code, frame_of('C'));
	assert_int_equal(step[2].t, 10);
	feed(s, "=AB", 1);
	assert_int_equal(shadow_feed(s, other(PT_EXIT)), 0);
	step = shadow_steps(s, &nr);
	assert_int_equal(nr, 2);
	assert_int_equal(step[1].end, END_UNFINISHED);
	assert_int_equal(step[1].t, now);
	assert_false(shadow_stack(s, TID, &st));
	/* by another one of that id, by a fork, by an exec, by the end */
	feed(s, "=AB", 1);
	for (uint64_t start = 5; start <= 6; start++) {
		th = recbuf_begin(&buf, PT_THREAD);
		set_head(&th->h, 0);
		th->start_ns = start;
		assert_int_equal(shadow_feed(s, recbuf_end(&buf)), 0);
		assert_int_equal(shadow_stack(s, TID, &st), start == 5);
	}
	feed(s, "=AB", 1);
	feed(s, "+C<B", 0);
	feed(s, "-C", 0);
	fork = recbuf_begin(&buf, PT_FORK);
	set_head(&fork->h, 0);
	fork->h.tid = 1;
	fork->child_tid = TID;
	assert_int_equal(shadow_feed(s, recbuf_end(&buf)), 0);
	step = shadow_steps(s, &nr);
	assert_int_equal(nr, 2);
	assert_int_equal(step->t, now - 10);	/* its last sign of life */
	feed(s, "=AB", 1);
	recbuf_begin(&buf, PT_EXEC);
	set_head((void *)buf.bytes, 0);
	recbuf_string(&buf, "/bin/true");
	assert_int_equal(shadow_feed(s, recbuf_end(&buf)), 0);
	assert_false(shadow_stack(s, TID, &st));
	feed(s, "=AB", 1);
	assert_int_equal(shadow_feed(s, other(PT_END)), 0);
	shadow_steps(s, &nr);
	assert_int_equal(nr, 2);
	/* and time never goes back */
	feed(s, "=A", 0);
	now = 1;
	step = feed(s, "-A", 0);
	assert_true(step->t >= step->begin_t);
	shadow_free(s);
}

static void feed_of(struct shadow *s, uint32_t pid, uint32_t tid, uint32_t proc)
{
	struct pt_call *rec = recbuf_begin(&buf, PT_CALL);

	set_head(&rec->h, 0);
	rec->h.pid = pid;
	rec->h.tid = tid;
	rec->h.proc = proc;
	rec->frame = rec->code = 0x5000;
	assert_int_equal(shadow_feed(s, recbuf_end(&buf)), 0);
}

static void processes_are_told_apart(void **state)
{
	struct shadow_stack st;
	const struct step *step;
	struct shadow *s;
	size_t nr;

	(void)state;
	assert_int_equal(shadow_new(&s, NULL), 0);
	feed(s, "+A<0", 0);
	feed_of(s, 2, 9, 2);
	recbuf_begin(&buf, PT_EXEC);
	set_head((void *)buf.bytes, 0);
	recbuf_string(&buf, "/bin/true");
	assert_int_equal(shadow_feed(s, recbuf_end(&buf)), 0);
	assert_false(shadow_stack(s, TID, &st));
	assert_true(shadow_stack(s, 9, &st));
	/* an exec that was not seen */
	feed_of(s, 2, 9, 3);
	step = shadow_steps(s, &nr);
	assert_int_equal(nr, 2);
	assert_int_equal(step[0].kind, STEP_END);
	assert_int_equal(step[0].proc, 2);
	assert_int_equal(step[1].proc, 3);
	assert_true(shadow_stack(s, 9, &st));
	assert_int_equal(st.nr, 1);
	shadow_free(s);
}

/* Of too many, that is given up which has shown nothing for longest. */
static void memory_has_bounds(void **state)
{
	struct shadow_stack st;
	const struct step *step;
	struct shadow *s;
	size_t nr;

	(void)state;
	now = 0;
	assert_int_equal(shadow_new(&s, &with_stacks), 0);
	for (uint64_t i = 1; i <= SHADOW_MAX_ASIDE + 1; i++)
		assert_int_equal(shadow_feed(s, make_call(64 * i, 0, i, 0)), 0);
	assert_int_equal(shadow_totals(s)->given_up, 0);
	assert_int_equal(shadow_feed(s, make_call(16, 64 * 2, 9, 0)), 0);
	assert_int_equal(shadow_feed(s, make_call(8, 0, 9, 0)), 0);
	step = shadow_steps(s, &nr);
	assert_int_equal(shadow_totals(s)->given_up, 1);
	assert_int_equal(step[0].kind, STEP_END);
	assert_int_equal(step[0].code, 1);
	assert_int_equal(step[0].t, 10);
	assert_true(shadow_sane(s));
	/* a stack of its own is not made for each of thousands that end */
	feed(s, "=A", 0);
	for (uint64_t i = 1; i <= 300; i++)
		assert_int_equal(shadow_feed(s, make_call(0x90000 + 64 * i,
			i == 1 ? frame_of('A') : 0x90000 + 64 * (i - 1), i,
			0)), 0);
	feed(s, "-A", 300);
	step = shadow_steps(s, &nr);
	assert_int_equal(step[0].nr_codes, 301);
	assert_int_equal(step[300].nr_codes, 0);
	feed(s, "+A<0", 0);
	nr = shadow_totals(s)->given_up;
	for (uint32_t tid = 10; tid < 10 + SHADOW_MAX_THREADS - 1; tid++)
		feed_of(s, 2, tid, 2);
	assert_true(shadow_stack(s, TID, &st));
	feed_of(s, 2, 10, 2);
	feed_of(s, 2, 8, 2);
	assert_false(shadow_stack(s, TID, &st));
	feed_of(s, 2, 9, 2);
	assert_true(shadow_stack(s, 10, &st));
	assert_false(shadow_stack(s, 11, &st));
	assert_int_equal(shadow_totals(s)->given_up, nr + 2);
	shadow_free(s);
}

static void deep_stacks_are_cut(void **state)
{
	struct shadow *s;
	struct shadow_stack st;
	uint64_t frame = 0, nr = SHADOW_MAX_DEPTH + 100;

	(void)state;
	assert_int_equal(shadow_new(&s, &with_stacks), 0);
	for (uint64_t i = 0; i < nr; i++, frame += 64)
		assert_int_equal(shadow_feed(s, make_call(frame + 64, frame, 5,
							  0)), 0);
	assert_true(shadow_sane(s));
	assert_true(shadow_stack(s, TID, &st));
	assert_int_equal(st.nr, SHADOW_MAX_DEPTH);
	assert_int_equal(shadow_totals(s)->cut, 100);
	for (; frame; frame -= 64)
		assert_int_equal(shadow_feed(s, make_return(frame, 0, 0)), 0);
	assert_true(shadow_stack(s, TID, &st));
	assert_int_equal(st.nr, 0);
	assert_int_equal(shadow_totals(s)->leaked, 0);
	shadow_free(s);
}

static void steps_have_their_stack(void **state)
{
	const struct step *step;
	const uint64_t *codes;
	struct shadow *s;

	(void)state;
	assert_int_equal(shadow_new(&s, &with_stacks), 0);
	feed(s, "=ABC", 2);
	step = feed(s, "-B", 0);	/* C is unfinished, then B */
	codes = shadow_step_codes(s, step);
	assert_int_equal(step->nr_codes, 3);
	assert_int_equal(codes[0], frame_of('C'));
	assert_int_equal(codes[2], frame_of('A'));
	codes = shadow_step_codes(s, step + 1);
	assert_int_equal(step[1].nr_codes, 2);
	assert_int_equal(codes[0], frame_of('B'));
	shadow_free(s);
}

/* ---- random programs -------------------------------------------------------- */

#define MAX_DEPTH 40
#define GENERATORS 24
#define GREENLETS 4

struct mframe {
	uint64_t frame, code;
	int gen;		/* -1: a function */
};

struct mgen {
	uint64_t frame, code;
	bool alive, started, running;
};

/* A true program of one thread, and what it should have shown. */
static struct {
	struct mframe st[GREENLETS][MAX_DEPTH];
	int nr[GREENLETS], at;
	struct mgen gen[GENERATORS];
	bool new_style;		/* 3.15: throws without a call, MAKES */
	uint64_t returned;	/* code of what returned last */
	char want[1 << 16], is[1 << 16];
	size_t want_len, is_len;
} m;

static uint64_t seed_state;

static uint32_t rnd(uint32_t n)
{
	seed_state ^= seed_state << 13;
	seed_state ^= seed_state >> 7;
	seed_state ^= seed_state << 17;
	return (uint32_t)(seed_state >> 11) % n;
}

static void note_want(char kind, uint64_t frame, uint64_t code, char how)
{
	m.want_len += (size_t)snprintf(m.want + m.want_len,
		sizeof(m.want) - m.want_len, "%c%llx:%llx%c ", kind,
		(unsigned long long)frame, (unsigned long long)code, how);
}

static struct mframe *top(void)
{
	return m.nr[m.at] ? &m.st[m.at][m.nr[m.at] - 1] : NULL;
}

static uint64_t caller(void)
{
	return top() ? top()->frame : 0;
}

static void model_push(uint64_t frame, uint64_t code, int gen)
{
	m.st[m.at][m.nr[m.at]++] = (struct mframe){ frame, code, gen };
}

/* Frames of functions are where the data stack has room: used again at once. */
static const struct pt_hdr *do_call(void)
{
	uint64_t frame = 0x10000 + (uint64_t)m.at * 0x1000 +
			 (uint64_t)m.nr[m.at] * 32;
	uint64_t code = 1 + rnd(5), from = caller();

	note_want('+', frame, code, ' ');
	model_push(frame, code, -1);
	return make_call(frame, from, code, 0);
}

static const struct pt_hdr *do_return(void)
{
	struct mframe f = m.st[m.at][m.nr[m.at] - 1];
	bool yields = f.gen >= 0 && rnd(3), raises = !yields && !rnd(3);

	m.nr[m.at]--;
	if (f.gen >= 0) {
		m.gen[f.gen].running = false;
		m.gen[f.gen].started = true;
		m.gen[f.gen].alive = yields;
	}
	note_want('-', f.frame, f.code, yields ? 'y' : raises ? 'x' : ' ');
	m.returned = f.code;
	return make_return(f.frame, rnd(2) ? f.code : 0,
			   (yields ? PT_RETURN_YIELDED : 0) |
			   (raises ? PT_RETURN_RAISED : 0) |
			   (f.gen >= 0 ? PT_RETURN_GENERATOR : 0));
}

static int pick_gen(bool alive)
{
	int from = (int)rnd(GENERATORS);

	for (int i = 0; i < GENERATORS; i++) {
		int g = (from + i) % GENERATORS;

		if (m.gen[g].alive == alive && !m.gen[g].running)
			return g;
	}
	return -1;
}

/* Its address may be that of one that died. */
static const struct pt_hdr *do_make(void)
{
	int g = pick_gen(false);

	if (g < 0)
		return NULL;
	m.gen[g] = (struct mgen){
		.frame = 0x900000 + (uint64_t)g * 64, .code = 100 + rnd(5),
		.alive = true,
	};
	if (!m.new_style)
		return NULL;
	note_want('*', 0, m.gen[g].code, ' ');
	return make_call(0x8888, caller(), m.gen[g].code,
			 PT_CALL_MAKES | PT_CALL_GENERATOR);
}

static const struct pt_hdr *do_resume(void)
{
	uint64_t from = caller();
	int g = pick_gen(true);

	if (g < 0)
		return NULL;
	m.gen[g].running = true;
	note_want('+', m.gen[g].frame, m.gen[g].code,
		  m.gen[g].started ? 'r' : ' ');
	model_push(m.gen[g].frame, m.gen[g].code, g);
	return make_call(m.gen[g].frame, from, m.gen[g].code,
			 PT_CALL_GENERATOR |
			 (m.gen[g].started ? PT_CALL_RESUMED : 0));
}

static const struct pt_hdr *do_throw(void)
{
	uint64_t from = caller();
	int g = pick_gen(true);

	if (g < 0)
		return NULL;
	m.gen[g].running = true;
	note_want('+', m.gen[g].frame, m.gen[g].code, 't');
	model_push(m.gen[g].frame, m.gen[g].code, g);
	if (!m.new_style)
		return make_call(m.gen[g].frame, from, m.gen[g].code,
				 PT_CALL_GENERATOR | PT_CALL_THROWN);
	if (!m.gen[g].started || rnd(2)) {	/* it ends at once */
		m.nr[m.at]--;
		m.gen[g].running = m.gen[g].alive = false;
		note_want('-', m.gen[g].frame, m.gen[g].code, 'x');
		m.returned = m.gen[g].code;
		return make_return(m.gen[g].frame, m.gen[g].code,
				   PT_RETURN_GENERATOR | PT_RETURN_RAISED);
	}
	return do_call();			/* its handler calls */
}

/* Closed without a word, or another greenlet's turn. */
static const struct pt_hdr *do_silent(void)
{
	int g = pick_gen(true);

	if (g >= 0 && rnd(2))
		m.gen[g].alive = false;
	return NULL;
}

static const struct pt_hdr *do_switch(void)
{
	m.at = (int)rnd(GREENLETS);
	return m.nr[m.at] && rnd(2) ? do_return() : do_call();
}

static const struct pt_hdr *random_event(bool greenlets)
{
	if (m.nr[m.at] >= MAX_DEPTH - 4 || (m.nr[m.at] && !rnd(3)))
		return do_return();
	if (!m.nr[m.at])
		return do_call();
	switch (rnd(8)) {
	case 0:
		return do_make();
	case 1:
	case 2:
		return do_resume();
	case 3:
		return do_throw();
	case 4:
		return do_silent();
	case 5:
		if (greenlets && !rnd(4))
			return do_switch();
		m.returned = 77;
		return make_return(0x7770 + rnd(3) * 8, 77, 0);	/* a shim */
	default:
		return do_call();
	}
}

static void note_steps(const struct shadow *s)
{
	static const char begins[] = " rts", ends[] = " yxu";
	size_t nr;
	const struct step *step = shadow_steps(s, &nr);

	for (size_t i = 0; i < nr; i++, step++) {
		if (step->kind == STEP_END)
			assert_true(step->t >= step->begin_t &&
				    step->child_ns <= step->t - step->begin_t);
		m.is_len += (size_t)snprintf(m.is + m.is_len,
			sizeof(m.is) - m.is_len, "%c%llx:%llx%c ",
			"+-*"[step->kind], (unsigned long long)step->frame,
			(unsigned long long)step->code,
			step->kind == STEP_BEGIN ? begins[step->begin] :
			step->kind == STEP_END ? ends[step->end] : ' ');
	}
}

static void compare_stacks(const struct shadow *s, uint64_t nr)
{
	struct shadow_stack st;

	if (!shadow_stack(s, TID, &st)) {
		assert_int_equal(m.nr[m.at], 0);
		return;
	}
	if (st.nr != (uint32_t)m.nr[m.at])
		fail_msg("event %llu: %u frames, not %d",
			 (unsigned long long)nr, st.nr, m.nr[m.at]);
	for (uint32_t i = 0; i < st.nr; i++) {
		const struct mframe *f = &m.st[m.at][st.nr - 1 - i];
		struct shadow_frame is = shadow_at(s, TID, i);

		assert_int_equal(is.frame, f->frame);
		assert_int_equal(is.code, f->code);
	}
}

/* Of the outermost `nr` frames. */
static const struct pt_hdr *seed_of(int nr, uint64_t lost)
{
	struct pt_seed *rec = recbuf_begin(&buf, PT_SEED);

	set_head(&rec->h, 0);
	rec->lost = lost;
	for (int i = nr; i--;) {
		const struct pt_seed_frame f = {
			.frame = m.st[m.at][i].frame, .code = m.st[m.at][i].code,
			.flags = m.st[m.at][i].gen >= 0 ? PT_SEED_GENERATOR : 0,
		};

		recbuf_seed_frame(&buf, &f);
	}
	return recbuf_end(&buf);
}

static const struct pt_hdr *true_seed(uint64_t lost)
{
	return seed_of(m.nr[m.at], lost);
}

static void start_program(uint64_t seed)
{
	memset(&m, 0, sizeof(m));
	seed_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	m.new_style = seed & 1;
	now = 0;
}

/* Nothing is lost: each step, and the stack after each event. */
static void true_programs(void **state)
{
	struct shadow *s;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		start_program(seed);
		assert_int_equal(shadow_new(&s, NULL), 0);
		for (uint64_t i = 0; i < 700; i++) {
			const struct pt_hdr *rec = random_event(seed & 2);

			if (!rec)
				continue;
			assert_int_equal(shadow_feed(s, rec), 0);
			assert_true(shadow_sane(s));
			note_steps(s);
			if (strcmp(m.is, m.want))
				fail_msg("seed %llu, event %llu:\n%.200s\n%.200s",
					 (unsigned long long)seed,
					 (unsigned long long)i,
					 m.is + (m.is_len > 200 ? m.is_len - 200 : 0),
					 m.want + (m.want_len > 200 ?
						   m.want_len - 200 : 0));
			compare_stacks(s, i);
			m.want_len = m.is_len = 0;
		}
		assert_int_equal(shadow_totals(s)->leaked, 0);
		assert_int_equal(shadow_totals(s)->reused, 0);
		assert_int_equal(shadow_totals(s)->unknown_callers, 0);
		shadow_free(s);
	}
}

/* Some are lost, and a seed comes: from then on the stack is right. */
static void programs_with_losses(void **state)
{
	struct shadow *s;
	uint64_t lost, begun, ended;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		start_program(seed);
		lost = begun = ended = 0;
		assert_int_equal(shadow_new(&s, NULL), 0);
		for (uint64_t i = 0; i < 700; i++) {
			const struct pt_hdr *rec = random_event(false);
			const struct step *step;
			size_t nr;

			if (!rec)
				continue;
			m.want_len = m.is_len = 0;
			if (lost ? rnd(8) : !rnd(50)) {
				lost++;
				continue;
			}
			/* the event itself is lost, too */
			if (lost)
				rec = true_seed(lost + 1);
			assert_int_equal(shadow_feed(s, rec), 0);
			assert_true(shadow_sane(s));
			note_steps(s);
			step = shadow_steps(s, &nr);
			for (size_t k = 0; k < nr; k++) {
				begun += step[k].kind == STEP_BEGIN;
				ended += step[k].kind == STEP_END;
			}
			assert_true(ended <= begun);
			if (lost)
				compare_stacks(s, i);
			lost = 0;
		}
		shadow_free(s);
	}
}

/* ---- -F --------------------------------------------------------------------- */

static bool refused(void *arg, uint64_t code)
{
	(void)arg;
	return code % 3 == 0;
}

static const struct shadow_opts filtering = { .refused = refused };

/* The outermost `nr` frames: the last of them that is wanted. */
static uint64_t wanted_caller(int nr)
{
	while (nr--)
		if (!refused(NULL, m.st[m.at][nr].code))
			return m.st[m.at][nr].frame;
	return 0;
}

/* Steps of wanted functions, with what must not depend on the others. */
static void put_wanted(FILE *out, const struct shadow *s)
{
	size_t nr;
	const struct step *step = shadow_steps(s, &nr);

	for (size_t i = 0; i < nr; i++, step++) {
		if (refused(NULL, step->code))
			continue;
		fprintf(out, "%d %llx %llx %d %d %d %d %llu %llu\n", step->kind,
			(unsigned long long)step->frame,
			(unsigned long long)step->code, step->begin, step->end,
			m.new_style ? 0 : step->recursive, step->late,
			step->kind == STEP_END ? (unsigned long long)step->t : 0,
			step->late ? 0 : (unsigned long long)step->begin_t);
	}
}

/*
 * What the kernel half makes of an event.  With `told` it knows what is refused:
 * that is not sent, nor seen in callers.  Until then all is sent, behind a seed,
 * and later, too, where a caller of 0 would say nothing.
 */
static void feed_filtered(struct shadow *s, const struct pt_hdr *rec, bool told,
			  FILE *out)
{
	const bool is_call = rec->type == PT_CALL;
	struct pt_call call;
	struct pt_return ret;
	int nr = m.nr[m.at];

	if (is_call) {
		memcpy(&call, rec, sizeof(call));
		nr -= !(call.h.flags & PT_CALL_MAKES);
	} else {
		memcpy(&ret, rec, sizeof(ret));
		if (ret.h.flags & PT_RETURN_GENERATOR)
			ret.code = m.returned;	/* as the kernel half does */
	}
	if (told && refused(NULL, is_call ? call.code : m.returned))
		return;
	if (is_call && told)
		call.caller = wanted_caller(nr);
	if (is_call && (!told || (call.h.flags & PT_CALL_THROWN && nr &&
				  !call.caller))) {
		rec = seed_of(nr, 0);
		((struct pt_seed *)(void *)buf.bytes)->h.t = call.h.t;
		assert_int_equal(shadow_feed(s, rec), 0);
		put_wanted(out, s);
		call.h.flags |= PT_CALL_LOOSE;
		call.caller = 0;
	}
	assert_int_equal(shadow_feed(s, is_call ? &call.h : &ret.h), 0);
	put_wanted(out, s);
	assert_true(shadow_sane(s));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

#define LINES 4096

/* The number of lines, in order. */
static size_t sorted(char *text, char **line)
{
	char *save = NULL;
	size_t nr = 0;

	for (char *l = strtok_r(text, "\n", &save); l && nr < LINES;
	     l = strtok_r(NULL, "\n", &save))
		line[nr++] = l;
	qsort(line, nr, sizeof(*line), by_text);
	return nr;
}

/*
 * The same runs, in any order: in 3.15 an exception thrown into one generator
 * from the handler of another is told by its return alone, and the other later:
 * neither is on the other's stack, then.
 */
static void compare_filtered(uint64_t seed, char *all, char *few)
{
	char *line[2][LINES];
	size_t nr = sorted(all, line[0]);

	assert_true(nr > 50 && nr < LINES);
	assert_int_equal(nr, sorted(few, line[1]));
	for (size_t i = 0; i < nr; i++)
		if (strcmp(line[0][i], line[1][i]))
			fail_msg("seed %llu: %s, not %s",
				 (unsigned long long)seed, line[1][i],
				 line[0][i]);
}

/*
 * Of a wanted function each run is the same whether or not the others are there:
 * greenlets, generators, exceptions, from the middle of the trace or its begin.
 */
static void filtered_programs(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		char *text[2] = { NULL, NULL };
		size_t len[2];
		FILE *out[2];
		struct shadow *all, *few;
		uint64_t told = seed & 4 ? 0 : 1 + seed % 300;

		start_program(seed);
		assert_int_equal(shadow_new(&all, NULL), 0);
		assert_int_equal(shadow_new(&few, &filtering), 0);
		for (int k = 0; k < 2; k++)
			out[k] = open_memstream(&text[k], &len[k]);
		assert_true(out[0] && out[1]);
		for (uint64_t i = 0; i < 700; i++) {
			const struct pt_hdr *rec = random_event(seed & 2);
			uint64_t before = now;

			m.want_len = m.is_len = 0;
			if (!rec)
				continue;
			assert_int_equal(shadow_feed(all, rec), 0);
			put_wanted(out[0], all);
			feed_filtered(few, rec, i >= told, out[1]);
			now = before;
		}
		for (int k = 0; k < 2; k++)
			fclose(out[k]);
		compare_filtered(seed, text[0], text[1]);
		assert_int_equal(shadow_totals(few)->leaked, 0);
		assert_int_equal(shadow_totals(few)->reused, 0);
		assert_int_equal(shadow_totals(few)->unknown_callers, 0);
		free(text[0]);
		free(text[1]);
		shadow_free(all);
		shadow_free(few);
	}
}

/* Anything at all. */
static void any_stream(void **state)
{
	struct shadow *s;

	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		start_program(seed);
		assert_int_equal(shadow_new(&s, seed & 1 ? &with_stacks :
						&filtering), 0);
		for (int i = 0; i < 500; i++) {
			const struct pt_hdr *rec;
			uint64_t f = rnd(12) * 8, c = rnd(12) * 8;

			m.is_len = 0;
			now = rnd(20) ? now : rnd(5000);
			if (!rnd(30)) {
				m.nr[0] = (int)rnd(6);
				for (int k = 0; k < m.nr[0]; k++)
					m.st[0][k] = (struct mframe){
						rnd(12) * 8, rnd(3), -1 };
				rec = true_seed(rnd(3));
				((struct pt_seed *)(void *)buf.bytes)->omitted =
					rnd(3);
				((struct pt_seed *)(void *)buf.bytes)->why =
					(uint8_t)rnd(2);
			} else if (!rnd(60)) {
				rec = other(rnd(2) ? PT_EXIT : PT_END);
			} else if (rnd(2)) {
				rec = make_call(f, c, rnd(3), rnd(32));
			} else {
				rec = make_return(f, rnd(3), rnd(8));
			}
			assert_int_equal(shadow_feed(s, rec), 0);
			assert_true(shadow_sane(s));
			note_steps(s);
		}
		assert_int_equal(shadow_finish(s, now), 0);
		assert_true(shadow_sane(s));
		shadow_free(s);
	}
}

static int done(void **state)
{
	(void)state;
	recbuf_free(&buf);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules),
		cmocka_unit_test(drift_is_seen),
		cmocka_unit_test(times_and_what_was_done),
		cmocka_unit_test(what_a_greenlet_did_is_its_own),
		cmocka_unit_test(a_gap_is_marked),
		cmocka_unit_test(seeds_leave_out),
		cmocka_unit_test(what_is_linked_does_not_run),
		cmocka_unit_test(names_alone),
		cmocka_unit_test(threads_end),
		cmocka_unit_test(processes_are_told_apart),
		cmocka_unit_test(memory_has_bounds),
		cmocka_unit_test(deep_stacks_are_cut),
		cmocka_unit_test(steps_have_their_stack),
		cmocka_unit_test(true_programs),
		cmocka_unit_test(programs_with_losses),
		cmocka_unit_test(filtered_programs),
		cmocka_unit_test(any_stream),
	};

	return cmocka_run_group_tests(tests, NULL, done);
}
