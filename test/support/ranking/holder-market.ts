/**
 * A market whose holders a test watches: positions that it changes at will, readings like those of a refresh, and the
 * holders by all positions, counted plainly.
 */
import type { ExecutionContext } from 'ava'
import type { Db } from '../../../sql/db.ts'
import { HolderRefresher } from '../../../workers/ranking/holders/holder-refresher.ts'
import { readHolderStats } from '../../../workers/ranking/holders/holder-store.ts'
import type { HolderStats } from '../../../workers/ranking/series/token-series.ts'
import { insertLedger } from '../api/insert-ledger.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../market/sample-swap.ts'
import { testDatabase } from '../servers/database.ts'

const NEWEST_MS = Date.UTC(2026, 6, 20, 13, 7)
export const END_MINUTE = NEWEST_MS / 60_000
const FROM_MINUTE = END_MINUTE - 1_440
/** Wallets that hold the first, the second, the third token. */
const HOLDERS = [60, 12, 1]

type PositionRow = { token_id: number; balance: string; held_changes: number[] | null }
export type HolderKey = { tokenId: number; walletId: number }

export class Market {
  readonly db: Db
  readonly keys: readonly HolderKey[]
  readonly tokens: Map<number, { holderStats: HolderStats | undefined }>
  readonly watch: HolderRefresher
  /** By wallet lane. */
  feedEnds = [0]

  constructor(db: Db, holders: readonly HolderKey[]) {
    this.db = db
    this.keys = holders
    this.watch = new HolderRefresher(db, async () => this.feedEnds)
    this.tokens = new Map(holders.map(({ tokenId }) => [tokenId, { holderStats: undefined }]))
  }

  /** Refreshes the holders; returns the tokens that were read. */
  async refresh(traded: readonly HolderKey[], isFirst = false): Promise<number[]> {
    for (const key of traded) {
      this.watch.note(key.tokenId, key.walletId, this.laneOf(key))
    }
    await this.watch.touch(isFirst ? this.tokens.keys() : traded.map(({ tokenId }) => tokenId))
    return this.watch.read(this.tokens, END_MINUTE, isFirst)
  }

  laneOf({ walletId }: HolderKey): number {
    return walletId % this.feedEnds.length
  }

  /** The checkpoint of a lane of the ledger, or of another actor. */
  async reads(lane: number, sequence: number, epoch: string | null = 'e', actor = 'ledger') {
    await this.db.query(
      `insert into checkpoint (actor, lane, stream_epoch, sequence) values ($1, $2, $3, $4)
       on conflict (actor, lane) do update set
         stream_epoch = excluded.stream_epoch, sequence = excluded.sequence`,
      [actor, lane, epoch, sequence],
    )
  }

  async hold({ tokenId, walletId }: HolderKey, balance: bigint, changes: number[] | null) {
    await this.db.query(
      'update position set balance = $3, held_changes = $4 where token_id = $1 and wallet_id = $2',
      [tokenId, walletId, balance, changes],
    )
  }

  /** Holdings of all positions, by a plain count. */
  async stored(): Promise<Map<number, unknown>> {
    const { rows } = await this.db.query<PositionRow>(
      'select token_id, balance, held_changes from position order by token_id',
    )
    const byToken = Map.groupBy(rows, (row) => row.token_id)
    return new Map([...byToken].map(([tokenId, own]) => [tokenId, shown(naive(own))]))
  }

  /** Returns the sums of the database. */
  async summed(): Promise<Map<number, unknown>> {
    const found = await readHolderStats(this.db, [...this.tokens.keys()], FROM_MINUTE)
    const tokenIds = [...found.keys()].sort((a, b) => a - b)
    return new Map(tokenIds.map((tokenId) => [tokenId, shown(found.get(tokenId)!.holderStats)]))
  }

  remembered(): Map<number, unknown> {
    const known = [...this.tokens].filter(([, { holderStats }]) => holderStats !== undefined)
    return new Map(known.map(([tokenId, { holderStats }]) => [tokenId, shown(holderStats!)]))
  }
}

/** Changes have no order, and a minute may be named without a change. */
const shown = ({ now, top10Share, changes }: HolderStats) => ({
  now,
  top10Share: Number(top10Share.toPrecision(12)),
  changes: Array.from({ length: changes.length / 2 }, (_, key) => ({
    minute: changes[2 * key]!,
    net: changes[2 * key + 1]!,
  }))
    .filter(({ net }) => net !== 0)
    .sort((a, b) => a.minute - b.minute)
    .map(({ minute, net }) => `${minute} ${net}`),
})

function naive(rows: readonly PositionRow[]): HolderStats {
  const balances = rows.map(({ balance }) => BigInt(balance)).sort((a, b) => (a > b ? -1 : 1))
  const sum = (some: bigint[]) => Number(some.reduce((a, b) => a + b, 0n))
  const all = rows.flatMap((row) => row.held_changes ?? [])
  const minutes = [...new Set(all.map(Math.abs))].filter((minute) => minute >= FROM_MINUTE)
  return {
    now: balances.filter((balance) => balance > 0n).length,
    top10Share: sum(balances) === 0 ? 0 : sum(balances.slice(0, 10)) / sum(balances),
    changes: minutes.flatMap((minute) => [
      minute,
      all.reduce((net, change) => net + (Math.abs(change) === minute ? Math.sign(change) : 0), 0),
    ]),
  }
}

export async function openMarket(t: ExecutionContext): Promise<Market> {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const holders = HOLDERS.flatMap((count, token) =>
    Array.from({ length: count }, (_, wallet) => ({ token, wallet })),
  )
  const swaps = holders.map(({ token, wallet }, n) =>
    sampleSwap({
      signature: signatureOf(n),
      slot: 1_000 + n,
      timestamp: NEWEST_MS - n * 30_000,
      tokenAddress: mint(token),
      pairAddress: pair(token),
      user: trader(wallet),
      isBuy: true,
      tokenAmount: 1_000 + n,
    }),
  )
  await insertLedger(db, swaps)
  const { rows } = await db.query<{ token_id: number; wallet_id: number }>(
    'select token_id, wallet_id from position order by token_id, wallet_id',
  )
  const keys = rows.map((row) => ({ tokenId: row.token_id, walletId: row.wallet_id }))
  return new Market(db, keys)
}

/** A market whose first token is read by wallet. */
export async function openKnown(t: ExecutionContext) {
  const market = await openMarket(t)
  const [first, second, third] = market.keys as [HolderKey, HolderKey, HolderKey]
  const single = market.keys.at(-1)!
  await market.refresh([], true)
  await market.refresh([first])
  t.deepEqual(market.remembered(), await market.stored())
  return { market, first, second, third, single }
}
