/** Operations of no installation, for documents of the API and tests: lists are empty, and changes are rejected. */
import type { HistoryState } from '../../history/operating/state.ts'
import type { Operations } from './operations.ts'

const nothing = async (): Promise<never[]> => []
const refuse = (): Promise<never> => Promise.reject(new Error('there is no installation'))

const NOTHING_SEALED: HistoryState = {
  ...{ segments: 0, sealed_swaps: 0, bytes: 0, late_rows: 0, gone_rows: 0 },
  ...{ first_slot: null, last_slot: null, boundary_age_ms: null, sealed_at: null },
  ...{ seal: null, waits: [], verification: null, holders: [] },
  ...{ dropping: null, refusals: [] },
}

export const NO_OPERATIONS: Operations = {
  lanes: nothing,
  sources: nothing,
  warnings: nothing,
  history: async () => NOTHING_SEALED,
  queues: nothing,
  deadLetters: nothing,
  countDeadLetters: async () => 0,
  retryDeadLetters: nothing,
  importKols: refuse,
  storeSectors: refuse,
  importSectors: refuse,
  replays: { start: refuse, list: nothing, stop: async () => false },
  boardQueues: () => [],
}
