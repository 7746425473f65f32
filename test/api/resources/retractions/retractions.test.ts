/** Retractions by REST and GraphQL: sums of all lanes, in both orders, page by page. */
import test from 'ava'
import { apiUnderTest } from '../../../support/api/api-under-test.ts'
import { blockhashOf, insertRetractions } from '../../../support/api/insert-retractions.ts'
import { asker } from '../../graphql/send-query.ts'

const SLOTS = [100, 101, 102, 103, 104, 105, 106]

const rowOf = (slot: number) => ({
  ...{ slot, blockhash: blockhashOf(slot), swaps: 3, pool_events: 2 },
  ...{ is_applied: slot % 2 === 1, retracted_at: 2_000_000 },
})

test('lists blocks that were retracted, with the sums of all lanes', async (t) => {
  const { db, get } = await apiUnderTest(t)
  await insertRetractions(db, SLOTS)
  const { status, body } = await get('/api/v1/retractions')
  t.is(status, 200)
  t.deepEqual(body.data, SLOTS.toReversed().map(rowOf))
  t.is(body.next_cursor, null)
})

test('a walk in either order lists each once', async (t) => {
  const { db, get } = await apiUnderTest(t)
  await insertRetractions(db, SLOTS)
  for (const order of ['asc', 'desc']) {
    const slots: unknown[] = []
    let cursor = ''
    for (let pages = 0; pages < 10; pages++) {
      const { body } = await get(`/api/v1/retractions?limit=2&order=${order}${cursor}`)
      slots.push(...(body.data as unknown as { slot: number }[]).map(({ slot }) => slot))
      if (body.next_cursor === null) break
      cursor = `&cursor=${body.next_cursor}`
    }
    t.deepEqual(slots, order === 'asc' ? SLOTS : SLOTS.toReversed())
  }
})

test('is empty without one, and refuses a parameter that is none', async (t) => {
  const { get } = await apiUnderTest(t)
  t.deepEqual((await get('/api/v1/retractions')).body.data, [])
  t.is((await get('/api/v1/retractions?slot=5')).status, 400)
})

test('answers the same by GraphQL', async (t) => {
  const under = await apiUnderTest(t)
  await insertRetractions(under.db, [7])
  const { send } = await asker(under)
  const { data: answered } = await send('{ retractions { slot blockhash swaps } }')
  t.deepEqual(answered, {
    retractions: [{ slot: 7, blockhash: blockhashOf(7), swaps: 3 }],
  })
})
