/** Settings of retention: rows of the table of settings. */
import { RETENTION } from './readers.ts'
import type { Setting } from './setting.ts'

const DAYS = { form: 'integer', min: 1, max: 36_500 } as const

export const RETENTION_SETTINGS = {
  RETENTION_INGEST_RUN_DAYS: {
    group: 'retention',
    kind: DAYS,
    absent: 'retained for ever',
    about: 'age in days at which counts of ingest runs are deleted',
    readBy: RETENTION,
  },
  RETENTION_DEAD_LETTER_DAYS: {
    group: 'retention',
    kind: DAYS,
    absent: 'retained for ever',
    about: 'age in days at which dead letters that need no retry are deleted',
    note: 'Deletes dead letters that were retried, and those of other actors than pool; age counts from the retry.',
    readBy: RETENTION,
  },
  RETENTION_CONFLICT_DAYS: {
    group: 'retention',
    kind: DAYS,
    absent: 'retained for ever',
    about: 'age in days at which conflicts are deleted',
    readBy: RETENTION,
  },
  SEAL_AFTER_HOURS: {
    group: 'retention',
    kind: { form: 'integer', min: 1, max: 876_000 },
    absent: 'never',
    about: 'age in hours at which swaps are packed into blocks, a sixth of their size',
    note: 'They stay readable everywhere; see docs/history.md.',
    readBy: RETENTION,
  },
  HISTORY_DAYS: {
    group: 'retention',
    // Above REVERSIBLE_DAYS, the days of windows, and those that positions have snapshots of.
    kind: { form: 'integer', min: 8, max: 36_500 },
    absent: 'retained for ever',
    about: 'age in days at which sealed swaps are dropped; what was derived from them stays',
    note: 'Needs SEAL_AFTER_HOURS. They cannot be brought back; see docs/history.md.',
    readBy: RETENTION,
  },
} as const satisfies Record<string, Setting>
