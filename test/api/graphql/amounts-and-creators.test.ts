/** Small amounts as arguments of GraphQL, and its creators of tokens. */
import test from 'ava'
import { apiUnderTest } from '../../support/api/api-under-test.ts'
import { insertEvents, insertSwaps } from '../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../support/market/sample-swap.ts'
import { asker, type Row } from './send-query.ts'

const AT_MS = Date.UTC(2026, 6, 20)

test('a small amount is the one that was written, not the digits of its double', async (t) => {
  const own = await apiUnderTest(t)
  const amounts = Array.from({ length: 20 }, (_, n) => n + 1)
  await insertSwaps(
    own.db,
    amounts.map((solAmount) => sampleSwap({ signature: signatureOf(solAmount), solAmount })),
  )
  const { send } = await asker(own)
  for (const least of amounts) {
    const { data, errors } = await send(`{ swaps(min_sol: ${least}e-9) { sol_amount } }`)
    t.is(errors, undefined)
    const swaps = data?.swaps as Row[]
    const found = swaps.map(({ sol_amount }) => Number(sol_amount))
    t.deepEqual(
      found.sort((a, b) => a - b),
      amounts.filter((each) => each >= least),
      `${least} lamports`,
    )
  }
})

test('the creator of a token is that of its line, else that of its first pool', async (t) => {
  const own = await apiUnderTest(t)
  const created = (n: number, token: number, by?: number) => ({
    event: 'created' as const,
    signature: signatureOf(n),
    slot: 100 + n,
    timestamp: AT_MS,
    blockTxIndex: 0,
    ixIndex: 0,
    dex: 1 as const,
    pairAddress: pair(n),
    tokenAddress: mint(token),
    ...(by === undefined ? {} : { creator: trader(by) }),
  })
  await insertEvents(own.db, [
    created(1, 0, 1),
    created(2, 0, 2),
    created(3, 1, 3),
    // The creator of the first pool is unknown.
    created(4, 2),
    created(5, 2, 5),
  ])
  await own.db.query('update token set creator = $2 where address = $1', [mint(1), trader(9)])
  const { send } = await asker(own)
  const { data, errors } = await send('{ poolEvents { token { mint creator } } }')
  t.is(errors, undefined)
  const events = data?.poolEvents as { token: { mint: string; creator: string | null } }[]
  const creators = events.map(({ token }) => [token.mint, token.creator] as const)
  t.deepEqual(Object.fromEntries(creators), {
    [mint(0)]: trader(1),
    [mint(1)]: trader(9),
    [mint(2)]: null,
  })
})
