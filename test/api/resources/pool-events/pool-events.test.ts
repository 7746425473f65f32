// /pool-events: its rows, its filters walked by cursors, its refusals.
// The rows tie often, so that order within ties is tested too.

import test from 'ava'
import fc from 'fast-check'
import { INT64_MAX } from '../../../../domain/amount.ts'
import {
  POOL_EVENT_KINDS,
  type PoolEvent,
  poolEventIdentity,
} from '../../../../domain/events/pool-event.ts'
import type { DexId } from '../../../../domain/venue.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertEvents } from '../../../support/api/insert-swaps.ts'
import { mint, mintOfPair, pair, signatureOf, trader } from '../../../support/market/sample-swap.ts'

const under = apiForFile()
const FIRST_MS = Date.UTC(2026, 6, 20)

const migrated: PoolEvent = {
  event: 'migrated',
  signature: signatureOf(900),
  slot: 5_000,
  timestamp: FIRST_MS,
  pairAddress: pair(90),
  tokenAddress: mintOfPair(90),
  dex: 2,
  blockTxIndex: 3,
  ixIndex: 4,
  creator: trader(90),
  fromPair: pair(91),
  solAmount: INT64_MAX,
}

/** Few slots and indexes, so that ties are common. */
const events = fc.uniqueArray(
  fc
    .record({
      event: fc.constantFrom(...POOL_EVENT_KINDS),
      signature: fc.nat(3).map(signatureOf),
      slot: fc.integer({ min: 1, max: 3 }),
      blockTxIndex: fc.nat(1),
      ixIndex: fc.nat(1),
      dex: fc.integer({ min: 1, max: 2 }),
      pool: fc.nat(3),
    })
    .map(
      ({ pool, dex, ...rest }): PoolEvent => ({
        ...rest,
        dex: dex as DexId,
        pairAddress: pair(pool),
        tokenAddress: mintOfPair(pool),
        timestamp: FIRST_MS + rest.slot,
      }),
    ),
  { minLength: 40, maxLength: 40, selector: poolEventIdentity },
)
const stored = fc.sample(events, { numRuns: 1, seed: 7 })[0] ?? []

test.serial.before(() => insertEvents(under().db, [migrated, ...stored]))

test('a pool event shows its fields, absent ones as null, int64 digit for digit', async (t) => {
  const { status, body, text } = await under().get(`/pool-events?pair_address=${pair(90)}`)
  t.is(status, 200)
  t.is(body.success, true)
  t.is(body.next_cursor, null)
  t.true(text.includes('"sol_amount":9223372036854775807,"token_amount":null'))
  t.like(body.data[0], {
    event: 'migrated',
    signature: signatureOf(900),
    slot: 5_000,
    timestamp: FIRST_MS,
    pair_address: pair(90),
    token_address: mintOfPair(90),
    dex: 2,
    block_tx_index: 3,
    ix_index: 4,
    creator: trader(90),
    from_pair: pair(91),
  })
})

type Filter = { path: string; holds: (event: PoolEvent) => boolean }
const FILTERS: Filter[] = [
  { path: '', holds: () => true },
  { path: 'event=created&', holds: ({ event }) => event === 'created' },
  { path: 'dex=2&', holds: ({ dex }) => dex === 2 },
  { path: `pair_address=${pair(1)}&`, holds: ({ pairAddress }) => pairAddress === pair(1) },
  { path: `token_address=${mint(1)}&`, holds: ({ tokenAddress }) => tokenAddress === mint(1) },
  {
    path: `from=${FIRST_MS + 1}&to=${FIRST_MS + 2}&`,
    holds: ({ timestamp }) => timestamp > FIRST_MS && timestamp <= FIRST_MS + 2,
  },
  { path: `pair_address=${pair(77)}&`, holds: () => false },
]
for (const { path, holds } of FILTERS) {
  test(`walking pool events by cursors gives each once, in order: ${path}`, async (t) => {
    const walked: Record<string, string[]> = {}
    for (const order of ['asc', 'desc']) {
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const after: string = cursor === null ? '' : `&cursor=${cursor}`
        const { body } = await under().get(`/pool-events?${path}order=${order}&limit=3${after}`)
        seen.push(
          ...body.data.map((row) =>
            [row.signature, row.event, row.pair_address, row.ix_index].join('|'),
          ),
        )
        cursor = body.next_cursor
      } while (cursor !== null)
      walked[order] = seen
    }
    const expected = [migrated, ...stored].filter(holds).map(poolEventIdentity)
    t.deepEqual(walked.asc?.toSorted(), expected.sort())
    t.deepEqual(walked.desc, walked.asc?.toReversed())
  })
}

test('pool events are refused with the enveloped object', async (t) => {
  const refused: [string, RegExp][] = [
    ['event=burned', /event "burned": use one of created migrated liquidity_added/],
    ['dex=0', /dex "0"/],
    ['from=5', /from "5": too small for Unix ms/],
    ['to=1784548800', /to "1784548800": looks like Unix seconds/],
    ['from=200000000000&to=100000000000', /from "200000000000"/],
    ['to=8640000000000001', /to "8640000000000001": .* of 0 to 8640000000000000$/],
    ['cursor=xyz', /cursor/],
    [`pair_address=${mintOfPair(90)}`, /is a token mint, not a pool/],
  ]
  for (const [query, text] of refused) {
    const { status, body } = await under().get(`/pool-events?${query}`)
    t.is(status, 400, query)
    t.like(body, { success: false, error: { code: 'INVALID_PARAM' } }, query)
    t.regex((body.error as { message: string }).message, text)
  }
})

test('pool events without a key are 401', async (t) => {
  const { status, body } = await under().call('/pool-events')
  t.is(status, 401)
  t.like(body, { success: false, error: { code: 'UNAUTHORIZED' } })
})
