/* SPDX-License-Identifier: MIT */
/* steps: those of the shadow stacks with the names of their functions. */
#ifndef PT_STEPS_H
#define PT_STEPS_H

#include "base/compiler.h"
#include "stack/codes.h"
#include "stack/engine.h"
#include "stack/shadow.h"
#include "stack/tasks.h"

struct steps {			/* a zeroed struct is an empty one */
	struct moment_step *step;
	size_t cap;
	struct frame *frames;	/* of their stacks */
	size_t cap_frames;
};

void steps_free(struct steps *t);

/* What the last record did, into `m`; good until the next.  0 or -ENOMEM. */
int steps_resolve(struct steps *t, const struct shadow *s, struct codes *c,
		  const struct tasks *tasks, struct moment *m) PT_MUST_CHECK;

/* What an event tells of the calls that run on its thread. */
void steps_spent(struct shadow *s, const struct pt_event *ev,
		 const struct process *p);

#endif /* PT_STEPS_H */
