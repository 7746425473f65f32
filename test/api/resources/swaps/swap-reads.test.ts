/** Statements of lists of swaps: none for slots that cannot hold their swaps. */
import test from 'ava'
import { readSwaps, type SwapFilter } from '../../../../api/resources/swaps/read.ts'
import type { Connection } from '../../../../sql/db.ts'
import type { Queryable } from '../../../../sql/driver/queryable.ts'
import { CHUNK_SLOTS } from '../../../../workers/pool/write/chunk-width.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import {
  mintOfPair,
  pair,
  sampleSwap,
  signatureOf,
  trader,
} from '../../../support/market/sample-swap.ts'
import { testDatabase } from '../../../support/servers/database.ts'

const CHUNKS = 40
/** The chunk in which the young mint began. */
const BEGAN = 30
const WALK_MS = 10_000
const OLD = { pairAddress: pair(0), tokenAddress: mintOfPair(0), user: trader(1) }
const YOUNG = { pairAddress: pair(2), tokenAddress: mintOfPair(2), user: trader(1) }

/** The connection, and how many statements of lists went through it. */
function counted(connection: Connection): { db: Queryable; lists: () => number } {
  let lists = 0
  const query = (statement: { name?: string }, ...rest: unknown[]): unknown => {
    if (statement.name?.startsWith('swap-history.list_')) lists++
    return (connection.query as (...given: unknown[]) => unknown)(statement, ...rest)
  }
  return { db: Object.create(connection, { query: { value: query } }), lists: () => lists }
}

test('a mint that began late is not looked for before', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const swaps = Array.from({ length: CHUNKS }, (_, at) =>
    sampleSwap({
      ...(at === BEGAN ? YOUNG : OLD),
      signature: signatureOf(at),
      slot: (at + 1) * CHUNK_SLOTS,
    }),
  )
  await insertSwaps(db, swaps)
  const connection = await db.connect()
  t.teardown(() => connection.release())
  const filters: SwapFilter[] = [
    { token_address: YOUNG.tokenAddress },
    { pair_address: YOUNG.pairAddress },
    { token_address: YOUNG.tokenAddress, user: trader(1) },
  ]
  for (const filter of filters) {
    for (const order of ['asc', 'desc'] as const) {
      const { db: requested, lists } = counted(connection)
      const page = { limit: 100, order, after: undefined }
      const { rows } = await readSwaps(requested, filter, page, { walkMs: WALK_MS })
      t.deepEqual(
        rows.map(({ signature }) => signature),
        [signatureOf(BEGAN)],
      )
      t.is(lists(), 1)
    }
  }
})
