/** Deliveries of a swap or a pool event are new, duplicates or conflicts: by table and by property. */
import test from 'ava'
import fc from 'fast-check'
import type { PoolEvent } from '../../../../domain/events/pool-event.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { FirstPoolEvents, FirstSwaps } from '../../../../workers/pool/arrivals/contradiction.ts'
import { SWAP } from '../../../support/events/sample-event.ts'

const { slot, tokenAmount, solAmount } = SWAP
const OTHER = 'So11111111111111111111111111111111111111112'
const more = Number(tokenAmount) + 1

const judged = (stored: readonly Swap[], changes: Partial<Swap>): string => {
  const decision = new FirstSwaps(stored).judge({ ...SWAP, ...changes })
  return typeof decision === 'string' ? decision : decision.kind
}

/** Alongside one stored swap: the changed fields of the second delivery, and its judgement. */
const BESIDE_ONE: readonly (readonly [Partial<Swap>, string])[] = [
  [{}, 'duplicate'],
  [{ slot: slot + 1 }, 'redelivery_differs'],
  [{ timestamp: SWAP.timestamp + 1 }, 'redelivery_differs'],
  [{ slot: slot + 1, tokenAmount: more }, 'fork_suspected'],
  [{ slot: slot + 1, solAmount: Number(solAmount) + 1 }, 'fork_suspected'],
  // A fork may be delivered after the slot that replaced it.
  [{ slot: slot - 1, tokenAmount: more }, 'fork_suspected'],
  [{ slot: slot + 100_000, tokenAmount: more }, 'fork_suspected'],
  [{ slot: slot + 1, tokenAmount: more, tokenAddress: OTHER }, 'fork_suspected'],
  [{ slot: slot + 1, tokenAmount: more, blockTxIndex: 9 }, 'fork_suspected'],
  // Several trades of one transaction, from before instructions were indexed.
  [{ tokenAmount: more }, 'new'],
  [{ tokenAmount: more, blockTxIndex: 9 }, 'new'],
  [{ blockhash: OTHER }, 'completes'],
  [{ outsideProtocolBps: 5, outsideCreatorBps: 0 }, 'completes'],
  [{ outsideProtocolBps: 5, fee: 1 }, 'redelivery_differs'],
  [{ blockhash: OTHER, fee: 1 }, 'redelivery_differs'],
  // Another trade of the same transaction.
  [{ slot: slot + 1, tokenAmount: more, ixIndex: SWAP.ixIndex + 1 }, 'new'],
  [{ slot: slot + 1, tokenAmount: more, user: OTHER }, 'new'],
  [{ slot: slot + 1, tokenAmount: more, pairAddress: OTHER }, 'new'],
  [{ slot: slot + 1, tokenAmount: more, isBuy: !SWAP.isBuy }, 'new'],
  [{ slot: slot + 1, tokenAmount: more, dex: 3 }, 'new'],
]

for (const [changes, expected] of BESIDE_ONE) {
  const name = JSON.stringify(changes, (_, value) =>
    typeof value === 'bigint' ? `${value}` : value,
  )
  test(`alongside a stored swap, one with ${name} is ${expected}`, (t) => {
    t.is(judged([SWAP], changes), expected)
    t.is(judged([{ ...SWAP, signature: `${SWAP.signature}2` }], changes), 'new')
  })
}

test('a duplicate that names its block takes the place of the swap before it', (t) => {
  const first = new FirstSwaps([{ ...SWAP, tokenAmount: more }, SWAP])
  const whole = { ...SWAP, blockhash: OTHER }
  t.deepEqual(first.judge(whole), { kind: 'completes', first: SWAP, whole })
  t.is(first.judge(SWAP), 'duplicate')
  t.is(first.judge({ ...SWAP, blockhash: OTHER }), 'duplicate')
  t.like(first.judge({ ...SWAP, blockhash: SWAP.pairAddress }), {
    kind: 'fork_suspected',
    stored: { blockhash: OTHER },
  })
})

test('a delivery that leaves rates out is a duplicate, and together they contradict a third', (t) => {
  const rates = { outsideProtocolBps: 5, outsideCreatorBps: 30 }
  const first = new FirstSwaps([])
  t.is(first.judge({ ...SWAP, ...rates }), 'new')
  t.is(first.judge(SWAP), 'duplicate')
  t.like(first.judge({ ...SWAP, blockhash: OTHER }), {
    kind: 'completes',
    whole: { ...rates, blockhash: OTHER },
  })
  t.is(first.judge({ ...SWAP, ...rates, blockhash: OTHER }), 'duplicate')
  t.like(first.judge({ ...SWAP, ...rates, outsideCreatorBps: 31 }), {
    kind: 'redelivery_differs',
    stored: { ...rates, blockhash: OTHER },
  })
})

test('a fork is judged against the canonically first of several swaps, in whichever order they were read', (t) => {
  const second = { ...SWAP, tokenAmount: more }
  const fork = { ...SWAP, slot: slot + 1, tokenAmount: more + 1 }
  for (const stored of [
    [SWAP, second],
    [second, SWAP],
  ]) {
    t.like(new FirstSwaps(stored).judge(fork), { kind: 'fork_suspected', stored: SWAP })
  }
})

test('a redelivery is never reported as a fork, whatever else is stored', (t) => {
  const older = { ...SWAP, slot: slot - 1, tokenAmount: more }
  t.is(judged([older, SWAP], {}), 'duplicate')
  t.is(judged([SWAP, older], { slot: slot + 1 }), 'redelivery_differs')
})

const reportedTwice = fc.array(
  fc.record({ slot: fc.integer({ min: 1, max: 3 }), tokenAmount: fc.integer({ min: 1, max: 4 }) }),
  { minLength: 1, maxLength: 12 },
)

test('stores a position of a transaction in one slot only, and no swap of a redelivery', (t) => {
  fc.assert(
    fc.property(reportedTwice, (versions) => {
      const first = new FirstSwaps([])
      const deliveries = versions.map((version) => ({ ...SWAP, ...version }))
      const stored = deliveries.filter((swap) => first.judge(swap) === 'new')
      t.is(new Set(stored.map((swap) => swap.slot)).size, 1)
      t.is(stored[0], deliveries[0], 'what came first stands')
      // From the stored rows only, as after a restart, the decisions are the same.
      for (const again of [first, new FirstSwaps(stored), new FirstSwaps(stored.toReversed())]) {
        t.false(deliveries.some((swap) => again.judge(swap) === 'new'))
      }
    }),
  )
})

const EVENT: PoolEvent = {
  event: 'migrated',
  signature: SWAP.signature,
  slot,
  timestamp: SWAP.timestamp,
  pairAddress: SWAP.pairAddress,
  tokenAddress: SWAP.tokenAddress,
  dex: 2,
  blockTxIndex: 0,
  ixIndex: 0,
}

test('a pool event is a duplicate, a conflict in any other field, or new', (t) => {
  const judge = (changes: Partial<PoolEvent>): string => {
    const decision = new FirstPoolEvents([EVENT]).judge({ ...EVENT, ...changes })
    return typeof decision === 'string' ? decision : decision.kind
  }
  t.is(judge({}), 'duplicate')
  const others: Partial<PoolEvent>[] = [
    { slot: slot + 1 },
    { timestamp: EVENT.timestamp + 1 },
    { tokenAddress: OTHER },
    { dex: 3 },
    { blockTxIndex: 1 },
    { creator: OTHER },
    { fromPair: OTHER },
    { solAmount: 1 },
    { tokenAmount: 1 },
  ]
  for (const changes of others) t.is(judge(changes), 'redelivery_differs', JSON.stringify(changes))
  t.is(judge({ ixIndex: 1 }), 'new')
  t.is(judge({ event: 'created' }), 'new')
})
