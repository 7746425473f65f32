// Checks the proof of a position like a person: walks it, recomputes every figure from the answers only, and compares
// with the stored row.

import type { ExecutionContext } from 'ava'
import type { ApiUnderTest } from '../../../support/api/api-under-test.ts'

type Match = Record<
  'quantity' | 'cost_lamports' | 'lot_quantity_before' | 'lot_cost_before_lamports',
  bigint
> & { signature: string }
type Sell = Record<
  | 'quantity'
  | 'proceeds_lamports'
  | 'balance_before'
  | 'basis_before_lamports'
  | 'realized_strict_lamports'
  | 'realized_adjusted_lamports'
  | 'match_count'
  | 'matches_from',
  bigint
> & { signature: string; matches: Match[] }
type Lot = Record<'bought_quantity' | 'bought_lamports' | 'quantity' | 'cost_lamports', bigint> & {
  signature: string
}
export type Lots = {
  totals: Record<string, bigint>
  decimals: bigint | null
  sells: Sell[]
  lots: Lot[]
  next_cursor: string | null
}

export const pathOf = (wallet: string, token: string): string =>
  `/v2/pnl/wallets/${wallet}/positions/${token}/lots`

/** An answer with every number as a bigint of its digits. */
export async function exactly({ get }: ApiUnderTest, path: string): Promise<Lots> {
  const { status, text } = await get(path)
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
  return JSON.parse(text, (_name, value, context?: { source: string }) =>
    typeof value === 'number' ? BigInt(context?.source ?? '') : value,
  ) as Lots
}

/** The whole walk; a sell that continues over pages is joined. */
export async function walk(
  under: ApiUnderTest,
  path: string,
  limits: readonly number[],
): Promise<Lots> {
  const whole: Lots = { totals: {}, decimals: null, sells: [], lots: [], next_cursor: null }
  let cursor: string | null = null
  for (let page = 0; page === 0 || cursor !== null; page++) {
    const after: string = cursor === null ? '' : `&cursor=${cursor}`
    const answer = await exactly(under, `${path}?limit=${limits[page % limits.length]}${after}`)
    for (const each of answer.sells) {
      if (each.matches_from === 0n) whole.sells.push(each)
      else whole.sells.at(-1)?.matches.push(...each.matches)
    }
    whole.lots.push(...answer.lots)
    whole.totals = answer.totals
    whole.decimals = answer.decimals
    cursor = answer.next_cursor
  }
  return whole
}

export const sum = (values: bigint[]): bigint => values.reduce((a, b) => a + b, 0n)

/**
 * Recomputes every figure from quantities, proceeds and lots only, with floors by the route's description. Throws
 * where one match does not follow from the one before.
 */
function recompute({ sells, lots }: Lots): Record<string, bigint> {
  /** Lots by the buy's signature, in the order of their first match: the remainder of each. */
  const left = new Map<string, { quantity: bigint; cost: bigint }>()
  let strict = 0n
  let adjusted = 0n
  let soldQuantity = 0n
  let averaged = 0n
  let bought = 0n
  let spent = 0n
  for (const each of sells) {
    const { quantity, proceeds_lamports: proceeds, balance_before: balance } = each
    const isCovered = quantity <= balance
    const covered = isCovered ? quantity : balance
    const gain = isCovered ? proceeds : (proceeds * covered) / quantity
    let cost = 0n
    for (const match of each.matches) {
      const { signature, lot_quantity_before: before, lot_cost_before_lamports: had } = match
      const known = left.get(signature)
      if (known === undefined || known.quantity === 0n) {
        bought += before
        spent += had
      } else if (known.quantity !== before || known.cost !== had) throw new Error('a gap')
      const taken = (had * match.quantity) / before
      cost += taken
      left.set(signature, { quantity: before - match.quantity, cost: had - taken })
    }
    if (sum(each.matches.map((match) => match.quantity)) !== covered) throw new Error('a hole')
    const basis = each.basis_before_lamports
    const average = covered === 0n ? 0n : covered === balance ? basis : (basis * covered) / balance
    strict += gain - cost
    adjusted += gain - average
    soldQuantity += covered
    averaged += average
  }
  for (const lot of lots) {
    const known = left.get(lot.signature)
    if (known === undefined || known.quantity === 0n) {
      if (lot.quantity !== lot.bought_quantity) throw new Error('a lot shrank untold')
      bought += lot.quantity
      spent += lot.cost_lamports
    } else if (known.quantity !== lot.quantity || known.cost !== lot.cost_lamports) {
      throw new Error('the rest of a lot is another')
    }
  }
  return {
    realized_strict: strict,
    realized_adjusted: adjusted,
    balance: bought - soldQuantity,
    basis: spent - averaged,
    lots_cost: sum(lots.map((lot) => lot.cost_lamports)),
    buys_lamports_of_lots: spent,
  }
}

/** The stored position, every figure as a bigint. */
async function stored(
  { db }: ApiUnderTest,
  wallet: string,
  token: string,
): Promise<Record<string, bigint>> {
  const { rows } = await db.query(
    `select balance, basis, lots_cost, realized_strict, realized_adjusted, buys_lamports,
       sells_lamports, uncovered_quantity, uncovered_lamports, swap_count, buy_count, sell_count,
       covered_sell_count
     from position
     join wallet on wallet.id = wallet_id join token on token.id = token_id
     where wallet.address = $1 and token.address = $2`,
    [wallet, token],
  )
  return Object.fromEntries(
    Object.entries(rows[0]).map(([name, text]) => [name, BigInt(`${text}`)]),
  )
}

/** The walk, its recomputation and its totals against the row. */
export async function judge(
  t: ExecutionContext,
  under: ApiUnderTest,
  wallet: string,
  token: string,
  limits: readonly number[],
): Promise<Lots> {
  const walked = await walk(under, pathOf(wallet, token), limits)
  const row = await stored(under, wallet, token)
  const { buys_lamports_of_lots: _, ...computed } = recompute(walked)
  t.like(row, computed, `${wallet} ${token}`)
  const { open_lot_count, ...totals } = walked.totals
  t.is(open_lot_count, BigInt(walked.lots.length))
  t.is<bigint | undefined, bigint>(row.sell_count, BigInt(walked.sells.length))
  t.deepEqual(totals, {
    swap_count: row.swap_count,
    buy_count: row.buy_count,
    sell_count: row.sell_count,
    covered_sell_count: row.covered_sell_count,
    balance: row.balance,
    buys_lamports: row.buys_lamports,
    sells_lamports: row.sells_lamports,
    realized_raw_lamports: row.sells_lamports! - row.buys_lamports!,
    realized_strict_lamports: row.realized_strict,
    realized_adjusted_lamports: row.realized_adjusted,
    cost_basis_strict_lamports: row.lots_cost,
    cost_basis_adjusted_lamports: row.basis,
    uncovered_sell_quantity: row.uncovered_quantity,
    uncovered_sell_lamports: row.uncovered_lamports,
  })
  for (const { matches, match_count } of walked.sells) {
    t.is<bigint, bigint>(BigInt(matches.length), match_count)
  }
  return walked
}
