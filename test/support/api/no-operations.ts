/** Operations of an installation without workers and jobs: all that operators may read is empty. */
import type { Operations } from '../../../api/admin/operations.ts'

const nothing = async (): Promise<never[]> => []
const refuse = () => Promise.reject(new Error('not asked for here'))

export const NO_OPERATIONS: Operations = {
  lanes: nothing,
  sources: nothing,
  queues: nothing,
  deadLetters: nothing,
  countDeadLetters: async () => 0,
  retryDeadLetters: nothing,
  importKols: refuse,
  storeSectors: async () => ({ isCounted: true }),
  importSectors: refuse,
  replays: { start: refuse, list: nothing, stop: async () => false },
  boardQueues: () => [],
}
