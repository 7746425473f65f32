/**
 * Slots as runs, for a commit to remember where its rows stand. A short gap belongs to the run: it costs
 * a look at a few rows more when they are asked for, which is after a crash, and spares an entry. Pure.
 */
export type SlotRun = { first: number; last: number }

/** Slots apart that still make one run. */
const GAP_MAX = 4

/** The runs that hold all of these slots, sorted and apart from each other. */
export function slotRuns(slots: Iterable<number>): SlotRun[] {
  const runs: SlotRun[] = []
  for (const slot of [...new Set(slots)].sort((a, b) => a - b)) {
    const run = runs.at(-1)
    if (run !== undefined && slot - run.last <= GAP_MAX) run.last = slot
    else runs.push({ first: slot, last: slot })
  }
  return runs
}
