// Cursors of every list over HTTP: each continues its list, and is refused once it is not whole, and in every other
// list; then the checksum itself.

import test from 'ava'
import fc from 'fast-check'
import { ApiError } from '../../api/routing/error.ts'
import { type CursorList, decodeCursor, encodeCursor } from '../../api/routing/reading/cursor.ts'
import { apiForFile } from '../support/api/api-under-test.ts'
import { insertLedger } from '../support/api/insert-ledger.ts'
import { insertRetractions } from '../support/api/insert-retractions.ts'
import { insertEvents, liquidityBeside } from '../support/api/insert-swaps.ts'
import { type Get, getter } from '../support/api/walked-pages.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../support/market/sample-swap.ts'
import { asker } from './graphql/send-query.ts'

const OPERATOR = 'an-operators-key-of-cursors'
const FIRST_MS = Date.UTC(2026, 6, 1)
const EXPECTED = 'cursor: expected the next_cursor of an answer of this list'

const under = apiForFile({ adminKey: OPERATOR })
let get: Get

test.serial.before(async () => {
  const { db, api } = under()
  // Each of two wallets buys each of two mints three times.
  const swaps = Array.from({ length: 12 }, (_, n) =>
    sampleSwap({
      signature: signatureOf(n),
      slot: 100 + n,
      timestamp: FIRST_MS + n,
      user: trader(n % 2),
      tokenAddress: mint(n % 4 < 2 ? 0 : 1),
      pairAddress: pair(n % 4 < 2 ? 0 : 1),
      isBuy: true,
      solAmount: 60_000_000_000,
      transferFeeOut: 0,
    }),
  )
  await insertLedger(db, swaps)
  await insertEvents(db, liquidityBeside(swaps))
  await insertRetractions(db, [7, 8, 9])
  const known = await getter(db, api.url)
  const headers = { Authorization: `Bearer ${OPERATOR}` }
  get = async (path) => (path.startsWith('/admin') ? under().call(path, headers) : known(path))
  for (const n of [0, 1]) {
    await under().call(`/admin/v1/kols/${trader(n)}?display_name=Ann`, headers, 'PUT')
  }
})

/** The parameters that make another list of it. */
const LISTS: Record<string, readonly string[]> = {
  '/swaps': [
    '',
    'order=asc',
    ...[0, 1].map((n) => `token_address=${mint(n)}`),
    ...[0, 1].map((n) => `pair_address=${pair(n)}`),
    ...[0, 1].map((n) => `user=${trader(n)}`),
  ],
  '/swaps/range': [`from=0&to=${FIRST_MS + 60_000}`],
  '/swaps/whale': ['', `user=${trader(0)}`],
  [`/swaps/trader/${trader(0)}`]: ['', 'order=asc'],
  [`/swaps/trader/${trader(1)}`]: [''],
  [`/swaps/token/${mint(0)}`]: [''],
  [`/swaps/token/${mint(1)}`]: [''],
  '/pool-events': [
    '',
    'order=asc',
    ...[0, 1].map((n) => `token_address=${mint(n)}`),
    ...[0, 1].map((n) => `pair_address=${pair(n)}`),
  ],
  '/api/v1/retractions': ['', 'order=asc'],
  '/api/v1/pairs': ['', ...[2, 3].map((n) => `token_addresses=${[0, 1, n].map(mint)}`)],
  ...Object.fromEntries(
    [0, 1].map((n) => [`/v2/pnl/tokens/${mint(n)}/traders`, ['', 'pnl_mode=raw']]),
  ),
  [`/wallets/${trader(0)}/trades`]: ['', 'order=asc', ...[0, 1].map((n) => `mint=${mint(n)}`)],
  [`/wallets/${trader(1)}/trades`]: [''],
  [`/tokens/${mint(0)}/holders`]: [''],
  [`/tokens/${mint(1)}/holders`]: [''],
  [`/v2/pnl/wallets/${trader(0)}/positions/${mint(0)}/lots`]: [''],
  [`/v2/pnl/wallets/${trader(0)}/positions/${mint(1)}/lots`]: [''],
  [`/v2/pnl/wallets/${trader(1)}/positions/${mint(0)}/lots`]: [''],
  '/admin/v1/kols': [''],
}
const PATHS = Object.entries(LISTS).flatMap(([path, queries]) =>
  queries.map((query) => `${path}?${query === '' ? '' : `${query}&`}limit=1`),
)
/** Needs jobs and workers: tested with them. */
const ELSEWHERE = [
  '/admin/v1/dead-letters',
  '/admin/v1/sectors',
  '/v2/backtest/{id}',
  '/v2/mev/sandwiches',
]

async function cursorOf(path: string): Promise<string> {
  const { status, body } = await get(path)
  if (status !== 200 || body.next_cursor === null) throw new Error(`${path}: ${status}`)
  return body.next_cursor
}

test('every documented list with a cursor is among these', async (t) => {
  const { paths } = (await under().call('/openapi.json')).body as unknown as {
    paths: Record<string, { get?: { parameters: { name: string }[] } }>
  }
  const documented = Object.entries(paths).flatMap(([path, { get: own }]) =>
    own?.parameters.some(({ name }) => name === 'cursor') ? [path] : [],
  )
  const unseen = documented.filter((path) => {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    return !Object.keys(LISTS).some((known) => pattern.test(known))
  })
  t.deepEqual(
    unseen.filter((path) => !ELSEWHERE.includes(path)),
    [],
  )
  t.true(documented.length > 8)
})

for (const path of PATHS) {
  test(`a cursor continues its list and is refused once it is not whole: ${path}`, async (t) => {
    const cursor = await cursorOf(path)
    const whole = await get(`${path}&cursor=${cursor}`)
    t.is(whole.status, 200)
    t.not(whole.body.next_cursor, cursor)
    const other = cursor.at(-1) === 'A' ? 'B' : 'A'
    const broken = [
      ...[1, 2, 3, 4, 5, 8, 12].map((lost) => cursor.slice(0, -lost)),
      cursor.slice(1),
      `${cursor}A`,
      `${cursor.slice(0, -1)}${other}`,
      `${cursor}${'A'.repeat(9_000)}`,
      '',
    ]
    for (const text of broken) {
      const { status, body } = await get(`${path}&cursor=${text}`)
      t.is(status, 400, text)
      // Flat for /swaps, enveloped elsewhere.
      t.is((body.error as { message?: string }).message ?? body.message, EXPECTED)
    }
  })

  test(`a cursor of another list is refused: ${path}`, async (t) => {
    for (const other of PATHS.filter((each) => each !== path)) {
      const { status } = await get(`${path}&cursor=${await cursorOf(other)}`)
      t.is(status, 400, other)
    }
  })
}

test('filters and windows may change during a walk, as may the limit', async (t) => {
  const cursor = await cursorOf('/swaps?limit=5')
  const narrower = await get(`/swaps?is_buy=true&min_sol=50&limit=1000&cursor=${cursor}`)
  t.is(narrower.body.data.length, 7)
})

test('a proof does not continue from a rewritten cursor', async (t) => {
  const path = `/v2/pnl/wallets/${trader(0)}/positions/${mint(0)}/lots?limit=1`
  const text = Buffer.from(await cursorOf(path), 'base64url').toString('latin1')
  const asOf = text.replace(/\|108\|/, '|99|')
  t.not(asOf, text)
  const rewritten = Buffer.from(asOf, 'latin1').toString('base64url')
  t.is((await get(`${path}&cursor=${rewritten}`)).status, 400)
})

test('GraphQL accepts the cursors of its lists, and no others', async (t) => {
  const { send } = await asker(under())
  const page = (wallet: string, cursor: string | null) => {
    const after = cursor === null ? '' : `, cursor: "${cursor}"`
    return `{ traderSwapsPage(wallet: "${wallet}", limit: 4${after}) { data { slot } next_cursor } }`
  }
  type Page = { traderSwapsPage: Record<'data', object[]> & { next_cursor: string } }
  const first = (await send(page(trader(0), null))).data as Page
  const cursor = first.traderSwapsPage.next_cursor
  t.is(cursor, await cursorOf(`/swaps/trader/${trader(0)}?limit=4`))
  const rest = (await send(page(trader(0), cursor))).data as Page
  t.is(rest.traderSwapsPage.data.length, 2)
  const { errors = [] } = await send(page(trader(1), cursor))
  t.is(errors[0]?.message, EXPECTED)
})

test('a cursor reads back in its list only, and with any character changed not at all', (t) => {
  const field = fc.oneof(fc.integer({ min: 0 }), fc.bigInt({ min: 0n }), fc.constant(trader(1)))
  const fields = fc.array(field, { maxLength: 5 })
  const lists: CursorList[] = [['a'], ['a', 'b'], ['a', undefined, 'b'], ['a', 'b', 'c'], ['b']]
  const decoded = (list: CursorList, text: string, count: number): string[] | 'refused' => {
    try {
      return decodeCursor(list, text, count)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'INVALID_PARAM') return 'refused'
      throw error
    }
  }
  const property = fc.property(
    fc.constantFrom(...lists),
    fields,
    fc.nat(),
    fc.nat(63),
    (list, own, index, letter) => {
      const text = encodeCursor(list, own)
      t.deepEqual(decoded(list, text, own.length), own.map(String))
      t.is(decoded(list, text, own.length + 1), 'refused')
      for (const other of lists) {
        if (other !== list) t.is(decoded(other, text, own.length), 'refused')
      }
      const at = index % text.length
      const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
      const changed = `${text.slice(0, at)}${letters[letter]}${text.slice(at + 1)}`
      if (changed !== text) t.is(decoded(list, changed, own.length), 'refused')
      t.is(decoded(list, text.slice(0, at), own.length), 'refused')
    },
  )
  fc.assert(property)
})
