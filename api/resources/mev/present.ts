/** Sandwiches and their sums as the API shows them. Pure. */
import { exactOf } from '../../../domain/amount.ts'
import { compareSwaps, type Swap } from '../../../domain/events/swap.ts'
import { DAY_MS } from '../../../domain/time/time-bucket.ts'
import { dayMsOf } from '../../../domain/time/utc-day.ts'
import { venueOf } from '../../../domain/venue.ts'
import type { FoundSandwich, LegRow, Settled, SumRow, TransactionRead } from './read.ts'
import type {
  RoleAnswer,
  SandwichAnswer,
  SummaryAnswer,
  TotalsAnswer,
  TransactionAnswer,
  WalletAnswer,
} from './schema.ts'

const NOTHING: TotalsAnswer = {
  ...{ sandwiches: 0, victims: 0, loss_lamports: { low: 0, high: 0 } },
  ...{ exact_share: null, profit_lamports: 0 },
}

export function presentSandwich(row: FoundSandwich): SandwichAnswer {
  const { legs, link, width, repeats, profit_lamports: profit } = row
  const victims = legs.filter(({ role }) => role === 'victim')
  const attackers = legs.filter(({ role }) => role !== 'victim').map(({ wallet }) => wallet)
  return {
    ...{ pair_address: row.pair_address, token_address: row.token_address, dex: row.dex },
    ...{ slot: row.slot, last_slot: row.last_slot, timestamp: row.timestamp_ms },
    verdict: row.ruling as SandwichAnswer['verdict'],
    link: link as SandwichAnswer['link'],
    width: width as SandwichAnswer['width'],
    repeats,
    is_counted: row.is_counted,
    attackers: [...new Set(attackers)],
    victims: row.victim_count,
    loss_lamports: lossOf(victims),
    gain_of_others_lamports: exactOf(row.gain_of_others_lamports),
    profit_lamports: profit === null ? null : exactOf(profit),
    profit_excludes: excludedOf(row.dex),
    legs: legs.map(presentLeg),
  }
}

function excludedOf(dex: number): string[] {
  const isAssumed = venueOf(dex).outsideFees === 'assumed'
  return ['tips', 'network_fees', ...(isAssumed ? ['fees_outside_legs'] : [])]
}

function lossOf(victims: readonly LegRow[]): SandwichAnswer['loss_lamports'] {
  const isKnown = victims.every(({ loss_high }) => loss_high !== null)
  const sum = (name: 'loss_low' | 'loss_high') =>
    exactOf(String(victims.reduce((total, leg) => total + BigInt(leg[name] ?? 0), 0n)))
  return { low: sum('loss_low'), high: isKnown ? sum('loss_high') : null }
}

const presentLeg = (leg: LegRow): SandwichAnswer['legs'][number] => ({
  ...{ role: leg.role, wallet: leg.wallet, signature: leg.signature, slot: leg.slot },
  ...{ block_tx_index: leg.block_tx_index, ix_index: leg.ix_index, timestamp: leg.timestamp_ms },
  ...{ is_buy: leg.is_buy, sol_amount: leg.sol_amount, token_amount: leg.token_amount },
  loss: presentLoss(leg),
})

function presentLoss({ basis, loss_low: low, loss_high: high }: LegRow): RoleAnswer['loss'] {
  if (basis === null || low === null) return null
  return {
    basis: basis === 'exact' ? 'exact' : 'bounded',
    low: exactOf(low),
    high: high === null ? null : exactOf(high),
  }
}

export function presentTransaction(signature: string, read: TransactionRead): TransactionAnswer {
  const swaps = read.swaps.toSorted(compareSwaps)
  return {
    signature,
    slot: swaps[0]?.slot ?? 0,
    status: read.isSettled ? 'settled' : 'pending',
    swaps: swaps.flatMap((swap) => presentRoles(swap, read)),
  }
}

function presentRoles(swap: Swap, { sandwiches, backRuns }: TransactionRead): RoleAnswer[] {
  const shown = {
    ...{ pair_address: swap.pairAddress, token_address: swap.tokenAddress, wallet: swap.user },
    ...{ ix_index: swap.ixIndex, is_buy: swap.isBuy },
    ...{ sol_amount: swap.solAmount, token_amount: swap.tokenAmount },
    ...{ role: null, loss: null, backrun: null, sandwich: null },
  }
  const parts = sandwiches.flatMap((sandwich): RoleAnswer[] => {
    const leg = sandwich.legs.find((each) => isOf(each, swap))
    const isSamePool =
      sandwich.pair_address === swap.pairAddress && sandwich.token_address === swap.tokenAddress
    if (leg === undefined || !isSamePool) return []
    const loss = presentLoss(leg)
    return [{ ...shown, role: leg.role, loss, sandwich: presentSandwich(sandwich) }]
  })
  const backRun = backRuns.find(({ leg }) => leg === swap)
  if (parts.length > 0) return parts
  if (backRun === undefined) return [shown]
  const { after, profit } = backRun
  const backrun = { after: after.signature, profit_lamports: profit }
  return [{ ...shown, role: 'backrun', backrun }]
}

const isOf = (leg: LegRow, swap: Swap): boolean =>
  leg.signature === swap.signature &&
  leg.wallet === swap.user &&
  leg.ix_index === swap.ixIndex &&
  leg.is_buy === swap.isBuy &&
  leg.sol_amount === swap.solAmount &&
  leg.token_amount === swap.tokenAmount

function presentSums(row: SumRow | undefined): TotalsAnswer {
  if (row === undefined) return NOTHING
  const { sandwiches, victims, loss_low: low, loss_high: high, exact } = row
  return {
    ...{ sandwiches, victims },
    loss_lamports: { low: exactOf(low), high: high === null ? null : exactOf(high) },
    exact_share: victims === 0 ? null : exact / victims,
    profit_lamports: exactOf(row.profit_lamports),
  }
}

/** `end`: the last millisecond of a question; undefined: that of the newest settled swap. */
function isComplete({ settledMs, isDue }: Settled, end: number | undefined): boolean {
  if (settledMs === null) return false
  return end === undefined ? !isDue : end < settledMs
}

const endOfDay = (day: string): number => dayMsOf(day) + DAY_MS - 1

type Summed = {
  readonly by: SummaryAnswer['by']
  readonly to: number | undefined
  readonly total: readonly SumRow[]
  readonly rows: readonly SumRow[]
  readonly settled: Settled
}

export function presentSummary({ by, to, total, rows, settled }: Summed): SummaryAnswer {
  const complete = isComplete(settled, to)
  return {
    by,
    complete,
    total: presentSums(total[0]),
    rows: rows.map((row) => ({
      key: row.key,
      ...presentSums(row),
      complete: by === 'day' ? isComplete(settled, endOfDay(row.key)) : complete,
    })),
  }
}

type WalletSums = { readonly total: readonly SumRow[]; readonly days: readonly SumRow[] }

export function presentWallet(
  wallet: string,
  { suffered, made }: { readonly suffered: WalletSums; readonly made: WalletSums },
  { settled, to }: { readonly settled: Settled; readonly to: number | undefined },
): WalletAnswer {
  const sumsOf = ({ days }: WalletSums, day: string) =>
    presentSums(days.find(({ key }) => key === day))
  const days = [...suffered.days, ...made.days].map(({ key }) => key)
  return {
    wallet,
    complete: isComplete(settled, to),
    suffered: presentSums(suffered.total[0]),
    made: presentSums(made.total[0]),
    days: [...new Set(days)]
      .sort()
      .reverse()
      .map((day) => ({
        day,
        suffered: sumsOf(suffered, day),
        made: sumsOf(made, day),
        complete: isComplete(settled, endOfDay(day)),
      })),
  }
}
