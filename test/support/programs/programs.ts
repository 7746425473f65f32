// Programs of this machine as /proc shows them, for tests that no process remains.

import { readdirSync } from 'node:fs'
import { PARENT, procStat } from '../../../deploy/local/proc-stat.ts'
import { isRunning, type Program, programOf } from '../../../deploy/local/state.ts'
import { holdsWithin } from '../../../deploy/local/waiting.ts'

/** The program and all that it started, directly or not, and that still run. */
export function familyOf(pid: number): Program[] {
  const parents = new Map<number, number>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    // The process may have ended between the listing and the reading.
    const parent = procStat(Number(entry))?.(PARENT)
    if (parent !== undefined) parents.set(Number(entry), Number(parent))
  }
  const family = new Set([pid])
  // Iteration of a Set includes members added meanwhile.
  for (const member of family) {
    for (const [child, parent] of parents) if (parent === member) family.add(child)
  }
  return [...family].map(programOf)
}

/** Programs that still run when all should have ended; empty as soon as all have. */
export async function remainingAfter(
  boundMs: number,
  programs: readonly Program[],
): Promise<Program[]> {
  await holdsWithin(boundMs, () => !programs.some(isRunning))
  return programs.filter(isRunning)
}
