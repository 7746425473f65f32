/**
 * Holders of tokens whose wallets alone are read again: whatever trades, they are what the database says of all
 * positions; and what nobody told of is found when the token is folded again, or in the end. What was heard waits
 * for the ledger.
 */
import test, { type ExecutionContext } from 'ava'
import type { Db } from '../../../sql/db.ts'
import { Prng } from '../../../streams/market/prng.ts'
import { byPages, readHoldings } from '../../../workers/ranking/board-store.ts'
import { HolderWatch } from '../../../workers/ranking/holders.ts'
import type { Holding } from '../../../workers/ranking/track.ts'
import { insertLedger } from '../../api/insert-ledger.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../api/sample-swap.ts'
import { testDatabase } from '../../support/database.ts'

const NEWEST_MS = Date.UTC(2026, 6, 20, 13, 7)
const END_MINUTE = NEWEST_MS / 60_000
const FROM_MINUTE = END_MINUTE - 1_440
/** Wallets that hold the first, the second, the third token. */
const HOLDERS = [60, 12, 1]
const STEPS = 80
const READINGS_UNTIL_WHOLE = 1_001
/** Tokens without a position: more than a roll reads. */
const TOKENS_WITHOUT = 60_000

type PositionRow = { token_id: number; balance: string; held_changes: number[] | null }
type Place = { tokenId: number; walletId: number }

class Market {
  readonly db: Db
  readonly places: readonly Place[]
  readonly tracks: Map<number, { holding: Holding | undefined }>
  readonly watch: HolderWatch
  /** By wallet lane. */
  feedEnds = [0]

  constructor(db: Db, places: readonly Place[]) {
    this.db = db
    this.places = places
    this.watch = new HolderWatch(db, async () => this.feedEnds)
    this.tracks = new Map(places.map(({ tokenId }) => [tokenId, { holding: undefined }]))
  }

  /** As a roll does it; answers with the tokens that were read. */
  async roll(traded: readonly Place[], isFirst = false): Promise<number[]> {
    for (const { tokenId, walletId } of traded) this.watch.note(tokenId, walletId)
    await this.watch.touch(isFirst ? this.tracks.keys() : traded.map(({ tokenId }) => tokenId))
    return this.watch.read(this.tracks, END_MINUTE, isFirst)
  }

  laneOf({ walletId }: Place): number {
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

  async hold({ tokenId, walletId }: Place, balance: bigint, changes: number[] | null) {
    await this.db.query(
      'update position set balance = $3, held_changes = $4 where token_id = $1 and wallet_id = $2',
      [tokenId, walletId, balance, changes],
    )
  }

  /** Of all positions, as whoever counts them would say. */
  async stored(): Promise<Map<number, unknown>> {
    const { rows } = await this.db.query<PositionRow>(
      'select token_id, balance, held_changes from position order by token_id',
    )
    const byToken = Map.groupBy(rows, (row) => row.token_id)
    return new Map([...byToken].map(([tokenId, own]) => [tokenId, shown(naive(own))]))
  }

  /** As the database sums them. */
  async summed(): Promise<Map<number, unknown>> {
    const found = await readHoldings(this.db, [...this.tracks.keys()], FROM_MINUTE)
    const tokenIds = [...found.keys()].sort((a, b) => a - b)
    return new Map(tokenIds.map((tokenId) => [tokenId, shown(found.get(tokenId)!.holding)]))
  }

  remembered(): Map<number, unknown> {
    const known = [...this.tracks].filter(([, { holding }]) => holding !== undefined)
    return new Map(known.map(([tokenId, { holding }]) => [tokenId, shown(holding!)]))
  }
}

/** Changes have no order, and a minute may be named with nothing in it. */
const shown = ({ now, top10Share, changes }: Holding) => ({
  now,
  top10Share: Number(top10Share.toPrecision(12)),
  changes: changes
    .filter(({ net }) => net !== 0)
    .sort((a, b) => a.minute - b.minute)
    .map(({ minute, net }) => `${minute} ${net}`),
})

function naive(rows: readonly PositionRow[]): Holding {
  const balances = rows.map(({ balance }) => BigInt(balance)).sort((a, b) => (a > b ? -1 : 1))
  const sum = (some: bigint[]) => Number(some.reduce((a, b) => a + b, 0n))
  const all = rows.flatMap((row) => row.held_changes ?? [])
  const minutes = [...new Set(all.map(Math.abs))].filter((minute) => minute >= FROM_MINUTE)
  return {
    now: balances.filter((balance) => balance > 0n).length,
    top10Share: sum(balances) === 0 ? 0 : sum(balances.slice(0, 10)) / sum(balances),
    changes: minutes.map((minute) => ({
      minute,
      net: all.reduce(
        (net, change) => net + (Math.abs(change) === minute ? Math.sign(change) : 0),
        0,
      ),
    })),
  }
}

async function openMarket(t: ExecutionContext): Promise<Market> {
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
  const places = rows.map((row) => ({ tokenId: row.token_id, walletId: row.wallet_id }))
  return new Market(db, places)
}

/** A market whose first token is read by wallet. */
async function openKnown(t: ExecutionContext) {
  const market = await openMarket(t)
  const [first, second, third] = market.places as [Place, Place, Place]
  const single = market.places.at(-1)!
  await market.roll([], true)
  await market.roll([first])
  t.deepEqual(market.remembered(), await market.stored())
  return { market, first, second, third, single }
}

test('holders are those of all positions, whoever traded, came and went', async (t) => {
  const market = await openMarket(t)
  const prng = new Prng([601, 1])
  await market.db.query('create table gone as select * from position with no data')
  const change = async (place: Place) => {
    const { tokenId, walletId } = place
    const own = `token_id = ${tokenId} and wallet_id = ${walletId}`
    const isBack = prng.below(4) > 0
    await market.db.query(
      isBack
        ? `with back as (delete from gone where ${own} returning *) insert into position select * from back`
        : `with away as (delete from position where ${own} returning *) insert into gone select * from away`,
    )
    const scale = [0n, 1n, 10n ** 9n, 10n ** 15n, 2n ** 63n][prng.below(5)]!
    const minutes = Array.from({ length: prng.below(4) }, () => END_MINUTE - prng.below(1_600))
    const changes = minutes.map((minute) => (prng.below(2) === 0 ? minute : -minute))
    const isNull = changes.length === 0 && prng.below(2) === 0
    await market.hold(place, scale * BigInt(1 + prng.below(5)), isNull ? null : changes)
  }
  await market.roll([], true)
  for (let step = 0; step < STEPS; step++) {
    const count = step % 10 === 0 ? 50 : 1 + prng.below(3)
    const traded = Array.from(
      { length: count },
      () => market.places[prng.below(market.places.length)]!,
    )
    for (const place of traded) await change(place)
    const read = await market.roll(traded)
    t.deepEqual(
      new Set(read),
      new Set(traded.map(({ tokenId }) => tokenId)),
      'those that traded were read',
    )
    const stored = await market.stored()
    t.deepEqual(market.remembered(), stored, `step ${step}`)
    t.deepEqual(await market.summed(), stored, `summed at step ${step}`)
  }
})

test('of a token that is known only wallets that traded are read, until it is folded again', async (t) => {
  const { market, first, second } = await openKnown(t)
  await market.hold(second, 7n ** 20n, null)
  await market.roll([first])
  t.notDeepEqual(market.remembered(), await market.stored(), 'nobody told of it')
  market.watch.tell([second.tokenId])
  await market.roll([])
  t.deepEqual(market.remembered(), await market.stored())
})

test('what nobody told of is found in the end', async (t) => {
  const { market, first, second } = await openKnown(t)
  await market.hold(second, 7n ** 20n, null)
  for (let roll = 0; roll < READINGS_UNTIL_WHOLE; roll++) await market.roll([first])
  t.deepEqual(market.remembered(), await market.stored())
})

test('wallets that traded are read when the ledger has come so far', async (t) => {
  const { market, first, second, third } = await openKnown(t)
  const ledgerReads = (sequence: number) => market.reads(0, sequence)
  await ledgerReads(5)
  market.feedEnds = [10]
  t.deepEqual(await market.roll([first]), [])
  market.feedEnds = [12]
  t.deepEqual(await market.roll([second]), [])
  await market.hold(first, 7n ** 20n, null)
  t.deepEqual(await market.roll([]), [], 'the ledger stands at 5')
  await ledgerReads(11)
  t.deepEqual(await market.roll([]), [first.tokenId])
  t.deepEqual(market.remembered(), await market.stored())
  await market.hold(second, 7n ** 21n, null)
  await market.hold(first, 0n, null)
  t.deepEqual(await market.roll([]), [], 'the first is through, the second waits')
  await ledgerReads(12)
  t.deepEqual(await market.roll([]), [first.tokenId])
  t.notDeepEqual(market.remembered(), await market.stored(), 'nobody told of the first again')
  await market.hold(third, 1n, null)
  t.deepEqual(await market.roll([first, third]), [first.tokenId])
  t.deepEqual(market.remembered(), await market.stored())
  t.deepEqual(await market.roll([]), [], 'nothing waits')
  for (const end of [20, 30]) {
    market.feedEnds = [end]
    t.deepEqual(await market.roll([first]), [])
  }
  await market.hold(first, 5n, null)
  await ledgerReads(20)
  market.feedEnds = [40]
  t.deepEqual(await market.roll([first]), [first.tokenId], 'it is read although it trades on')
  t.deepEqual(market.remembered(), await market.stored())
  await ledgerReads(40)
  t.deepEqual(await market.roll([]), [first.tokenId])
  t.deepEqual(await market.roll([]), [], 'nothing waits')
})

/** Two lanes of the ledger; one stands before what is heard. `first` is of that one, `second` of the other. */
async function openHalfStanding(t: ExecutionContext) {
  const { market, single, ...known } = await openKnown(t)
  market.feedEnds = [10, 10]
  const standing = market.laneOf(known.first)
  const going = market.laneOf(known.second)
  t.not(standing, going)
  await market.reads(standing, 5)
  await market.reads(going, 10)
  return { ...known, market, single, standing, going }
}

test('all positions of a token are read as lanes go on that it waits for, and then no more', async (t) => {
  const { market, single, standing, going } = await openHalfStanding(t)
  await market.reads(going, 5)
  t.deepEqual(await market.roll([single]), [single.tokenId])
  t.deepEqual(await market.roll([]), [], 'the ledger is where it was')
  t.deepEqual(await market.roll([single]), [], 'whatever was heard since')
  for (const sequence of [7, 10]) {
    await market.hold(single, BigInt(sequence), null)
    await market.reads(going, sequence)
    t.deepEqual(await market.roll([]), [single.tokenId], 'in the meantime')
    t.deepEqual(market.remembered(), await market.stored())
  }
  await market.reads(going, 20)
  t.deepEqual(await market.roll([]), [], 'only the lane that stands is waited for')
  await market.hold(single, 8n, null)
  market.watch.tell([single.tokenId])
  t.deepEqual(await market.roll([]), [single.tokenId], 'a word has it read at once')
  t.deepEqual(market.remembered(), await market.stored())
  t.deepEqual(await market.roll([]), [])
  await market.reads(standing, 10)
  t.deepEqual(await market.roll([]), [single.tokenId])
  await market.reads(standing, 20)
  t.deepEqual(await market.roll([]), [], 'nothing waits')
})

test('a lane that never committed has read nothing', async (t) => {
  const { market, first, second, single } = await openKnown(t)
  market.feedEnds = [10, 10]
  t.deepEqual(await market.roll([first, second, single]), [])
  // As a worker notes its lanes before it has read anything.
  await market.reads(0, 0, null)
  await market.reads(1, 0, null)
  t.deepEqual(await market.roll([]), [])
  await market.hold(first, 7n ** 20n, null)
  await market.hold(second, 7n ** 21n, null)
  await market.hold(single, 5n, null)
  for (const lane of [0, 1]) await market.reads(lane, 10)
  t.deepEqual(new Set(await market.roll([])), new Set([first.tokenId, single.tokenId]))
  t.deepEqual(market.remembered(), await market.stored())
  t.deepEqual(await market.roll([]), [], 'nothing waits')
})

test('without a ledger all is read once, and again when one comes', async (t) => {
  const market = await openMarket(t)
  market.feedEnds = [10, 10]
  const tokenIds = [...market.tracks.keys()]
  t.deepEqual(await market.roll([], true), tokenIds)
  t.deepEqual(await market.roll([]), [])
  t.deepEqual(await market.roll(market.places), [])
  for (const place of market.places) await market.hold(place, 5n, null)
  for (const lane of [0, 1]) await market.reads(lane, 10)
  t.deepEqual(new Set(await market.roll([])), new Set(tokenIds))
  t.deepEqual(market.remembered(), await market.stored())
  t.deepEqual(await market.roll([]), [], 'nothing waits')
})

test('sequences of a feed that was lost are none of the one that is read', async (t) => {
  const { market, first } = await openKnown(t)
  await market.reads(0, 90, 'new', 'ranking')
  await market.reads(0, 100, 'old')
  market.feedEnds = [10]
  t.deepEqual(await market.roll([first]), [])
  await market.reads(0, 9, 'new')
  t.deepEqual(await market.roll([]), [])
  await market.hold(first, 7n ** 20n, null)
  await market.reads(0, 10, 'new')
  t.deepEqual(await market.roll([]), [first.tokenId])
  t.deepEqual(market.remembered(), await market.stored())
})

test('tokens that wait are read in turns, so many a roll', async (t) => {
  const market = await openMarket(t)
  const held = market.tracks.size
  for (let n = 0; n < TOKENS_WITHOUT; n++) market.tracks.set(1_000_000 + n, { holding: undefined })
  market.feedEnds = [10]
  t.is((await market.roll([], true)).length, held + TOKENS_WITHOUT)
  await market.reads(0, 5)
  const read = new Set(await market.roll([]))
  t.true(read.size > 49_000 && read.size <= 50_001, `${read.size}`)
  await market.reads(0, 6)
  const next = await market.roll([])
  t.deepEqual(
    next.slice(0, held + TOKENS_WITHOUT - read.size).filter((tokenId) => read.has(tokenId)),
    [],
    'first those that were not',
  )
})

test('tokens are taken by pages, each once, and a fault is told', async (t) => {
  const taken: number[] = []
  const tokenIds = Array.from({ length: 4_321 }, (_, tokenId) => tokenId)
  await byPages(tokenIds, async (page) => {
    t.true(page.length <= 1_000)
    taken.push(...page)
  })
  t.deepEqual(
    taken.sort((a, b) => a - b),
    tokenIds,
  )
  const failing = byPages(tokenIds, () => Promise.reject(new RangeError('page')))
  await t.throwsAsync(failing, { instanceOf: RangeError })
})
