/** Names of mints that no event names: a node and a gateway over HTTP, real tables. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { metadataAddress } from '../../../chain/accounts/metadata-address.ts'
import { openNames } from '../../../chain/accounts/names-provider.ts'
import { NodeUnavailable } from '../../../chain/rpc/json-rpc.ts'
import type { StatedName } from '../../../domain/events/stated-name.ts'
import { storeStatedNames } from '../../../sql/chain/stated-names.ts'
import { inTransaction } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import { openImages } from '../../../streams/outgoing/token-image.ts'
import { nameTokens, nextLookMs, PAUSES_MS } from '../../../workers/jobs/token-names.ts'
import { mergeTokens } from '../../../workers/pool/write/token-merge.ts'
import {
  asAnswered,
  extendedMint,
  metadata,
  metaplexBytes,
  ofMetaplex,
  ofToken2022,
  pointer,
} from '../../support/accounts/metadata-accounts.ts'
import { mint } from '../../support/market/sample-swap.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { sendJson, startBalanceNode } from '../../support/servers/balance-node.ts'
import { testDatabase } from '../../support/servers/database.ts'
import { openJobBench } from '../../support/workers/jobs.ts'
import { until } from '../../support/workers/pipeline.ts'

const BOUND_MS = 60_000
const insertTokens = query('pool/insert_tokens')
const mergeTokenLines = query('pool/merge_tokens')
const texts = (n: number) => ({
  name: `Name ${n}`,
  symbol: `S${n}`,
  uri: `https://example.com/${n}`,
})

async function bench(t: ExecutionContext, mints: number) {
  const database = await testDatabase()
  t.teardown(() => database.drop())
  const node = await startBalanceNode()
  t.teardown(() => node.stop())
  const recording = recordingLog()
  const { log } = recording
  const names = openNames({
    ...{ rpcUrl: node.rpcUrl, dasUrl: node.rpcUrl, log },
    ...{ requestsPerSecond: 1_000, timeoutMs: BOUND_MS },
  })
  const { db, databaseUrl } = database
  await insertTokens(db, [Array.from({ length: mints }, (_, n) => mint(n))])
  const run = (more: object = {}) =>
    nameTokens({}, { db, log, names, ...more }, AbortSignal.timeout(BOUND_MS))
  const tokens = async () => {
    const { rows } = await db.query(
      `select address as mint, symbol, name, uri, names_source as source, names_misses as misses, image,
        symbol_key, names_next_ms as next_ms
       from token order by id`,
    )
    return rows
  }
  return { db, databaseUrl, node, names, run, tokens, recording }
}

const hold2022 = (node: { setAccount(account: string, value: object): void }, n: number) =>
  node.setAccount(
    mint(n),
    asAnswered(ofToken2022(extendedMint(pointer(mint(n)), metadata(mint(n), texts(n))))),
  )

test('names mints by the first source that knows them, and an event wins over it', async (t) => {
  const { db, node, run, tokens } = await bench(t, 6)
  hold2022(node, 0)
  node.setAccount(
    metadataAddress(mint(0)),
    asAnswered(ofMetaplex(metaplexBytes(mint(0), texts(9)))),
  )
  node.setAccount(
    metadataAddress(mint(1)),
    asAnswered(ofMetaplex(metaplexBytes(mint(1), texts(1)))),
  )
  node.setAccount(mint(2), asAnswered(ofToken2022(extendedMint(pointer(mint(1))))))
  node.setAccount(mint(3), asAnswered(ofToken2022(extendedMint(pointer(metadataAddress(mint(3)))))))
  node.setAccount(
    metadataAddress(mint(3)),
    asAnswered(ofMetaplex(metaplexBytes(mint(3), texts(3)))),
  )
  const content = { metadata: { name: 'Name 4\u0007', symbol: 4 }, json_uri: 'ar://4' }
  node.list(mint(4), { id: mint(4), content, token_info: { symbol: 'S4' } })
  node.list(mint(5), { id: mint(1), content })
  await run()
  const found = await tokens()
  t.like(found[0], { ...texts(0), source: 'token_2022', symbol_key: 's0' })
  t.like(found[1], { ...texts(1), source: 'metaplex', misses: 0 })
  t.like(found[2], { name: null, symbol: null, uri: null, source: null, misses: 1 })
  t.like(found[3], { ...texts(3), source: 'metaplex' })
  t.like(found[4], { name: 'Name 4', symbol: null, uri: 'ar://4', source: 'das' })
  t.like(found[5], { name: null, misses: 1 })
  // Slot 0 is that of lines without a slot: they win, too.
  const lines = [
    { tokenAddress: mint(0), slot: 0, symbol: 'A', name: 'A' },
    { tokenAddress: mint(1), slot: 5, symbol: 'LINE' },
  ]
  await mergeTokenLines(db, mergeTokens(lines))
  await run()
  t.like((await tokens())[0], { symbol: 'A', name: 'A', uri: texts(0).uri, symbol_key: 'a' })
  t.like((await tokens())[1], { symbol: 'LINE', name: 'Name 1' })
})

test('requests a hundred accounts at once, and only of nameless mints', async (t) => {
  const { db, node, run, tokens } = await bench(t, 250)
  for (let n = 0; n < 250; n++) hold2022(node, n)
  await mergeTokenLines(db, mergeTokens([{ tokenAddress: mint(7), slot: 1, name: 'known' }]))
  await run()
  t.deepEqual(
    node.questions.map(({ method, params: [addresses] }) => [method, addresses.length]),
    [100, 100, 49].map((count) => ['getMultipleAccounts', count]),
  )
  t.true((await tokens()).every(({ name }) => name !== null))
  t.like((await tokens())[7], { name: 'known', symbol: null, source: null })
  await run()
  t.is(node.questions.length, 3)
})

test('looks a mint up again after growing pauses, and not for ever', async (t) => {
  const { db, node, run, tokens } = await bench(t, 1)
  for (let misses = 1; misses <= PAUSES_MS.length + 1; misses++) {
    const before = node.questions.length
    await run()
    t.true(node.questions.length > before)
    const requested = node.questions.length
    const nowMs = Date.now()
    const [token] = await tokens()
    t.is(token?.misses, misses)
    const expected = nextLookMs(misses, nowMs)
    if (expected === null) t.is(token?.next_ms, null)
    else t.true(Math.abs(Number(token?.next_ms) - expected) < BOUND_MS)
    // The mint is not due.
    await run()
    t.is(node.questions.length, requested)
    await db.query('update token set names_next_ms = 0 where names_next_ms is not null')
  }
  await run()
  t.is((await tokens())[0]?.misses, PAUSES_MS.length + 1)
})

test('a node that fails ends the run without a miss; an unreadable answer is one', async (t) => {
  const { node, run, tokens } = await bench(t, 1)
  node.misbehave((response) => void response.writeHead(429).end())
  const error = await t.throwsAsync(run(), { instanceOf: NodeUnavailable })
  t.true((error as NodeUnavailable).isOfProvider)
  t.is((await tokens())[0]?.misses, 0)
  for (const result of [{ value: [] }, { value: [{ owner: 'x', data: 'y' }] }, null]) {
    node.misbehave((response) => sendJson(response, { jsonrpc: '2.0', id: 1, result }))
    await run()
  }
  t.is((await tokens())[0]?.misses, 1)
})

test('the schedule of a jobs process names mints', async (t) => {
  const { databaseUrl, node, names, tokens } = await bench(t, 2)
  hold2022(node, 0)
  hold2022(node, 1)
  openJobBench(t).work({ databaseUrl, names, functions: { 'token-names': nameTokens } })
  await until('all mints named', BOUND_MS, async () =>
    (await tokens()).every(({ name }) => name !== null),
  )
  t.pass()
})

test('reads links to pictures where that is switched on, and again where the URI changes', async (t) => {
  const { db, run, tokens } = await bench(t, 3)
  const paths: string[] = []
  const server = createServer(({ url = '' }, response) => {
    paths.push(url)
    const number = url.slice(-1)
    if (number === '2') response.writeHead(503).end()
    else response.writeHead(200).end(JSON.stringify({ image: `https://example.com/${number}.png` }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const record = (n: number) => `ar://${'x'.repeat(42)}${n}`
  const line = (n: number, slot: number, uri: string) => ({
    ...{ tokenAddress: mint(n), slot, name: `${n}`, uri },
  })
  const lines = [
    line(0, 1, record(0)),
    line(1, 1, `http://127.0.0.1:${port}/1`),
    line(2, 1, record(2)),
  ]
  await mergeTokenLines(db, mergeTokens(lines))
  await run()
  t.deepEqual(paths, [])
  const images = openImages({ arweaveGateway: `http://127.0.0.1:${port}` })
  const imagesOf = async () => (await tokens()).map(({ image }) => image)
  await run({ images })
  t.deepEqual(await imagesOf(), ['https://example.com/0.png', null, null])
  await run({ images })
  t.deepEqual(paths.map((path) => path.slice(-1)).sort(), ['0', '2'])
  await mergeTokenLines(db, mergeTokens([line(0, 2, record(5))]))
  await run({ images })
  t.deepEqual(await imagesOf(), ['https://example.com/5.png', null, null])
})

test('names mints by what transactions stated of them, without a node, whichever came first', async (t) => {
  const { db, run, tokens, node } = await bench(t, 2)
  const state = (names: readonly StatedName[]) =>
    inTransaction(db, (connection) => storeStatedNames(connection, names))
  const later = { mint: mint(0), slot: 9, name: 'Later', symbol: 'LATER' }
  const first = { mint: mint(0), slot: 5, name: 'First\0\0', symbol: 'FIRST', uri: 'ar://1' }
  await state([later, { mint: mint(3), slot: 1, name: 'Never traded' }])
  await state([later, first, { mint: mint(1), slot: 2, name: ' \0', symbol: '' }])
  await state([later])
  await run({ names: undefined })
  t.like((await tokens())[0], {
    name: 'First',
    symbol: 'FIRST',
    uri: 'ar://1',
    source: 'transaction',
  })
  t.like((await tokens())[1], { name: null, source: null })
  t.is(node.questions.length, 0)
  const { rows } = await db.query('select address from mint_name')
  t.deepEqual(rows, [{ address: mint(3) }])
  // A mint that is seen later has its name at once.
  await insertTokens(db, [[mint(3)]])
  await run({ names: undefined })
  t.like((await tokens())[2], { mint: mint(3), name: 'Never traded' })
})
