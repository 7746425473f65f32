/** Swaps of a token in a window, with the sum of their SOL: the parts of the window's volume and trades. */

import type { Swap } from '../../../clients/typescript/generated.ts'
import { counted } from '../../../domain/text/plural.ts'
import { MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import {
  STATS_WINDOWS,
  WINDOW_MINUTES,
  type WindowName,
} from '../../../domain/time/trade-window.ts'
import type { Answer } from '../../client/request.ts'
import { type Read, useFigures } from '../../client/slot/figures.ts'
import { tradeOf } from '../../client/trade.ts'
import { decimalText, lamportsFigure } from '../../format/number.ts'
import { exactSum } from '../../format/sums.ts'
import { States } from '../../layout/panel.tsx'
import { Differs, MoreParts, partRows, sumTitle } from '../../layout/parts.tsx'
import { TRADE, TradeTable } from '../../layout/trade-table.tsx'
import { Num } from '../../layout/values.tsx'

type Stats = Answer<'getTokenStats'>['data']

const { side, sol, tokens, impact, wallet, venue, when } = TRADE
const COLUMNS = [side, sol, tokens, impact, wallet, venue, when]
/** The most that one request returns. */
const PAGE_ROWS = 1_000
const RENEWED_MS = 15_000
const LAMPORT_DIGITS = 9

type WindowPartsProps = { mint: string; window: WindowName; stats: Stats; isOfNow: boolean }

export function WindowParts({ mint, window, stats, isOfNow }: WindowPartsProps) {
  const rows = partRows()
  const end = stats.windows_end === null ? null : Number(stats.windows_end)
  const key = end === null ? '' : `window ${mint} ${window} ${end} ${rows}`
  // At the slot of the page where the statistics are: a window of now may end with a later swap.
  const swaps = useFigures(
    'getTokenStats',
    key,
    (read) => readSwaps(mint, span(end ?? 0, window), rows, read),
    { everyMs: RENEWED_MS },
  )
  if (end === null) return <p class="empty">No swap in this window.</p>
  const figures = figuresOf(stats, window)
  return (
    <States
      of={swaps}
      rows={6}
      emptyText={({ found }) => (found.length === 0 ? 'No swap in this window.' : undefined)}
    >
      {({ found, hasMore }) => {
        const total = Math.max(Number(figures?.trades ?? 0), found.length + Number(hasMore))
        const volume = exactSum(found.map(({ sol_amount: lamports }) => lamports))
        const isSame =
          hasMore ||
          figures === undefined ||
          Number(decimalText(volume, LAMPORT_DIGITS)) === figures.volume_sol
        return (
          <>
            <p data-sum="window">
              <strong>{sumTitle(found.length, hasMore ? total : found.length)}</strong>{' '}
              <span data-figure="volume_sol">
                <Num value={volume} as={lamportsFigure} unit=" SOL" />
              </span>{' '}
              in {counted(found.length, 'swap')}
            </p>
            <TradeTable rows={found.map(tradeOf)} columns={COLUMNS} />
            <MoreParts shown={found.length} total={hasMore ? total : found.length} />
            <Differs isSame={isSame} areOfSlot={!isOfNow} />
          </>
        )
      }}
    </States>
  )
}

function span(end: number, window: WindowName) {
  return { from: end - WINDOW_MINUTES[window] * MINUTE_MS, to: end - 1 }
}

/** Figures of the window, where statistics have it. */
function figuresOf({ windows }: Stats, window: WindowName) {
  const name = STATS_WINDOWS.find((each) => each === window)
  return name === undefined ? undefined : windows[name]
}

type Span = ReturnType<typeof span>

async function readSwaps(mint: string, { from, to }: Span, rows: number, read: Read) {
  const found: Swap[] = []
  let cursor: string | undefined
  let hasMore = true
  while (found.length < rows && hasMore) {
    const limit = Math.min(PAGE_ROWS, rows - found.length)
    const page = await read('listTokenSwaps', { mint, from, to, limit, cursor })
    found.push(...page.data)
    cursor = page.next_cursor ?? undefined
    hasMore = cursor !== undefined
  }
  return { found, hasMore }
}
