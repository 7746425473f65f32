/**
 * Answers of SwapStream against a general protobuf library that reads the .proto file itself; and that
 * the answers of any cuts, laid end to end, are the filtered log.
 */
import test from 'ava'
import fc from 'fast-check'
import protobuf from 'protobufjs'
import { type FeedFilter, parseFilter, swapMatcher } from '../../../../api/feed/filter.ts'
import { SwapFrames } from '../../../../api/feed/grpc/swap-frames.ts'
import { FeedBatch } from '../../../../api/feed/log/batch.ts'
import { Subscription } from '../../../../api/feed/websocket/subscription.ts'
import { pricePerToken } from '../../../../domain/amount.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { encodeFeedBatch, type FeedEvent } from '../../../../streams/codec/event-codec.ts'
import { encodeRetracted } from '../../../../streams/codec/retraction-codec.ts'
import { type Cursor, readCursor } from '../../../../streams/feed/feed-cursor.ts'
import { anyEvent, poolOf, SWAP } from '../../../support/events/sample-event.ts'

const root = protobuf.loadSync(
  new URL('../../../../proto/swaptide/v1/swap_stream.proto', import.meta.url).pathname,
)
const SubscribeResponse = root.lookupType('swaptide.v1.SubscribeResponse')

type Answer = { cursor: string; swaps: { n: string; swaps: Record<string, unknown>[] } }

function decoded(frame: Buffer): Answer {
  const options = { longs: String, defaults: true, arrays: true }
  return SubscribeResponse.toObject(SubscribeResponse.decode(frame), options) as Answer
}

const START: Cursor = { epoch: 'e', sequence: 0, eventCount: 0 }
const ALL = parseFilter(undefined, 'swaps', 'free').filter

function framesFrom(from: Cursor, filter: FeedFilter, countMax = 250): SwapFrames {
  return new SwapFrames({ from, matches: swapMatcher(filter), countMax })
}

function batchOf(sequence: number, events: readonly FeedEvent[]): FeedBatch {
  return new FeedBatch(
    sequence,
    encodeFeedBatch({ poolLane: 0, commitNumber: sequence, part: 0 }, events),
  )
}

const feedSwap = (swap: Swap): FeedEvent => ({
  kind: 'swap',
  swap,
  poolPrice: swap.poolPrice ?? 0,
  priceImpactBps: -7,
  walletTags: swap.slot % 4,
  bytes: undefined,
})

test('a swap reads back to the last digit, in the shape of feeds and without its impact', (t) => {
  fc.assert(
    fc.property(anyEvent, (event) => {
      if (event.kind !== 'swap') return
      const { swap } = event
      const frames = framesFrom(START, ALL)
      t.deepEqual([...frames.take(batchOf(1, [feedSwap(swap)]))], [])
      const answer = decoded(frames.flush() as Buffer)
      t.is(answer.cursor, 'e-1')
      t.is(answer.swaps.n, '0')
      t.is(answer.swaps.swaps.length, 1)
      t.deepEqual(answer.swaps.swaps[0], {
        signature: swap.signature,
        slot: `${swap.slot}`,
        timestamp: `${swap.timestamp}`,
        tokenAddress: swap.tokenAddress,
        pairAddress: swap.pairAddress,
        user: swap.user,
        swapType: swap.isBuy ? 'buy' : 'sell',
        dex: `venue_${swap.dex}`,
        solAmount: `${swap.solAmount}`,
        tokenAmount: `${swap.tokenAmount}`,
        fee: `${swap.fee}`,
        feeBps: swap.feeBps,
        creatorFee: `${swap.creatorFee}`,
        creatorFeeBps: swap.creatorFeeBps,
        quoteDecimals: swap.quoteDecimals,
        virtualSolReserves: `${swap.virtualSolReserves}`,
        virtualTokenReserves: `${swap.virtualTokenReserves}`,
        realSolReserves: `${swap.realSolReserves}`,
        realTokenReserves: `${swap.realTokenReserves}`,
        transferFeeIn: `${swap.transferFeeIn}`,
        transferFeeOut: `${swap.transferFeeOut}`,
        cashback: `${swap.cashback}`,
        cashbackBps: swap.cashbackBps,
        blockTxIndex: `${swap.blockTxIndex}`,
        ixIndex: swap.ixIndex,
        timeSource: swap.timeSource,
        agentTrade: swap.agentTrade,
        poolPrice: swap.poolPrice ?? 0,
        pricePerToken: pricePerToken(swap.solAmount, swap.tokenAmount),
        baseDecimals: 9,
      })
    }),
    { numRuns: 300 },
  )
})

/** Messages 1, 3, 4 ... (2 is not there) of so many events; every third is a pool event. */
function logOf(sizes: readonly number[]): FeedBatch[] {
  let slot = 0
  return sizes.map((size, index) => {
    const events = Array.from({ length: size }, (): FeedEvent => {
      slot++
      const swap = { ...SWAP, slot, isBuy: slot % 2 === 0, pairAddress: poolOf(slot % 5) }
      const poolEvent = { ...swap, event: 'created' as const }
      return slot % 3 === 0 ? { kind: 'pool_event', poolEvent, bytes: undefined } : feedSwap(swap)
    })
    return batchOf(index === 0 ? 1 : index + 2, events)
  })
}

function slotsOf(log: readonly FeedBatch[], filter: FeedFilter): string[] {
  const matches = swapMatcher(filter)
  return log
    .flatMap(({ events }) => events)
    .flatMap((event) =>
      event.kind === 'swap' && matches(event.swap, event.walletTags) ? [event.swap] : [],
    )
    .map(({ slot }) => `${slot}`)
}

const filters = fc.constantFrom(
  {},
  { swap_type: 'buy' },
  { wallet_tags: ['insider', 'whale'] },
  { pools: [poolOf(1), poolOf(3)] },
  { venues: ['venue_2'] },
)

test('answers are the filtered log, counted on without a hole', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 8 }),
      filters,
      fc.integer({ min: 1, max: 5 }),
      (sizes, given, countMax) => {
        const { filter } = parseFilter(given, 'swaps', 'free')
        const log = logOf(sizes)
        const frames = framesFrom(START, filter, countMax)
        const answers = log.flatMap((batch) => [...frames.take(batch)])
        const last = frames.flush()
        if (last !== undefined) answers.push(last)
        let count = 0
        for (const { swaps } of answers.map(decoded)) {
          t.is(swaps.n, `${count}`)
          t.true(swaps.swaps.length >= 1 && swaps.swaps.length <= countMax)
          count += swaps.swaps.length
        }
        const slots = answers.flatMap((answer) => decoded(answer).swaps.swaps.map((s) => s.slot))
        t.deepEqual(slots, slotsOf(log, filter))
        t.is(frames.cursor, log.length === 0 ? 'e-0' : `e-${log.at(-1)?.sequence}`)
      },
    ),
  )
})

test('resumes from the cursor of any answer without a loss or a duplicate', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
      filters,
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 40 }),
      (sizes, given, countMaxes) => {
        const { filter } = parseFilter(given, 'swaps', 'free')
        const log = logOf(sizes)
        const slots: unknown[] = []
        let from = START
        // Each connection lives for one answer, of another greatest size each time.
        for (let connection = 0; ; connection++) {
          const countMax = countMaxes[connection % countMaxes.length]
          const frames = framesFrom(from, filter, countMax)
          const first = firstAnswer(frames, log)
          if (first === undefined) break
          const answer = decoded(first)
          slots.push(...answer.swaps.swaps.map((swap) => swap.slot))
          from = readCursor(answer.cursor) as Cursor
        }
        t.deepEqual(slots, slotsOf(log, filter))
      },
    ),
  )
})

function firstAnswer(frames: SwapFrames, log: readonly FeedBatch[]): Buffer | undefined {
  for (const batch of log.filter(({ sequence }) => sequence >= frames.next)) {
    for (const frame of frames.take(batch)) return frame
  }
  return frames.flush()
}

test('skips commits of the applied-ahead set, through any number of reconnects', (t) => {
  const lanes = 3
  fc.assert(
    fc.property(
      // Each message: its lane, whether it begins a commit, and its swaps.
      fc.array(
        fc.tuple(
          fc.integer({ min: 0, max: lanes - 1 }),
          fc.boolean(),
          fc.integer({ min: 1, max: 4 }),
        ),
        { minLength: 1, maxLength: 30 },
      ),
      fc.array(fc.integer({ min: 0, max: 6 }), { minLength: lanes, maxLength: lanes }),
      fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 20 }),
      (messages, done, countMaxes) => {
        const commits = Array.from({ length: lanes }, () => 1)
        const expected: string[] = []
        let slot = 0
        const log = messages.map(([poolLane, isNew, size], index) => {
          if (isNew) commits[poolLane]!++
          const commitNumber = commits[poolLane]!
          const swaps = Array.from({ length: size }, () => ({ ...SWAP, slot: ++slot }))
          if (commitNumber > done[poolLane]!) expected.push(...swaps.map((swap) => `${swap.slot}`))
          const mark = { poolLane, commitNumber, part: 0 }
          return new FeedBatch(index + 1, encodeFeedBatch(mark, swaps.map(feedSwap)))
        })
        const known = done.flatMap((commit, lane) =>
          commit === 0 ? [] : [[lane, commit] as const],
        )
        let from: Cursor = known.length === 0 ? START : { ...START, ahead: new Map(known) }
        const slots: unknown[] = []
        for (let connection = 0; ; connection++) {
          const frames = framesFrom(from, ALL, countMaxes[connection % countMaxes.length])
          const first = firstAnswer(frames, log)
          if (first === undefined) break
          const answer = decoded(first)
          slots.push(...answer.swaps.swaps.map((swap) => swap.slot))
          from = readCursor(answer.cursor) as Cursor
        }
        t.deepEqual(slots, expected)
        t.deepEqual(socketSlots(log, { ...START, ahead: new Map(known) }, countMaxes), expected)
      },
    ),
  )
})

/** The same over the WebSocket's frames, of one message or more at once, restarted at each cursor. */
function socketSlots(log: readonly FeedBatch[], from: Cursor, runs: readonly number[]): string[] {
  const slots: string[] = []
  const parsed = parseFilter(undefined, 'swaps', 'free')
  const wanted = {
    name: 'a',
    channel: 'swaps' as const,
    parsed,
    form: 'number' as const,
    batchMs: 0,
  }
  let { epoch: _, ...position } = from.ahead?.size === 0 ? START : from
  for (let at = 0, round = 0; at < log.length; round++) {
    const run = log.slice(at, at + runs[round % runs.length]!)
    at += run.length
    const subscription = new Subscription(wanted, position)
    for (const piece of subscription.pieces(run)) {
      subscription.advance(piece)
      const sent = JSON.parse(`[${piece.text}]`) as { slot: number }[]
      slots.push(...sent.map(({ slot }) => `${slot}`))
    }
    const { epoch: __, ...next } = readCursor(subscription.cursor('e') as string) as Cursor
    position = next
  }
  return slots
}

test('the cursor does not pass held events', (t) => {
  const [one, two] = logOf([2, 2]) as [FeedBatch, FeedBatch]
  const frames = framesFrom(START, ALL)
  t.deepEqual([...frames.take(one)], [])
  t.is(frames.cursor, 'e-0')
  t.truthy(frames.flush())
  t.is(frames.cursor, 'e-1')
  t.is(frames.flush(), undefined)
  // No swap of it matches: the cursor advances without an answer.
  const none = framesFrom(START, parseFilter({ venues: ['venue_9'] }, 'swaps', 'free').filter)
  t.deepEqual([...none.take(one), ...none.take(two)], [])
  t.is(none.cursor, 'e-3')
})

test('an answer is full at 32 KiB for any requested count', (t) => {
  const events = Array.from({ length: 200 }, (_, slot) => feedSwap({ ...SWAP, slot: slot + 1 }))
  const frames = framesFrom(START, ALL)
  const answers = [...frames.take(batchOf(1, events))]
  const last = frames.flush()
  if (last !== undefined) answers.push(last)
  t.true(answers.length > 1)
  for (const answer of answers) t.true(answer.length < 33 * 1024)
  const count = answers.reduce((sum, answer) => sum + decoded(answer).swaps.swaps.length, 0)
  t.is(count, 200)
})

test('a retraction is an answer of its own, after the swaps before it, and resumable', (t) => {
  const [first, second] = [
    { ...SWAP, slot: 5 },
    { ...SWAP, slot: 6 },
  ]
  const taken = { poolPrice: 0, priceImpactBps: null, walletTags: 0 }
  const payload = encodeRetracted(
    { poolLane: 0, commitNumber: 2, part: 0 },
    { blockhash: undefined, swaps: [{ swap: first, ...taken }], poolEvents: [] },
  )
  const frames = framesFrom(START, ALL)
  t.deepEqual([...frames.take(batchOf(1, [feedSwap(first), feedSwap(second)]))], [])
  const [swaps, retraction, ...more] = [...frames.take(new FeedBatch(2, payload))]
  t.deepEqual(more, [])
  t.is(decoded(swaps!).swaps.swaps.length, 2)
  const answer = SubscribeResponse.toObject(SubscribeResponse.decode(retraction!), {
    longs: String,
  })
  t.is(answer.retraction.swap.signature, first.signature)
  t.is(answer.retraction.swap.slot, '5')
  t.is(answer.cursor, 'e-1.1')
  t.is(frames.cursor, 'e-2')
})

test('on WebSocket a retraction is an item like the others, of kind retract', (t) => {
  const taken = { poolPrice: 0, priceImpactBps: null, walletTags: 0 }
  const payload = encodeRetracted(
    { poolLane: 0, commitNumber: 1, part: 0 },
    { blockhash: undefined, swaps: [{ swap: SWAP, ...taken }], poolEvents: [] },
  )
  const parsed = parseFilter(undefined, 'swaps', 'free')
  const wanted = { name: 's', channel: 'swaps', parsed, form: 'number', batchMs: 0 } as const
  const subscription = new Subscription(wanted, { sequence: 0, eventCount: 0 })
  const [piece, ...more] = [...subscription.pieces([new FeedBatch(1, payload)])]
  t.deepEqual(more, [])
  t.like(JSON.parse(piece!.text), { kind: 'retract', signature: SWAP.signature, slot: SWAP.slot })
  t.deepEqual(piece!.end, { sequence: 1, eventCount: 0 })
})
