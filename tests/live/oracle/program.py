# SPDX-License-Identifier: MIT
"""A random program that marks: the traced side of the stack oracle.

usage: program.py --seed N --truth FILE --folder DIR [--marks N]
                  [--only NAME]... [--kind KIND] [--wait]

Appends a line of JSON to FILE for each mark (mark.py says what a line has).
With --wait it first goes 40 frames deep, into the folder's file "ready" writes
its pid, and goes on from there when the file "go" is there: to attach to.
With --kind its marks are other events: otherwise.py says which.
"""
import argparse
import os
import random
import sys
import time
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import build        # noqa: E402
import mark         # noqa: E402
import otherwise    # noqa: E402
import special      # noqa: E402


def chains(rng, state, until):
    """Chains of modules, a new one now and then, up to UNTIL marks, or until
    there is a file "stop"."""
    number = 0
    while True:
        number += 1
        module = build.Module(rng, number)
        state.functions = module.functions
        mark.buffered(rng.random() < 0.7)
        for f in module.functions:
            mark.S.label = f.__name__[:20]
            f(mark.mark)
        for _ in range(60):
            build.run_chain(rng, state.functions, rng.randrange(1, 10))
        mark.flush()
        if mark.made() > until or os.path.exists(os.path.join(state.folder, "stop")):
            return


def wait(folder):
    """Say that we are ready; come back when told to go on."""
    part = os.path.join(folder, "ready.part")
    with open(part, "w") as f:
        f.write(str(os.getpid()))
    os.rename(part, os.path.join(folder, "ready"))
    while not os.path.exists(os.path.join(folder, "go")):
        time.sleep(0.01)


def run(rng, state, args):
    """The chains, then the scenarios in random order."""
    scenarios = list(special.ALL)
    rng.shuffle(scenarios)
    if args.only:
        scenarios = [s for s in scenarios + special.ALONE
                     if s.__name__ in args.only]
    if not args.only or "chains" in args.only:
        chains(rng, state, args.marks)
    for scenario in scenarios:
        mark.buffered(rng.random() < 0.5)
        mark.S.label = scenario.__name__
        scenario(rng, state)
        mark.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--truth", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--marks", type=int, default=5000)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--kind", choices=sorted(otherwise.KINDS))
    parser.add_argument("--wait", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    rng = random.Random(args.seed)
    mark.begin(args.truth)
    otherwise.begin(args.kind)
    state = special.State([], args.folder, os.path.abspath(args.truth))
    state.functions = build.Module(rng, 0, "first.py").functions

    if args.wait:
        special.deeper(40, lambda: (wait(args.folder),
                                    run(rng, state, args)))
    else:
        run(rng, state, args)
    mark.S.label = "exit"
    special.at_exit(rng, state)


if __name__ == "__main__":
    main()
