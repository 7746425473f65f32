// The file of real swaps, where the folder that holds it is there.

import { existsSync, readFileSync } from 'node:fs'
import { parseEvent } from '../../../streams/contract.ts'
import type { Swap } from '../../../streams/swap.ts'

const REAL = new URL('../../../../shared/data/venue_1_2025-09.ndjson', import.meta.url)
/** The clock of who reads it: later than any of them. */
const READ_MS = Date.UTC(2026, 0, 1)

export const hasRealSwaps = existsSync(REAL)

export function realSwaps(): Swap[] {
  const lines = readFileSync(REAL, 'utf8').trimEnd().split('\n')
  return lines.flatMap((line) => {
    const parsed = parseEvent(line, READ_MS)
    return 'event' in parsed && parsed.event.kind === 'swap' ? [parsed.event.swap] : []
  })
}
