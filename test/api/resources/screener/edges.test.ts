/**
 * Edges of the screener: ties are ordered by mint as bytes, in any collation of an external server, and no age is
 * negative.
 */
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { readScreen } from '../../../../api/resources/screener/read.ts'
import { ANY_CALLER } from '../../../../api/routing/caller.ts'
import { createReader } from '../../../../api/routing/reading/reader.ts'
import { connect } from '../../../../sql/db.ts'
import { migrate } from '../../../../sql/migrate.ts'
import { refreshScreen } from '../../../../workers/jobs/screener.ts'
import { apiUnderTest, SILENT } from '../../../support/api/api-under-test.ts'
import { recountAll } from '../../../support/api/insert-ranking.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf } from '../../../support/market/sample-swap.ts'
import { testServers } from '../../../support/servers/servers.ts'

const TOKENS = 40
const DEADLINE_MS = 60_000

test('orders tied tokens by their mints, byte by byte', async (t) => {
  const server = testServers().databaseUrl
  const admin = connect(server, { max: 1 })
  const name = `test_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  await admin.query(
    `create database ${name} template template0 locale_provider icu icu_locale 'en-US' locale 'C'`,
  )
  const url = new URL(server)
  url.pathname = `/${name}`
  const db = connect(url.href, { max: 2 })
  const reader = createReader(url.href, { deadlineMs: DEADLINE_MS })
  t.teardown(async () => {
    await reader.end()
    await db.end()
    await admin.query(`drop database if exists ${name} with (force)`)
    await admin.end()
  })
  await migrate(db)
  const mints = Array.from({ length: TOKENS }, (_, n) => mint(n))
  const swaps = mints.map((tokenAddress, n) =>
    sampleSwap({ signature: signatureOf(n), pairAddress: pair(n), tokenAddress }),
  )
  await insertSwaps(db, swaps, { hasPrices: true })
  const sorted = mints.toSorted()
  const inEnglish = mints.toSorted(new Intl.Collator('en-US').compare)
  t.notDeepEqual(sorted, inEnglish)
  const requested = {
    window: '24h',
    sort: 'trades',
    order: 'desc',
    limit: TOKENS,
    offset: 0,
  } as const
  const signal = AbortSignal.timeout(DEADLINE_MS)
  const { rows } = await readScreen(
    requested,
    { reader, signal, caller: ANY_CALLER },
    { log: SILENT },
  )
  t.deepEqual(
    rows.map((row) => row.mint),
    sorted,
  )
})

test('ignores a screen dated ahead of a clock that was set back', async (t) => {
  const { db, get } = await apiUnderTest(t, { screenedPoolsMax: 0 })
  await insertSwaps(db, [sampleSwap({})], { hasPrices: true })
  await recountAll(db)
  t.true(await refreshScreen(db, '24h'))
  t.is((await get('/screener')).status, 200)
  await db.query("update screener_roll set rolled_at = rolled_at + interval '1 hour'")
  t.is((await get('/screener?limit=1')).status, 503)
  t.true(await refreshScreen(db, '24h'))
  t.is((await get('/screener?limit=2')).status, 200)
})

test('a token that is younger than the screen has no age, rather than less', async (t) => {
  const { db, get } = await apiUnderTest(t, { screenedPoolsMax: 0 })
  const newestMs = Date.UTC(2026, 6, 20, 13, 7)
  const swaps = [0, 5, 90].map((minutes, n) =>
    sampleSwap({
      signature: signatureOf(n),
      pairAddress: pair(n),
      tokenAddress: mint(n),
      timestamp: newestMs - minutes * 60_000,
    }),
  )
  await insertSwaps(db, swaps, { hasPrices: true })
  await recountAll(db)
  await refreshScreen(db, '24h')
  // Another screen is made between the look at its time and the look at its rows.
  await db.query('update screener_roll set newest_ms = newest_ms - 3600000')
  const { body } = await get('/screener?sort=age_minutes&order=asc')
  const results = body.results as unknown as { mint: string; age_minutes: number }[]
  t.deepEqual(
    results.map((row) => [row.mint, row.age_minutes]),
    [
      [mint(0), 0],
      [mint(1), 0],
      [mint(2), 30],
    ],
  )
})
