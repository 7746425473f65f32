// Lines of ingest with the longest texts and the largest and smallest amounts that the contract accepts: a token of each.

import { writeExact } from '../../../api/routing/json.ts'
import { INT64_MAX } from '../../../domain/amount.ts'
import { MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import { VENUES } from '../../../domain/venue.ts'
import { SWAP_LINE } from '../events/sample-event.ts'
import { mint, pair, signatureOf, trader } from '../market/sample-swap.ts'

/** Characters that a symbol, a name and a sector may have. */
const LENGTH_MAX = 200
const FAMILY = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}'

/** Texts that do not break, break anywhere, or are far wider than their number of characters. */
export const LONG_TEXTS = [
  'W'.repeat(32),
  'W'.repeat(LENGTH_MAX),
  '\u6f22'.repeat(LENGTH_MAX),
  FAMILY.repeat(LENGTH_MAX / FAMILY.length),
  `${'Z\u0335\u0322\u0348'.repeat(8)}${'\ufdfd'.repeat(100)}`,
  'WWWWWWWW '.repeat(20).trim(),
  '<b>W</b>&amp;'.repeat(15),
] as const

type Amounts = { sol_amount: bigint; token_amount: bigint; quote_decimals: number }

/** The largest price and the smallest one, the most of both, and sums that pass int64. */
const AMOUNTS: readonly Amounts[] = [
  { sol_amount: INT64_MAX, token_amount: 1n, quote_decimals: 0 },
  { sol_amount: 10_000n, token_amount: INT64_MAX, quote_decimals: 0 },
  { sol_amount: INT64_MAX, token_amount: INT64_MAX, quote_decimals: 18 },
  { sol_amount: 99_999_999_999_999n, token_amount: 1_234_567_890_123n, quote_decimals: 6 },
]
const ROUNDS = 6

/** A wallet trades all of them; another one each. */
export const TRADER = trader(0)

export function extremeLines(nowMs: number): string {
  const lines = LONG_TEXTS.flatMap((text, token) => [
    tokenLine(token, text),
    poolLine(token, nowMs),
    ...Array.from({ length: ROUNDS }, (_, round) => swapLine(token, round, nowMs)),
  ])
  return lines.map((line) => writeExact(line)).join('\n')
}

const tokenLine = (token: number, text: string) => ({
  kind: 'token',
  token_address: mint(token),
  symbol: text,
  name: text,
  sector: text,
  creator: TRADER,
  supply: INT64_MAX,
  decimals: amountsOf(token).quote_decimals,
})

const placed = (token: number, round: number, nowMs: number) => ({
  signature: signatureOf(token * ROUNDS + round),
  slot: Number.MAX_SAFE_INTEGER - 1_000 + token * ROUNDS + round,
  timestamp: nowMs - (ROUNDS - round) * MINUTE_MS,
  token_address: mint(token),
  pair_address: pair(token),
  dex: VENUES[token % VENUES.length]?.dex,
})

const poolLine = (token: number, nowMs: number) => ({
  kind: 'pool_event',
  event: 'created',
  ...placed(token, 0, nowMs),
  creator: TRADER,
})

/** Buys and sells in turns, of one wallet and of many; all of them in the transaction of the first. */
const swapLine = (token: number, round: number, nowMs: number) => ({
  ...SWAP_LINE,
  ...placed(token, round, nowMs),
  ...amountsOf(token),
  user: round < 4 ? TRADER : trader(1 + token),
  is_buy: round % 2 === 0,
  fee: INT64_MAX,
  fee_bps: 2_147_483_647,
  creator_fee: INT64_MAX,
  creator_fee_bps: 2_147_483_647,
  virtual_sol_reserves: INT64_MAX,
  virtual_token_reserves: INT64_MAX,
  real_sol_reserves: INT64_MAX,
  real_token_reserves: INT64_MAX,
  transfer_fee_in: INT64_MAX,
  transfer_fee_out: INT64_MAX,
  cashback: INT64_MAX,
  cashback_bps: 2_147_483_647,
  block_tx_index: Number.MAX_SAFE_INTEGER,
  ix_index: 2_147_483_647,
})

function amountsOf(token: number): Amounts {
  return AMOUNTS[token % AMOUNTS.length] as Amounts
}
