/**
 * Decoded changes of holders wait for the lanes of the ledger that write them, and for no others; and while none
 * progresses, no holder is read.
 */
import test, { type ExecutionContext } from 'ava'
import { Prng } from '../../../streams/simulator/prng.ts'
import {
  type HolderKey,
  type Market,
  openKnown,
  openMarket,
} from '../../support/ranking/holder-market.ts'

/** Tokens without a position: more than a refresh reads. */
const TOKENS_WITHOUT = 60_000
const LANES = 3
const STEPS = 120

test('wallets that traded are read when the ledger has come so far', async (t) => {
  const { market, first, second, third } = await openKnown(t)
  const ledgerReads = (sequence: number) => market.reads(0, sequence)
  await ledgerReads(5)
  market.feedEnds = [10]
  t.deepEqual(await market.refresh([first]), [])
  market.feedEnds = [12]
  t.deepEqual(await market.refresh([second]), [])
  await market.hold(first, 7n ** 20n, null)
  t.deepEqual(await market.refresh([]), [], 'the ledger stands at 5')
  await ledgerReads(11)
  t.deepEqual(await market.refresh([]), [first.tokenId])
  t.deepEqual(market.remembered(), await market.stored())
  await market.hold(second, 7n ** 21n, null)
  await market.hold(first, 0n, null)
  t.deepEqual(await market.refresh([]), [], 'the first is through, the second waits')
  await ledgerReads(12)
  t.deepEqual(await market.refresh([]), [first.tokenId])
  t.notDeepEqual(market.remembered(), await market.stored(), 'nobody told of the first again')
  await market.hold(third, 1n, null)
  t.deepEqual(await market.refresh([first, third]), [first.tokenId])
  t.deepEqual(market.remembered(), await market.stored())
  t.deepEqual(await market.refresh([]), [], 'nothing waits')
  for (const end of [20, 30]) {
    market.feedEnds = [end]
    t.deepEqual(await market.refresh([first]), [])
  }
  await market.hold(first, 5n, null)
  await ledgerReads(20)
  market.feedEnds = [40]
  t.deepEqual(await market.refresh([first]), [first.tokenId], 'it is read although it trades on')
  t.deepEqual(market.remembered(), await market.stored())
  await ledgerReads(40)
  t.deepEqual(await market.refresh([]), [first.tokenId])
  t.deepEqual(await market.refresh([]), [], 'nothing waits')
})

/**
 * Two lanes of the ledger; one is stopped before the decoded changes. `first` is of that one, `second` of the other.
 */
async function openHalfStopped(t: ExecutionContext) {
  const { market, single, ...known } = await openKnown(t)
  market.feedEnds = [10, 10]
  const stopped = market.laneOf(known.first)
  const going = market.laneOf(known.second)
  t.not(stopped, going)
  await market.reads(stopped, 5)
  await market.reads(going, 10)
  return { ...known, market, single, stopped, going }
}

test('a wallet waits only for its lane of the ledger', async (t) => {
  const { market, first, second, stopped, going } = await openHalfStopped(t)
  await market.hold(second, 7n ** 20n, null)
  t.deepEqual(await market.refresh([first, second]), [first.tokenId])
  t.deepEqual(market.remembered(), await market.stored())
  for (const end of [20, 30]) {
    await market.reads(going, end)
    t.deepEqual(await market.refresh([]), [], 'the first waits')
    market.feedEnds = [end, end]
    await market.hold(second, BigInt(end), null)
    t.deepEqual(await market.refresh([first, second]), [first.tokenId])
    t.deepEqual(market.remembered(), await market.stored())
  }
  await market.hold(first, 7n ** 21n, null)
  await market.reads(stopped, 10)
  t.deepEqual(await market.refresh([]), [first.tokenId], 'what was heard of it first is in')
  t.deepEqual(market.remembered(), await market.stored())
  await market.hold(first, 0n, null)
  await market.reads(stopped, 30)
  t.deepEqual(await market.refresh([]), [first.tokenId])
  t.deepEqual(market.remembered(), await market.stored())
  t.deepEqual(await market.refresh([]), [], 'nothing waits')
})

test('all positions of a token are read as lanes go on that it waits for, and then no more', async (t) => {
  const { market, single, stopped, going } = await openHalfStopped(t)
  await market.reads(going, 5)
  t.deepEqual(await market.refresh([single]), [single.tokenId])
  t.deepEqual(await market.refresh([]), [], 'the ledger is where it was')
  t.deepEqual(await market.refresh([single]), [], 'whatever was heard since')
  for (const sequence of [7, 10]) {
    await market.hold(single, BigInt(sequence), null)
    await market.reads(going, sequence)
    t.deepEqual(await market.refresh([]), [single.tokenId], 'in the meantime')
    t.deepEqual(market.remembered(), await market.stored())
  }
  await market.reads(going, 20)
  t.deepEqual(await market.refresh([]), [], 'only the lane that stands is waited for')
  await market.hold(single, 8n, null)
  market.watch.invalidate([single.tokenId])
  t.deepEqual(await market.refresh([]), [single.tokenId], 'a word has it read at once')
  t.deepEqual(market.remembered(), await market.stored())
  t.deepEqual(await market.refresh([]), [])
  await market.reads(stopped, 10)
  t.deepEqual(await market.refresh([]), [single.tokenId])
  await market.reads(stopped, 20)
  t.deepEqual(await market.refresh([]), [], 'nothing waits')
})

test('reads wallets while all positions of their token wait for a stopped lane', async (t) => {
  const { market, first, second, third, stopped, going } = await openHalfStopped(t)
  t.deepEqual(await market.refresh([first]), [])
  market.watch.invalidate([first.tokenId])
  t.deepEqual(await market.refresh([]), [first.tokenId])
  market.feedEnds = [20, 20]
  await market.reads(going, 20)
  await market.hold(second, 7n ** 20n, null)
  t.deepEqual(await market.refresh([second]), [first.tokenId])
  t.deepEqual(market.remembered(), await market.stored())
  await market.hold(third, 7n ** 21n, null)
  t.deepEqual(await market.refresh([second]), [first.tokenId])
  t.notDeepEqual(market.remembered(), await market.stored(), 'the second alone was read')
  await market.reads(stopped, 20)
  t.deepEqual(await market.refresh([]), [first.tokenId])
  t.deepEqual(market.remembered(), await market.stored())
  t.deepEqual(await market.refresh([]), [], 'nothing waits')
})

test('reads a recomputed position at once, and again once its events are read', async (t) => {
  const { market, first, stopped } = await openHalfStopped(t)
  t.deepEqual(await market.refresh([first]), [])
  await market.hold(first, 7n ** 20n, null)
  market.watch.invalidateWallet(first.tokenId, first.walletId)
  t.deepEqual(await market.refresh([]), [first.tokenId])
  t.deepEqual(market.remembered(), await market.stored())
  t.deepEqual(await market.refresh([]), [], 'its lane stands')
  await market.hold(first, 7n ** 21n, null)
  await market.reads(stopped, 10)
  t.deepEqual(await market.refresh([]), [first.tokenId])
  t.deepEqual(market.remembered(), await market.stored())
  t.deepEqual(await market.refresh([]), [], 'nothing waits')
})

test('a lane that never committed has read no message', async (t) => {
  const { market, first, second, single } = await openKnown(t)
  market.feedEnds = [10, 10]
  t.deepEqual(await market.refresh([first, second, single]), [])
  // A worker notes its lanes before it has read anything.
  await market.reads(0, 0, null)
  await market.reads(1, 0, null)
  t.deepEqual(await market.refresh([]), [])
  await market.hold(first, 7n ** 20n, null)
  await market.hold(second, 7n ** 21n, null)
  await market.hold(single, 5n, null)
  for (const lane of [0, 1]) await market.reads(lane, 10)
  t.deepEqual(new Set(await market.refresh([])), new Set([first.tokenId, single.tokenId]))
  t.deepEqual(market.remembered(), await market.stored())
  t.deepEqual(await market.refresh([]), [], 'nothing waits')
})

test('without a ledger all is read once, and again when one comes', async (t) => {
  const market = await openMarket(t)
  market.feedEnds = [10, 10]
  const tokenIds = [...market.tokens.keys()]
  t.deepEqual(await market.refresh([], true), tokenIds)
  t.deepEqual(await market.refresh([]), [])
  t.deepEqual(await market.refresh(market.keys), [])
  for (const key of market.keys) await market.hold(key, 5n, null)
  for (const lane of [0, 1]) await market.reads(lane, 10)
  t.deepEqual(new Set(await market.refresh([])), new Set(tokenIds))
  t.deepEqual(market.remembered(), await market.stored())
  t.deepEqual(await market.refresh([]), [], 'nothing waits')
})

test('does not compare sequences of a lost FEED with the present one', async (t) => {
  const { market, first } = await openKnown(t)
  await market.reads(0, 90, 'new', 'ranking')
  await market.reads(0, 100, 'old')
  market.feedEnds = [10]
  t.deepEqual(await market.refresh([first]), [])
  await market.reads(0, 9, 'new')
  t.deepEqual(await market.refresh([]), [])
  await market.hold(first, 7n ** 20n, null)
  await market.reads(0, 10, 'new')
  t.deepEqual(await market.refresh([]), [first.tokenId])
  t.deepEqual(market.remembered(), await market.stored())
})

test('reads waiting tokens in portions, a bounded number a refresh', async (t) => {
  const market = await openMarket(t)
  const held = market.tokens.size
  for (let n = 0; n < TOKENS_WITHOUT; n++)
    market.tokens.set(1_000_000 + n, { holderStats: undefined })
  market.feedEnds = [10]
  t.is((await market.refresh([], true)).length, held + TOKENS_WITHOUT)
  await market.reads(0, 5)
  const read = new Set(await market.refresh([]))
  t.true(read.size > 49_000 && read.size <= 50_001, `${read.size}`)
  await market.reads(0, 6)
  const next = await market.refresh([])
  t.deepEqual(
    next.slice(0, held + TOKENS_WITHOUT - read.size).filter((tokenId) => read.has(tokenId)),
    [],
    'first those that were not',
  )
})

/** A ledger whose lanes read a feed each at its own pace, and write what they read. */
class Ledger {
  readonly market: Market
  private readonly feed: { lane: number; key: HolderKey; balance: bigint }[] = []
  private readonly reached: number[] = Array.from({ length: LANES }, () => 0)
  /** Lanes that progressed and have not caught up with FEED: their changes need not have been read again. */
  readonly halfway = new Set<number>()

  constructor(market: Market) {
    this.market = market
  }

  publish(key: HolderKey, balance: bigint): void {
    const lane = this.market.laneOf(key)
    this.feed.push({ lane, key, balance })
    this.market.feedEnds[lane] = this.feed.length
  }

  async readTo(lane: number, sequence: number): Promise<void> {
    const from = this.reached[lane]!
    for (const swap of this.feed.slice(from, sequence)) {
      if (swap.lane === lane) await this.market.hold(swap.key, swap.balance, null)
    }
    this.reached[lane] = sequence
    await this.market.reads(lane, sequence)
    if (sequence >= this.market.feedEnds[lane]!) this.halfway.delete(lane)
    else this.halfway.add(lane)
  }

  async go(prng: Prng): Promise<void> {
    for (const [lane, reached] of this.reached.entries()) {
      if (prng.chance(0.5)) continue
      const left = this.feed.length - reached
      await this.readTo(lane, prng.chance(0.8) ? this.feed.length : reached + prng.below(left + 1))
    }
  }

  async catchUp(): Promise<void> {
    for (const lane of this.reached.keys()) await this.readTo(lane, this.feed.length)
  }
}

test('holders equal the positions of lanes that have caught up, whatever others do', async (t) => {
  const market = await openMarket(t)
  market.feedEnds = Array.from({ length: LANES }, () => 0)
  await market.refresh([], true)
  const ledger = new Ledger(market)
  const prng = new Prng([602, 1])
  let compared = 0
  for (let step = 0; step < STEPS; step++) {
    const traded = Array.from({ length: prng.below(4) }, () => {
      return market.keys[prng.below(market.keys.length)]!
    })
    market.feedEnds = [...market.feedEnds]
    for (const key of traded) ledger.publish(key, BigInt(prng.below(1_000)))
    await ledger.go(prng)
    if (prng.chance(0.05))
      market.watch.invalidate([market.keys[prng.below(market.keys.length)]!.tokenId])
    if (prng.chance(0.1)) {
      const again = market.keys[prng.below(market.keys.length)]!
      await market.hold(again, BigInt(prng.below(1_000)), null)
      market.watch.invalidateWallet(again.tokenId, again.walletId)
    }
    await market.refresh(traded)
    if (ledger.halfway.size > 0) continue
    compared += 1
    t.deepEqual(market.remembered(), await market.stored(), `step ${step}`)
  }
  t.true(compared > STEPS / 4, `${compared}`)
  await ledger.catchUp()
  await market.refresh([])
  t.deepEqual(market.remembered(), await market.stored())
  t.deepEqual(await market.refresh([]), [], 'nothing waits')
})
