/** Words of a page about the history that its figures fold. Pure. */
import { counted } from '../../domain/text/plural.ts'

export type History = {
  complete_since?: number | bigint | undefined
  complete_since_timestamp?: number | bigint | null | undefined
}
export type Sells = { total_sell_count: number | bigint; covered_sell_count: number | bigint }

const DAY: Intl.DateTimeFormatOptions = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
}

/** `on 3 Nov 2026` in UTC, or `at slot 350000000` where nothing is indexed since; undefined where no slot was read from the chain. */
function historyBegin({
  complete_since: slot,
  complete_since_timestamp: time,
}: History): string | undefined {
  if (slot === undefined) return undefined
  if (time === null || time === undefined) return `at slot ${slot}`
  return `on ${new Date(Number(time)).toLocaleDateString('en-GB', DAY)}`
}

/** `12 of 40 sells have no known cost: history begins on 3 Nov 2026`; undefined without either. */
export function historyText(history: History, sells?: Sells): string | undefined {
  const begin = historyBegin(history)
  const begins = begin === undefined ? undefined : `history begins ${begin}`
  const sold = sells === undefined ? 0n : BigInt(sells.total_sell_count)
  const uncovered = sells === undefined ? 0n : sold - BigInt(sells.covered_sell_count)
  if (uncovered <= 0n) return begins
  const verb = uncovered === 1n ? 'has' : 'have'
  const unknown = `${uncovered} of ${counted(sold, 'sell')} ${verb} no known cost`
  return begins === undefined ? unknown : `${unknown}: ${begins}`
}
