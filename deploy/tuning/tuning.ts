/**
 * Changes of the machine that only `up --tune` (or SWAPTIDE_TUNE=1) makes: CPU priorities and the kernel's limit
 * of huge pages. deploy/swaptide adds the allocator's tunable and the priority of V8's background threads, which must be set
 * before Node starts. README.md of this folder describes the effect of each and when it helps.
 *
 * Decision: docs/decisions/0012-tuning-is-opt-in.md
 */
import type { Db } from '../../sql/db.ts'
import type { AllowHugePages } from '../local/servers/postgres.ts'
import { watchPriorities } from './cpu-priority.ts'
import { allowHugePages } from './huge-pages.ts'

export type Tuning = {
  allowHugePages: AllowHugePages
  /** For the listed workers, and for all workers' sessions where the database runs on this machine. */
  lowerPriorities(
    workers: () => readonly (number | undefined)[],
    db?: Db,
  ): { stop(): Promise<void> }
}

/** Undefined unless it was requested: then the machine is not changed. */
export function tuningOf(isRequested: boolean): Tuning | undefined {
  if (!isRequested) return undefined
  return {
    allowHugePages: (bytes, folder) => allowHugePages(bytes, { lockPath: folder }),
    lowerPriorities: (workers, db) =>
      watchPriorities(() => workers().filter((pid) => pid !== undefined), db),
  }
}
