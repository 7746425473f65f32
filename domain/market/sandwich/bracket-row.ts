/** A bracket as a row of its table, with the rows of its legs. Pure. */
import type { Judged } from './detect.ts'
import type { Placed } from './leg.ts'
import type { Loss } from './loss.ts'
import type { BracketRow, LegRole, LegRow } from './stored-row.ts'

export function bracketOf(judged: Judged): BracketRow {
  const { fronts, backs, victims, ruling, link, width, profit, gainOfOthers } = judged
  const first = fronts[0]?.swap
  if (first === undefined) throw new RangeError('expected a bracket with legs')
  const suffered = ruling === 'sandwich' ? victims : []
  const legs = [
    ...fronts.map((each) => legOf('front', each)),
    ...suffered.map(({ placed, loss }) => legOf('victim', placed, loss)),
    ...backs.map((each) => legOf('back', each)),
  ]
  return {
    slot: first.slot,
    block_tx_index: first.blockTxIndex,
    ix_index: first.ixIndex,
    signature: first.signature,
    timestamp_ms: first.timestamp,
    last_slot: backs.at(-1)?.swap.slot ?? first.slot,
    ...{ ruling, link, width, victim_count: victims.length },
    profit_lamports: profit === undefined ? null : String(profit),
    gain_of_others_lamports: String(gainOfOthers),
    legs: legs.sort((a, b) => a.index - b.index).map(({ row }) => row),
  }
}

function legOf(
  role: LegRole,
  { swap, index }: Placed,
  loss?: Loss,
): { index: number; row: LegRow } {
  const row = {
    ...{ role, wallet: swap.user, slot: swap.slot, block_tx_index: swap.blockTxIndex },
    ...{ ix_index: swap.ixIndex, timestamp_ms: swap.timestamp, signature: swap.signature },
    ...{ is_buy: swap.isBuy, sol_amount: swap.solAmount, token_amount: swap.tokenAmount },
    basis: loss?.basis ?? null,
    loss_low: loss === undefined ? null : String(loss.low),
    loss_high: loss?.high === undefined ? null : String(loss.high),
  }
  return { index, row }
}
