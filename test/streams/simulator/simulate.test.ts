/** The simulated market as a whole: determinism, the contract, order, identity, behaviour of traders. */
import { createHash } from 'node:crypto'
import test from 'ava'
import { compareEvents, type Event } from '../../../domain/events/event.ts'
import { poolEventIdentity } from '../../../domain/events/pool-event.ts'
import { compareSwaps, isDust, type Swap } from '../../../domain/events/swap.ts'
import { checkEvent } from '../../../streams/ingest/contract.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'
import { swapIdentity } from '../../support/market/swap-identity.ts'

const FROM_MS = Date.UTC(2026, 7, 1)
const DAY_MS = 86_400_000
const SOL = 1_000_000_000
/** One run that most tests look at. */
const EVENTS = [...simulate({ seed: 5, swaps: 30_000, fromMs: FROM_MS })]
const SWAPS = swapsOf(EVENTS)

function swapsOf(events: readonly Event[]): Swap[] {
  return events.flatMap((event) => (event.kind === 'swap' ? [event.swap] : []))
}

function hashOf(events: Iterable<Event>): string {
  const hash = createHash('sha256')
  for (const event of events) {
    hash.update(
      JSON.stringify(event, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
    )
  }
  return hash.digest('hex')
}

test('the same options give the same events, today and on any machine', (t) => {
  const options = { seed: 1, swaps: 5_000, fromMs: FROM_MS }
  t.is(hashOf(simulate(options)), hashOf(simulate(options)))
  // Pinned: a change of this hash is a change of every simulated market.
  t.is(
    hashOf(simulate(options)),
    '5ef3e744738c6fa792a9cda95785242f942900d66d19282d4743386c9aa1f7da',
  )
})

test('a longer run begins with the shorter one, which has the requested number of swaps', (t) => {
  const short = [...simulate({ seed: 5, swaps: 777, fromMs: FROM_MS })]
  t.is(swapsOf(short).length, 777)
  t.deepEqual(short, EVENTS.slice(0, short.length))
  t.deepEqual([...simulate({ seed: 5, swaps: 0, fromMs: FROM_MS })], [])
})

test('a market begun at another time or with another seed repeats no signature', (t) => {
  const options = { seed: 5, swaps: 2_000, fromMs: FROM_MS + 400 }
  const signatures = new Set(SWAPS.map((swap) => swap.signature))
  const others = [...simulate(options), ...simulate({ ...options, seed: 6 })]
  t.false(swapsOf(others).some((swap) => signatures.has(swap.signature)))
})

test('options that make no market are refused by name', (t) => {
  const options = { seed: 1, swaps: 10, fromMs: FROM_MS }
  const first = (changed: object) => simulate({ ...options, ...changed }).next()
  t.throws(() => first({ seed: 0.5 }), { instanceOf: RangeError, message: /^seed "0.5"/ })
  t.throws(() => first({ fromMs: NaN }), { instanceOf: RangeError, message: /^fromMs "NaN"/ })
  t.throws(() => first({ swapsPerSlot: 0 }), { instanceOf: RangeError, message: /^swapsPerSlot/ })
  for (const past of [
    { swaps: 1, days: 0 },
    { swaps: -1, days: 1 },
    { swaps: NaN, days: 1 },
    { swaps: 432_001, days: 1 },
    { swaps: 1, days: 100_000 },
  ]) {
    t.throws(() => first({ past }), { instanceOf: RangeError, message: /^past: / })
  }
})

test('every event passes the ingest contract', (t) => {
  for (const event of EVENTS) {
    const refusal = checkEvent(event)
    if (refusal !== undefined) t.fail(`${JSON.stringify(refusal)}`)
  }
  t.true(EVENTS.length > 30_000)
})

test('no identity comes twice', (t) => {
  t.is(new Set(SWAPS.map(swapIdentity)).size, SWAPS.length)
  const poolEvents = EVENTS.flatMap((event) =>
    event.kind === 'pool_event' ? [event.poolEvent] : [],
  )
  t.is(new Set(poolEvents.map(poolEventIdentity)).size, poolEvents.length)
})

test('emits the events of each venue in canonical order, a pool event before the swaps of its position', (t) => {
  const lastOf = new Map<number, Event>()
  for (const event of EVENTS) {
    if (event.kind === 'token') continue
    const dex = event.kind === 'swap' ? event.swap.dex : event.poolEvent.dex
    const last = lastOf.get(dex)
    lastOf.set(dex, event)
    if (last === undefined) continue
    if (compareEvents(last, event) > 0) t.fail(JSON.stringify([last, event]))
    if (last.kind !== 'swap' || event.kind !== 'swap') continue
    if (compareSwaps(last.swap, event.swap) >= 0) t.fail(JSON.stringify([last, event]))
  }
  t.is(lastOf.size, 10)
})

test('slots are 400 ms apart and hold the requested number of swaps on average', (t) => {
  const events = [
    ...simulate({ seed: 2, swaps: 10_000, fromMs: FROM_MS, fromSlot: 1000, swapsPerSlot: 20 }),
  ]
  const swaps = swapsOf(events)
  t.true(swaps.every((swap) => swap.timestamp === FROM_MS + (swap.slot - 1000) * 400))
  const perSlot = swaps.length / (swaps.at(-1)!.slot - 1000 + 1)
  t.true(perSlot > 18 && perSlot < 22, `${perSlot}`)
  const sparse = swapsOf([
    ...simulate({ seed: 2, swaps: 500, fromMs: FROM_MS, fromSlot: 0, swapsPerSlot: 0.5 }),
  ])
  t.true(sparse.at(-1)!.slot > 800 && sparse.at(-1)!.slot < 1200)
})

test('a past grows towards the first slot, where the market continues with the same wallets', (t) => {
  const past = { swaps: 6_000, days: 30 }
  const options = { seed: 8, swaps: 9_000, fromMs: FROM_MS, swapsPerSlot: 40, past }
  const events = [...simulate(options)]
  for (const event of events) t.is(checkEvent(event), undefined)
  const swaps = swapsOf(events)
  const slots = swaps.map(({ slot }) => slot)
  t.deepEqual(
    slots,
    slots.toSorted((one, other) => one - other),
  )
  const last = swaps.at(-1)!
  t.true(
    swaps.every(({ slot, timestamp }) => timestamp - last.timestamp === (slot - last.slot) * 400),
  )
  const before = swaps.filter(({ timestamp }) => timestamp < FROM_MS)
  t.true(Math.abs(before.length - past.swaps) < 300, `${before.length} swaps before`)
  const perDay = Array.from({ length: past.days }, () => 0)
  for (const { timestamp } of before) perDay[Math.ceil((FROM_MS - timestamp) / DAY_MS) - 1]! += 1
  t.true(perDay[0]! > 10 * perDay.at(-1)!, `${perDay}`)
  t.true(perDay.every((count) => count > 0))
  t.true(swaps[0]!.timestamp < FROM_MS - 29.9 * DAY_MS)
  const present = swaps.slice(before.length)
  t.is(present[0]!.timestamp, FROM_MS)
  const known = new Set(before.map(({ user }) => user))
  t.true(present.filter(({ user }) => known.has(user)).length > present.length / 2)
})

test('a market without a past is the same as one with a past of no swap', (t) => {
  const options = { seed: 1, swaps: 500, fromMs: FROM_MS }
  t.is(hashOf(simulate({ ...options, past: { swaps: 0, days: 0 } })), hashOf(simulate(options)))
})

test('transaction indexes are 0 before the dates from which they were recorded', (t) => {
  const positionsAt = (fromMs: number) => {
    const swaps = swapsOf([...simulate({ seed: 3, swaps: 20_000, fromMs })])
    return {
      blockTxIndex: swaps.some((swap) => swap.blockTxIndex > 0),
      ixIndex: swaps.some((swap) => swap.ixIndex > 0),
      agentTrade: swaps.some((swap) => swap.agentTrade === 2),
      isFree: swaps.some((swap) => swap.dex === 1 && swap.feeBps === 0),
    }
  }
  const isFree = true
  const none = { blockTxIndex: false, ixIndex: false, agentTrade: false, isFree }
  t.deepEqual(positionsAt(Date.UTC(2026, 4, 20)), none)
  t.deepEqual(positionsAt(Date.UTC(2026, 4, 30)), { ...none, ixIndex: true, agentTrade: true })
  const all = { blockTxIndex: true, ixIndex: true, agentTrade: true, isFree }
  t.deepEqual(positionsAt(Date.UTC(2026, 5, 10)), all)
})

test('sells no more than a wallet holds, but for a few that were given tokens', (t) => {
  const balances = new Map<string, bigint>()
  let uncovered = 0
  for (const swap of SWAPS) {
    const key = `${swap.user} ${swap.tokenAddress}`
    const balance = balances.get(key) ?? 0n
    const change = swap.isBuy
      ? BigInt(swap.tokenAmount) - BigInt(swap.transferFeeOut)
      : -BigInt(swap.tokenAmount) - BigInt(swap.transferFeeIn)
    if (balance + change < 0n) uncovered += 1
    balances.set(key, balance + change < 0n ? 0n : balance + change)
  }
  t.true(uncovered > 0 && uncovered < SWAPS.length * 0.001, `${uncovered}`)
})

test('about 5 % of the swaps are by wallets never seen before, and activity is a power law', (t) => {
  const swaps = swapsOf([...simulate({ seed: 5, swaps: 150_000, fromMs: FROM_MS })])
  const byWallet = new Map<string, number>()
  let fresh = 0
  swaps.forEach((swap, index) => {
    const before = byWallet.get(swap.user)
    // The first half makes the known wallets known.
    if (before === undefined && index >= swaps.length / 2) fresh += 1
    byWallet.set(swap.user, (before ?? 0) + 1)
  })
  const share = fresh / (swaps.length / 2)
  t.true(share > 0.04 && share < 0.065, `${share}`)
  const counts = [...byWallet.values()].sort((a, b) => b - a)
  // 1 / k: the tenth has about a tenth of the first's trades, the hundredth a tenth of that.
  for (const [from, to] of [
    [1, 10],
    [10, 100],
  ] as const) {
    const ratio = counts[from - 1]! / counts[to - 1]!
    t.true(ratio > 3 && ratio < 25, `${from} to ${to}: ${ratio}`)
  }
})

test('a few pools have most of the trades', (t) => {
  const byPool = new Map<string, number>()
  for (const swap of SWAPS) byPool.set(swap.pairAddress, (byPool.get(swap.pairAddress) ?? 0) + 1)
  const counts = [...byPool.values()].sort((a, b) => b - a)
  const top = counts.slice(0, Math.ceil(counts.length / 10)).reduce((sum, count) => sum + count, 0)
  t.true(top > SWAPS.length * 0.4, `${top}`)
})

test('snipers buy within three slots of the creation, of one token after the other', (t) => {
  const createdAt = new Map<string, number>()
  const sniped = new Map<string, Set<string>>()
  for (const event of EVENTS) {
    if (event.kind === 'pool_event' && event.poolEvent.event === 'created') {
      createdAt.set(event.poolEvent.pairAddress, event.poolEvent.slot)
    }
    if (event.kind !== 'swap' || !event.swap.isBuy) continue
    const created = createdAt.get(event.swap.pairAddress)
    if (created === undefined || event.swap.slot - created > 3) continue
    const mints = sniped.get(event.swap.user) ?? new Set()
    sniped.set(event.swap.user, mints.add(event.swap.tokenAddress))
  }
  t.true([...sniped.values()].filter((mints) => mints.size >= 5).length >= 10)
})

test('creators sell the token that they created', (t) => {
  const creatorOf = new Map(
    EVENTS.flatMap((event) =>
      event.kind === 'token' ? [[event.token.tokenAddress, event.token.creator] as const] : [],
    ),
  )
  const sells = SWAPS.filter(
    (swap) => !swap.isBuy && creatorOf.get(swap.tokenAddress) === swap.user,
  )
  t.true(sells.length > 50, `${sells.length}`)
})

test('arbitrageurs buy on one pool and sell the same on another in one transaction', (t) => {
  const bySignature = Map.groupBy(SWAPS, (swap) => swap.signature)
  const pairs = [...bySignature.values()].filter((swaps) => swaps.length > 1)
  t.true(pairs.length > 100, `${pairs.length}`)
  let sameVenue = 0
  for (const [buy, sell, ...more] of pairs) {
    t.is(more.length, 0)
    t.true(buy!.isBuy && !sell!.isBuy && buy!.user === sell!.user)
    t.is(buy!.tokenAddress, sell!.tokenAddress)
    t.not(buy!.pairAddress, sell!.pairAddress)
    t.deepEqual([buy!.slot, buy!.blockTxIndex], [sell!.slot, sell!.blockTxIndex])
    // Each decoder counts from 0: only a second swap of the same venue is number 1.
    t.deepEqual([buy!.ixIndex, sell!.ixIndex], [0, buy!.dex === sell!.dex ? 1 : 0])
    if (buy!.dex === sell!.dex) sameVenue += 1
  }
  t.true(sameVenue > 0 && sameVenue < pairs.length)
})

test('whales, agents, dust, cashback, transfer fees and amounts beyond 2^53 occur', (t) => {
  const share = (holds: (swap: Swap) => boolean) => SWAPS.filter(holds).length / SWAPS.length
  const within = (holds: (swap: Swap) => boolean, from: number, to: number) => {
    const seen = share(holds)
    t.true(seen > from && seen < to, `${holds}: ${seen}`)
  }
  within((swap) => swap.isBuy && swap.solAmount >= 50 * SOL, 0.0003, 0.02)
  within((swap) => swap.agentTrade === 2, 0.001, 0.02)
  within(isDust, 0.003, 0.05)
  within((swap) => swap.cashback > 0, 0.005, 0.2)
  within((swap) => swap.isBuy && swap.transferFeeOut > 0, 0.002, 0.1)
  within((swap) => !swap.isBuy && swap.transferFeeIn > 0, 0.002, 0.1)
  within((swap) => typeof swap.realTokenReserves === 'bigint', 0.005, 0.3)
  within((swap) => swap.quoteDecimals === 6, 0.6, 0.97)
  within((swap) => swap.quoteDecimals === 9, 0.02, 0.3)
  within((swap) => swap.quoteDecimals !== 9 && swap.quoteDecimals !== 6, 0.002, 0.2)
  within((swap) => swap.isBuy, 0.5, 0.7)
})

test('each venue publishes the prices that it has', (t) => {
  for (const swap of SWAPS) {
    const published = [swap.poolPrice, swap.priceBefore, swap.priceAfter].map((price) => price ?? 0)
    const expected = [
      [2, 4].includes(swap.dex),
      [4, 6, 9].includes(swap.dex),
      [4, 6, 7, 9].includes(swap.dex),
    ]
    if (published.some((price, which) => price > 0 !== expected[which]))
      t.fail(JSON.stringify(swap))
  }
  t.true(SWAPS.length > 0)
})

test('the dollar pools trade SOL at around 150, on three venues, and follow each other', (t) => {
  for (const mint of [
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
  ]) {
    const swaps = SWAPS.filter((swap) => swap.tokenAddress === mint && swap.solAmount >= SOL / 100)
    t.deepEqual([...new Set(swaps.map((swap) => swap.dex))].sort(), [3, 4, 5])
    t.true(swaps.length > 500)
    const rates = swaps
      .map((swap) => Number(swap.tokenAmount) / 1e6 / (Number(swap.solAmount) / SOL))
      .sort((a, b) => a - b)
    t.true(rates[0]! > 130 && rates.at(-1)! < 170, `${rates[0]} ${rates.at(-1)}`)
    const [low, high] = [
      rates[Math.floor(rates.length * 0.1)]!,
      rates[Math.floor(rates.length * 0.9)]!,
    ]
    t.true(high / low < 1.04, `${low} ${high}`)
  }
})

test('a sold-out curve stops trading and continues as the pool that migrated from it', (t) => {
  const left = new Map<string, string>()
  const seen = new Set<string>()
  const goesOn = new Set<string>()
  for (const event of EVENTS) {
    if (event.kind === 'pool_event' && event.poolEvent.event === 'migrated') {
      const { poolEvent } = event
      t.is(poolEvent.dex, 2)
      t.true(seen.has(poolEvent.fromPair!) && !seen.has(poolEvent.pairAddress))
      left.set(poolEvent.fromPair!, poolEvent.pairAddress)
    }
    if (event.kind !== 'swap') continue
    t.false(left.has(event.swap.pairAddress))
    seen.add(event.swap.pairAddress)
    if ([...left.values()].includes(event.swap.pairAddress)) goesOn.add(event.swap.pairAddress)
  }
  t.true(left.size >= 5, `${left.size}`)
  t.true(goesOn.size > 0)
})

test('a sold-out launch of venue 8 gets a pool on venue 3 next', (t) => {
  let soldOut: Swap | undefined
  let opened = 0
  for (const event of simulate({ seed: 8, swaps: 20_000, fromMs: FROM_MS })) {
    if (event.kind === 'swap') {
      const isLast = event.swap.dex === 8 && event.swap.realTokenReserves === 0
      soldOut = isLast ? event.swap : undefined
    } else if (event.kind === 'pool_event' && soldOut !== undefined) {
      const { event: kind, dex, tokenAddress } = event.poolEvent
      t.deepEqual([kind, dex, tokenAddress], ['created', 3, soldOut.tokenAddress])
      opened += 1
    }
  }
  t.is(opened, 1)
})

test('a token line comes before the first event of its mint, and slots never go back', (t) => {
  const reported = new Set<string>()
  for (const event of EVENTS) {
    if (event.kind === 'token') reported.add(event.token.tokenAddress)
    else {
      const { tokenAddress } = event.kind === 'swap' ? event.swap : event.poolEvent
      if (!reported.has(tokenAddress)) t.fail(tokenAddress)
    }
  }
  const slots = SWAPS.map((swap) => swap.slot)
  t.true(slots.every((slot, index) => index === 0 || slot >= slots[index - 1]!))
  t.true(SWAPS.at(-1)!.timestamp < FROM_MS + DAY_MS)
})
