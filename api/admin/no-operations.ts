/** Operations of no installation, for documents of the API and tests: lists are empty, and changes are rejected. */
import type { Operations } from './operations.ts'

const nothing = async (): Promise<never[]> => []
const refuse = (): Promise<never> => Promise.reject(new Error('there is no installation'))

export const NO_OPERATIONS: Operations = {
  lanes: nothing,
  sources: nothing,
  warnings: nothing,
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
