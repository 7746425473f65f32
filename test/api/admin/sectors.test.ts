// Sectors of tokens as operators set them: through the stream, answered when they are counted, seen by every reader.

import test from 'ava'
import { refreshSearchKeys } from '../../../workers/search-keys.ts'
import { type Body, PATIENT_MS } from '../../support/api/api-under-test.ts'
import { getter } from '../../support/api/walked-pages.ts'
import { mint } from '../../support/market/sample-swap.ts'
import { until, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { asker } from '../graphql/send-query.ts'
import {
  type ConsoleUnderTest,
  consoleUnderTest,
  OPERATOR_KEY,
  publishPoison,
} from './console-under-test.ts'

const SECTORS = '/admin/v1/sectors'
const ALL = { actors: ['pool', 'ledger', 'ranking'] }

const pathOf = (of: string, sector?: string): string =>
  `${SECTORS}/${of}${sector === undefined ? '' : `?sector=${encodeURIComponent(sector)}`}`

type Reported = { mint: string; sector: string; is_counted: boolean }

function reporter({ operator }: ConsoleUnderTest) {
  const report = async (path: string, method: string): Promise<Reported> => {
    const { status, text, body } = await operator(path, method)
    if (status !== 200) throw new Error(`${status} ${text}`)
    return body.data as unknown as Reported
  }
  return {
    put: (of: string, sector: string) => report(pathOf(of, sector), 'PUT'),
    remove: (of: string) => report(pathOf(of), 'DELETE'),
  }
}

const sectorsOf = async ({ operator }: ConsoleUnderTest, query = ''): Promise<unknown[]> =>
  (await operator(`${SECTORS}${query}`)).body.data.map(({ mint: of, sector }) => [of, sector])

test('sets, changes and removes a sector, and the newest value applies at once', async (t) => {
  const under = await consoleUnderTest(t)
  const { operator, pipeline } = under
  const { put, remove } = reporter(under)
  await runWorker(t, pipeline)
  const first = { mint: mint(1), sector: 'zeal', is_counted: true }
  t.deepEqual(await put(mint(1), 'zeal'), first)
  t.deepEqual(await sectorsOf(under), [[mint(1), 'zeal']])
  // A lesser text: at the slot of the other one it would lose.
  t.like(await put(mint(1), 'ai'), { sector: 'ai', is_counted: true })
  t.deepEqual(await sectorsOf(under), [[mint(1), 'ai']])
  t.deepEqual(await remove(mint(1)), { mint: mint(1), sector: '', is_counted: true })
  t.deepEqual(await sectorsOf(under), [])
  const gone = await operator(pathOf(mint(1)), 'DELETE')
  t.is(gone.status, 404)
  t.regex(gone.text, /it has none/)
  t.is((await operator(pathOf(mint(2)), 'DELETE')).status, 404, 'nor has one that nobody knows')
  t.like(await put(mint(1), 'back'), { sector: 'back', is_counted: true })

  const audit = await operator('/admin/v1/audit')
  t.deepEqual(
    audit.body.data.map(({ action, target, actor }) => [action, target, actor]),
    Array.from({ length: 4 }, () => ['sector_stored', mint(1), 'admin']),
  )
})

test('applies sectors that were set before a worker ran, the last one of each mint', async (t) => {
  const under = await consoleUnderTest(t)
  const { put } = reporter(under)
  t.deepEqual(await put(mint(1), 'zeal'), { mint: mint(1), sector: 'zeal', is_counted: false })
  t.like(await put(mint(1), 'ai'), { sector: 'ai', is_counted: false })
  t.deepEqual(await sectorsOf(under), [])
  await runWorker(t, under.pipeline)
  await untilCaughtUp(under.pipeline)
  t.deepEqual(await sectorsOf(under), [[mint(1), 'ai']])
})

test('chooses a slot above all known ones, and returns the stored value where none is left', async (t) => {
  const under = await consoleUnderTest(t)
  const { put, remove } = reporter(under)
  const { db } = under.pipeline
  await runWorker(t, under.pipeline)
  await put(mint(1), 'meme')
  await db.query('update token set sector_slot = 1000 where address = $1', [mint(1)])
  t.like(await put(mint(2), 'ai'), { is_counted: true })
  const { rows } = await db.query('select sector_slot from token where address = $1', [mint(2)])
  t.deepEqual(rows, [{ sector_slot: 1_001 }])
  await db.query('update token set sector_slot = $2 where address = $1', [
    mint(1),
    Number.MAX_SAFE_INTEGER,
  ])
  t.like(await put(mint(1), 'ai'), { sector: 'meme', is_counted: true })
  t.like(await remove(mint(1)), { sector: 'meme', is_counted: true })
  t.like(await put(mint(1), 'nft'), { sector: 'nft', is_counted: true })
})

test('sectors are listed by mint, page by page, all or one sector', async (t) => {
  const under = await consoleUnderTest(t)
  const { db } = under.pipeline
  const mints = Array.from({ length: 7 }, (_, n) => mint(n)).sort()
  for (const [n, of] of mints.entries()) {
    const sector = [n % 2 === 0 ? 'even' : 'odd', '', null][Math.max(0, n - 4)]
    await db.query('insert into token (address, symbol, sector) values ($1, $2, $3)', [
      of,
      n === 0 ? null : `T${n}`,
      sector,
    ])
  }
  await refreshSearchKeys(db)
  const walk = async (query: string): Promise<unknown[]> => {
    const rows: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await under.operator(
        `${SECTORS}?${query}limit=2${cursor && `&cursor=${cursor}`}`,
      )
      t.true(body.data.length <= 2)
      rows.push(...body.data.map(({ mint: of, symbol, sector }) => [of, symbol, sector]))
      cursor = body.next_cursor
    }
    return rows
  }
  const expected = mints
    .slice(0, 5)
    .map((of, n) => [of, n === 0 ? null : `T${n}`, n % 2 === 0 ? 'even' : 'odd'])
  t.deepEqual(await walk(''), expected)
  t.deepEqual(
    await walk('sector=even&'),
    expected.filter(([, , sector]) => sector === 'even'),
  )
  t.deepEqual(await walk('sector=none&'), [])
  t.is((await under.operator(`${SECTORS}?cursor=bm9uZQ`)).status, 400)
  t.is((await under.operator(`${SECTORS}?sector=`)).status, 400)
  t.is((await under.operator(`${SECTORS}?limit=1001`)).status, 400)
})

test('readers see a sector, and none after its removal', async (t) => {
  const under = await consoleUnderTest(t)
  const { api, pipeline } = under
  const { put, remove } = reporter(under)
  await runWorker(t, pipeline, ALL)
  await publishPoison(pipeline, 0)
  const { rows } = await pipeline.db.query(
    'select address from token join pool on token_id = token.id',
  )
  const of = String(rows[0].address)
  const { send } = await asker({ api, db: pipeline.db })
  const get = await getter(pipeline.db, api.url)
  const seen = async (): Promise<unknown> => {
    const { data } = await send('{ swaps(limit: 1) { token { sector } } }')
    const intel = await get(`/tokens/${of}/intel`)
    const screened = await get(`/screener?mint=${of}&window=24h`)
    const inSector = async (path: string): Promise<number> =>
      ((await get(`${path}sector=meme&window=24h`)).body.results as unknown as unknown[]).length
    return {
      graphql: (data as { swaps: { token: { sector: unknown } }[] }).swaps[0]?.token.sector,
      intel: (intel.body as Record<string, unknown>).sector,
      screened: (screened.body.results as unknown as { sector: unknown }[]).map(
        ({ sector }) => sector,
      ),
      screener: await inSector('/screener?'),
      trending: await inSector('/trending?include_rugged=true&'),
    }
  }
  const seenAs = async (expected: unknown): Promise<void> => {
    let last: unknown
    const isSeen = async (): Promise<boolean> => {
      last = await seen()
      return JSON.stringify(last) === JSON.stringify(expected)
    }
    await until('readers see it', PATIENT_MS, isSeen).catch(() => t.deepEqual(last, expected))
    t.pass()
  }
  const none = { graphql: null, intel: null, screened: [null], screener: 0, trending: 0 }
  await put(of, 'meme')
  await seenAs({ graphql: 'meme', intel: 'meme', screened: ['meme'], screener: 1, trending: 1 })
  await remove(of)
  await seenAs(none)
})

test('refuses an invalid sector without publishing it', async (t) => {
  const under = await consoleUnderTest(t)
  const { operator, pipeline } = under
  const refused: [string, string, RegExp][] = [
    [pathOf('nobody', 'meme'), 'PUT', /mint/],
    [pathOf(mint(1)), 'PUT', /sector/],
    [pathOf(mint(1), ''), 'PUT', /sector/],
    [pathOf(mint(1), 's'.repeat(201)), 'PUT', /sector/],
    [pathOf(mint(1), 'a\u0000b'), 'PUT', /sector/],
    [pathOf('nobody'), 'DELETE', /mint/],
  ]
  for (const [path, method, text] of refused) {
    const answer = await operator(path, method)
    t.is(answer.status, 400, path)
    t.regex(answer.text, text)
  }
  const { rows } = await pipeline.db.query('select from operator_audit')
  t.is(rows.length, 0)
  const { state } = await pipeline.jetStream.manager.streams.info(pipeline.topology.swap.stream)
  t.is(state.messages, 0)
})

test('reports a stream that rejects it in time, without an audit record', async (t) => {
  const { operator, pipeline } = await consoleUnderTest(t)
  const { jetStream, topology, db } = pipeline
  await jetStream.manager.streams.delete(topology.swap.stream)
  const answer = await operator(pathOf(mint(1), 'meme'), 'PUT')
  t.is(answer.status, 503)
  t.regex(answer.text, /the stream did not take it in time/)
  t.deepEqual((await db.query('select from operator_audit')).rows, [])
})

test('imports a file of sectors, reports refused lines, and accepts it only from pages of this host', async (t) => {
  const under = await consoleUnderTest(t)
  const { api, pipeline } = under
  await runWorker(t, pipeline)
  const send = async (body: string, headers: Record<string, string>) => {
    const answer = await fetch(`${api.url}/admin/sectors/import`, { method: 'POST', headers, body })
    return {
      status: answer.status,
      body: (await answer.json()) as Body,
    }
  }
  const bearer = { Authorization: `Bearer ${OPERATOR_KEY}` }
  const lines = [
    'mint,sector',
    `${mint(1)},meme`,
    `${mint(2)},`,
    'nobody,meme',
    `${mint(3)},ai`,
    `${mint(1)},zeal`,
  ].join('\n')
  const { status, body } = await send(lines, bearer)
  t.is(status, 200)
  t.like(body.data, { stored: 2, is_counted: true })
  const refusals = (body.data as unknown as { refusals: string[] }).refusals
  t.regex(String(refusals[0]), /^3 sector absent: expected a text/)
  t.regex(String(refusals[1]), /^4 token_address "nobody": expected an address/)
  t.regex(String(refusals[2]), /^6 mint "\w+": repeats line 2/)
  t.deepEqual(
    await sectorsOf(under),
    [
      [mint(1), 'meme'],
      [mint(3), 'ai'],
    ].sort(),
  )
  const audit = await under.operator('/admin/v1/audit')
  t.deepEqual(audit.body.data.map(({ target }) => target).sort(), [mint(1), mint(3)].sort())

  const nothing = await send('mint,sector\n', bearer)
  t.deepEqual(nothing.body.data as unknown, { stored: 0, is_counted: true, refusals: [] })
  t.is((await send('x'.repeat(64 * 1_024 + 1), bearer)).status, 400)
  t.is((await send(lines, {})).status, 401)
  const signedIn = await fetch(`${api.url}/admin/session`, { method: 'POST', headers: bearer })
  const [Cookie = ''] = (signedIn.headers.get('Set-Cookie') ?? '').split(';')
  t.is((await send(lines, { Cookie, Origin: 'http://127.0.0.1:1' })).status, 403)
  t.is((await send(lines, { Cookie, Origin: new URL(api.url).origin })).status, 200)
})
