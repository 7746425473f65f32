// A small market of wallets with tags, with the expected ones, hand-computed.

import type { PoolEvent } from '../../../../domain/events/pool-event.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import type { Db } from '../../../../sql/db.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { insertEvents, insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'

const FIRST_MS = Date.UTC(2026, 7, 1)
const SOL = 1_000_000_000
/** Base units a whole token. */
const TOKEN = 1_000_000

type Trade = {
  user: number
  mint: number
  slot: number
  /** Buys when above 0, sells when below: whole tokens. */
  tokens: number
  sol: number
  signature?: number
  blockTxIndex?: number
}

let signatures = 1_000

export function swapOf({ user, mint: n, slot, tokens, sol, ...rest }: Trade): Swap {
  return sampleSwap({
    signature: signatureOf(rest.signature ?? signatures++),
    slot,
    blockTxIndex: rest.blockTxIndex ?? 0,
    ixIndex: 0,
    timestamp: FIRST_MS + slot * 400,
    user: trader(user),
    tokenAddress: mint(n),
    pairAddress: pair(2 * n),
    isBuy: tokens > 0,
    tokenAmount: Math.abs(tokens) * TOKEN,
    solAmount: Math.round(sol * SOL),
    quoteDecimals: 6,
    transferFeeIn: 0,
    transferFeeOut: 0,
    agentTrade: 0,
  })
}

const BIRTH = 1

const born: PoolEvent = {
  event: 'created',
  signature: signatureOf(BIRTH),
  slot: 100,
  timestamp: FIRST_MS + 100 * 400,
  pairAddress: pair(0),
  tokenAddress: mint(0),
  dex: 1,
  blockTxIndex: 3,
  ixIndex: 0,
  creator: trader(1),
}

/** Mint 0 begins in slot 100. */
const launch: Trade[] = [
  { user: 1, mint: 0, slot: 100, tokens: 10, sol: 1, signature: BIRTH, blockTxIndex: 3 },
  { user: 2, mint: 0, slot: 100, tokens: 10, sol: 1, signature: BIRTH, blockTxIndex: 3 },
  { user: 3, mint: 0, slot: 100, tokens: 10, sol: 1, blockTxIndex: 5 },
  { user: 4, mint: 0, slot: 100, tokens: 10, sol: 1, blockTxIndex: 6 },
  { user: 5, mint: 0, slot: 103, tokens: 10, sol: 1 },
  { user: 6, mint: 0, slot: 104, tokens: 10, sol: 1 },
]

/** Mint 2: 9 holds 1,000 tokens; the last trade is at half a SOL each, 500 SOL in all. */
const whales: Trade[] = [
  { user: 21, mint: 2, slot: 200, tokens: 1, sol: 0.01 },
  { user: 9, mint: 2, slot: 210, tokens: 1_000, sol: 10 },
  { user: 11, mint: 2, slot: 220, tokens: 100, sol: 49.999999999 },
  { user: 8, mint: 2, slot: 230, tokens: 100, sol: 50 },
]

/** Mints 10 to 19: 10 buys each for 10 SOL and sells six with a profit of 10 to 15, four at a loss of 1. */
const clever: Trade[] = Array.from({ length: 10 }, (_, i) => i).flatMap((i): Trade[] => [
  { user: 20, mint: 10 + i, slot: 300, tokens: 1, sol: 0.1 },
  { user: 10, mint: 10 + i, slot: 310, tokens: 10, sol: 10 },
  { user: 10, mint: 10 + i, slot: 320 + i, tokens: -10, sol: i < 6 ? 20 + i : 9 },
])

/** `tag mint score` of each wallet, in the order of an answer. */
export const EXPECTED: Record<number, string[]> = {
  1: [`insider ${mint(0)} 1`, `sniper ${mint(0)} 1`],
  2: [`sniper ${mint(0)} 1`, `insider ${mint(0)} 0.8`],
  3: [`sniper ${mint(0)} 1`, `insider ${mint(0)} 0.8`],
  4: [`sniper ${mint(0)} 1`],
  5: [`sniper ${mint(0)} 0.25`],
  // By the token line it created mint 10, which it never traded.
  6: [`insider ${mint(10)} 1`],
  8: [`whale ${mint(2)} 0.05`],
  9: [`whale ${mint(2)} 0.5`],
  // 75 SOL of profits less 4 of losses are 71 of 500; the mints by profit.
  10: [10, 11, 12, 13, 14, 15]
    .slice(1)
    .map((n) => `smart_money ${mint(n)} 0.142`)
    .sort(),
  11: [],
  20: Array.from({ length: 10 }, (_, i) => `sniper ${mint(10 + i)} 1`).sort(),
  21: [`sniper ${mint(2)} 1`],
}

export async function insertKnownWallets(db: Db): Promise<void> {
  await insertEvents(db, [born])
  await addTrades(db, [...launch, ...whales, ...clever])
  // The event of its pool names another: the token line precedes it.
  await insertEvents(db, [
    {
      ...born,
      signature: signatureOf(2),
      pairAddress: pair(20),
      tokenAddress: mint(10),
      creator: trader(4),
    },
  ])
  await db.query('update token set creator = $1 where address = $2', [trader(6), mint(10)])
}

/** Swaps with their candles and prices, and the ledger of all. */
export async function addTrades(db: Db, trades: readonly Trade[]): Promise<void> {
  await insertSwaps(db, trades.map(swapOf), { hasPrices: true })
  await insertLedger(db, [])
}

/** Stored tags of a wallet as EXPECTED writes them. */
export async function storedTags(db: Db, user: number): Promise<string[]> {
  const { rows } = await db.query(
    `select tag || ' ' || token.address || ' ' || score as line
     from wallet_tag
     join wallet on wallet.id = wallet_id join token on token.id = token_id
     where wallet.address = $1 order by score desc, tag, token.address`,
    [trader(user)],
  )
  return rows.map(({ line }) => line)
}
