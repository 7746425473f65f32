/** Statistics of a token, at the slot of the page; of now where they are not stored as of it, or too costly. */
import type { Answer } from '../client/request.ts'
import { type Figures, useFigures } from '../client/slot/figures.ts'

const RENEWED_MS = 15_000

export function useStats(mint: string): Figures<Answer<'getTokenStats'>['data']> {
  return useFigures(
    'getTokenStats',
    `stats ${mint}`,
    async (read) => (await read('getTokenStats', { mint })).data,
    { everyMs: RENEWED_MS },
  )
}
