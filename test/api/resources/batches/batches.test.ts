// Batches of positions and of wallets: rows as the lists show them, in the order of the request, null where there is
// nothing; one statement a batch; bodies, GraphQL and refusals.

import test from 'ava'
import type { QueryConfig } from 'pg'
import { readPairs } from '../../../../api/resources/batches/read.ts'
import type { OwnedPositionAnswer } from '../../../../api/resources/batches/schema.ts'
import { readSummaries } from '../../../../api/resources/summary/read.ts'
import { PNL_MODES } from '../../../../domain/wallet/pnl-mode.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertLedger, priceMints } from '../../../support/api/insert-ledger.ts'
import { type Plan, planAsRun } from '../../../support/api/plan.ts'
import { mint, trader } from '../../../support/market/sample-swap.ts'
import { asker } from '../../graphql/send-query.ts'
import { swapsOf, type Trade } from '../pnl/ledger-swaps.ts'

const USERS = 12
const MINTS = 9
const under = apiForFile()

/** Each wallet trades three mints; every fourth sale is of all. */
const TRADES: Trade[] = Array.from({ length: USERS * 3 }, (_, n) => n).flatMap((n) => {
  const bought: Trade = {
    user: n % USERS,
    mint: n % MINTS,
    isBuy: true,
    tokens: 8,
    sol: 1 + (n % 5),
  }
  const sold: Trade = { ...bought, isBuy: false, tokens: n % 4 === 0 ? 8 : 3, sol: 1 + (n % 3) }
  return [bought, sold]
})
const PAIRS = Array.from({ length: 200 }, (_, n) => ({
  wallet: trader((n * 7) % (USERS + 2)),
  mint: mint((n * 5) % (MINTS + 1)),
}))

test.serial.before(async () => {
  await insertLedger(under().db, swapsOf(TRADES))
  for (let n = 0; n < MINTS - 2; n++) await priceMints(under().db, { [mint(n)]: (n + 1) / 100 })
})

type Answer = { status: number; body: Record<string, unknown>; headers: Headers }

async function post(path: string, body: unknown, headers: object = {}): Promise<Answer> {
  const given = { 'Content-Type': 'application/json', 'X-API-Key': under().key, ...headers }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(under().api.url + path, {
    method: 'POST',
    headers: given,
    body: text,
  })
  const answer = (await response.json()) as Record<string, unknown>
  return { status: response.status, body: answer, headers: response.headers }
}

type Pair = (typeof PAIRS)[number]
type Owned = OwnedPositionAnswer | null

/** Positions of the list of each wallet, by wallet and mint. */
async function listed(mode: string): Promise<Map<string, object>> {
  const all = new Map<string, object>()
  for (let n = 0; n < USERS + 2; n++) {
    const wallet = trader(n)
    const path = `/v2/pnl/wallets/${wallet}/positions?status=all&limit=200&pnl_mode=${mode}`
    const { positions } = (await under().get(path)).body as unknown as {
      positions: { mint: string }[]
    }
    for (const each of positions) all.set(`${wallet} ${each.mint}`, { wallet, ...each })
  }
  return all
}

test('each position of a batch is that of the list, in the order of the request', async (t) => {
  for (const pnl_mode of PNL_MODES) {
    const known = await listed(pnl_mode)
    const expected = (pairs: readonly Pair[]) =>
      pairs.map(({ wallet, mint: own }) => known.get(`${wallet} ${own}`) ?? null)
    const { status, body } = await post('/v2/pnl/positions/batch', { pairs: PAIRS, pnl_mode })
    t.is(status, 200)
    t.deepEqual(body, { pnl_mode, positions: expected(PAIRS) })
    const found = (body.positions as Owned[]).filter((each) => each !== null).length
    t.true(found > 20 && found < PAIRS.length, `${found}`)
    const mints = Array.from({ length: MINTS + 1 }, (_, n) => mint(n)).reverse()
    const wallet = trader(3)
    const ofWallet = await post(`/wallets/${wallet}/positions/batch`, { mints, pnl_mode })
    const pairs = mints.map((own) => ({ wallet, mint: own }))
    t.deepEqual(ofWallet.body.positions, expected(pairs))
    const wallets = [5, 1, 99, 5].map(trader)
    const ofToken = await post(`/tokens/${mint(5)}/positions/batch`, { wallets, pnl_mode })
    const holders = wallets.map((own) => ({ wallet: own, mint: mint(5) }))
    t.deepEqual(ofToken.body.positions, expected(holders))
  }
})

test('each wallet of a batch is its summary, null where it never traded', async (t) => {
  const wallets = [4, 77, 0, 4].map(trader)
  const { status, body } = await post('/wallets/batch', { wallets })
  t.is(status, 200)
  const one = async (wallet: string) => (await under().get(`/v2/pnl/wallets/${wallet}`)).body
  const [fourth, first] = [await one(trader(4)), await one(trader(0))]
  t.deepEqual(body, { wallets: [fourth, null, first, fourth] } as object)
})

test('a batch is one statement, however many elements it has', async (t) => {
  const { db } = under()
  const statements: string[] = []
  const counting = new Proxy(db, {
    get(pool, name) {
      if (name !== 'query') return Reflect.get(pool, name)
      return (statement: QueryConfig) => {
        statements.push(String(statement.name))
        return pool.query(statement)
      }
    },
  })
  for (const count of [1, 200]) {
    statements.length = 0
    const rows = await readPairs(counting, PAIRS.slice(0, count))
    t.is(rows.length, count)
    t.deepEqual(statements, ['batches.list_pairs'])
    statements.length = 0
    const wallets = Array.from({ length: count / 2 + 1 }, (_, n) => trader(n))
    t.is((await readSummaries(counting, wallets)).length, wallets.length)
    t.deepEqual(statements, ['summary.list_summaries'])
  }
})

test('a batch reads one row of positions for each pair that has one', async (t) => {
  await under().db.query('analyze')
  const arrays = [PAIRS.map(({ wallet }) => wallet), PAIRS.map((pair) => pair.mint)]
  const nodes = await planAsRun(under().db, 'batches/list_pairs', arrays)
  const scans = nodes.filter((node: Plan) => node['Relation Name'] === 'position')
  t.deepEqual([...new Set(scans.map((node) => node['Index Name']))], ['position_pkey'])
  const rows = await readPairs(under().db, PAIRS)
  const read = scans.reduce(
    (sum, node) => sum + (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0),
    0,
  )
  // Rows a loop are rounded.
  t.true(read <= PAIRS.length, `${read}`)
  t.true(rows.some((row) => row !== undefined))
})

test('GraphQL takes lists as arguments and answers as REST does', async (t) => {
  const { send } = await asker(under())
  const pairs = PAIRS.slice(0, 5)
  const query = `query ($pairs: [PositionPair!]!, $wallets: [String!]!) {
    positionBatch(pairs: $pairs, pnl_mode: "strict") { positions { wallet mint realized_sol } }
    tokenPositionBatch(token: "${mint(5)}", wallets: $wallets) { positions { wallet } }
    walletPositionBatch(wallet: "${trader(3)}", mints: ["${mint(3)}"]) { positions { mint } }
    walletBatch(wallets: $wallets) { wallets { wallet open_count } } }`
  const wallets = [5, 77].map(trader)
  const { data, errors } = await send(query, { pairs, wallets })
  t.is(errors, undefined)
  const rest = await post('/v2/pnl/positions/batch', { pairs, pnl_mode: 'strict' })
  const positions = (rest.body.positions as Owned[]).map((own) =>
    own === null ? null : { wallet: own.wallet, mint: own.mint, realized_sol: own.realized_sol },
  )
  const of = async (path: string, body: object) => (await post(path, body)).body
  const ofToken = await of(`/tokens/${mint(5)}/positions/batch`, { wallets })
  const ofWallet = await of(`/wallets/${trader(3)}/positions/batch`, { mints: [mint(3)] })
  const summaries = await of('/wallets/batch', { wallets })
  const named = (rows: unknown, ...names: string[]) =>
    (rows as (Record<string, unknown> | null)[]).map((row) =>
      row === null ? null : Object.fromEntries(names.map((name) => [name, row[name]])),
    )
  t.deepEqual(JSON.parse(JSON.stringify(data)), {
    positionBatch: { positions },
    tokenPositionBatch: { positions: named(ofToken.positions, 'wallet') },
    walletPositionBatch: { positions: named(ofWallet.positions, 'mint') },
    walletBatch: { wallets: named(summaries.wallets, 'wallet', 'open_count') },
  })
  const bad = await send(`{ walletBatch(wallets: ["x"]) { wallets { wallet } } }`)
  t.regex(JSON.stringify(bad.errors), /wallets\[0\].*expected an address/)
})

const ADDRESS = trader(1)
const REFUSED: [path: string, body: unknown, code: string, message: RegExp][] = [
  ['/wallets/batch', {}, 'MISSING_PARAM', /^wallets is required$/],
  ['/wallets/batch', '', 'MISSING_PARAM', /^the body is empty: expected {"wallets": \[\.\.\.\]}$/],
  ['/wallets/batch', '{', 'INVALID_PARAM', /^the body: expected JSON$/],
  ['/wallets/batch', [ADDRESS], 'INVALID_PARAM', /^the body: expected a JSON object$/],
  [
    '/wallets/batch',
    { wallets: [] },
    'INVALID_PARAM',
    /^wallets: expected 1 to 100 values, not 0$/,
  ],
  [
    '/wallets/batch',
    { wallets: Array(101).fill(ADDRESS) },
    'INVALID_PARAM',
    /1 to 100 .* not 101$/,
  ],
  ['/wallets/batch', { wallets: ADDRESS }, 'INVALID_PARAM', /^wallets ".*": expected a list$/],
  ['/wallets/batch', { wallets: [1] }, 'INVALID_PARAM', /^wallets\[0\] "1": expected an address/],
  [
    '/wallets/batch',
    { wallets: [null] },
    'INVALID_PARAM',
    /^wallets\[0\] "null": expected an addr/,
  ],
  ['/wallets/batch', { wallet: [] }, 'INVALID_PARAM', /"wallet": did you mean "wallets"\?$/],
  [
    '/wallets/batch?window=1d',
    { wallets: [ADDRESS] },
    'INVALID_PARAM',
    /^unknown parameter "window"/,
  ],
  [
    '/v2/pnl/positions/batch',
    { pairs: [{ wallet: ADDRESS }] },
    'MISSING_PARAM',
    /^pairs\[0\]\.mint is/,
  ],
  [
    '/v2/pnl/positions/batch',
    { pairs: [{ wallet: ADDRESS, token: ADDRESS }] },
    'INVALID_PARAM',
    /^unknown field of pairs\[0\] "token": did you mean "mint"\?$/,
  ],
  [
    '/v2/pnl/positions/batch',
    { pairs: [3] },
    'INVALID_PARAM',
    /^pairs\[0\] "3": expected a JSON obj/,
  ],
  ['/wallets/nonsense/positions/batch', { mints: [ADDRESS] }, 'INVALID_PARAM', /^w "nonsense"/],
  ['/tokens/x/positions/batch', { wallets: [ADDRESS] }, 'INVALID_PARAM', /^t "x"/],
]

test('bodies are refused with the place and what was expected', async (t) => {
  for (const [path, body, code, message] of REFUSED) {
    const answer = await post(path, body)
    const shown = `${path} ${JSON.stringify(body).slice(0, 80)}`
    t.is(answer.status, 400, shown)
    const error = answer.body.error as { code: string; message: string }
    t.is(error.code, code, shown)
    t.regex(error.message, message, shown)
  }
  const type = { 'Content-Type': 'text/plain' }
  t.is((await post('/wallets/batch', { wallets: [ADDRESS] }, type)).status, 415)
  const large = JSON.stringify({ wallets: [ADDRESS], more: 'x'.repeat(70_000) })
  t.is((await post('/wallets/batch', large)).status, 400)
  const noKey = await post('/wallets/batch', { wallets: [ADDRESS] }, { 'X-API-Key': '' })
  t.is(noKey.status, 401)
})

test('pasted addresses are trimmed, an unknown mode is adjusted, and a batch counts once', async (t) => {
  const { status, body, headers } = await post('/v2/pnl/positions/batch', {
    pairs: [{ wallet: ` ${trader(3)}\u200b`, mint: `"${mint(3)}"` }],
    pnl_mode: 'FIFO',
  })
  t.is(status, 200)
  t.is(body.pnl_mode, 'adjusted')
  t.like((body.positions as Owned[])[0], { wallet: trader(3), mint: mint(3) })
  t.not(headers.get('RateLimit'), null)
  const [line = ''] = under().lines.filter((each) => each.includes('/v2/pnl/positions/batch'))
  t.false(line.includes(trader(3)))
})
