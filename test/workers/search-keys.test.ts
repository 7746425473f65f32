/** Search keys of tokens: of older rows, of another version, and of rows that the pool actor merges. */
import test, { type ExecutionContext } from 'ava'
import type { Token } from '../../domain/events/token.ts'
import { trimName } from '../../domain/text/padding.ts'
import { storedSearchKey } from '../../domain/text/search-key.ts'
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { mergeTokens } from '../../workers/pool/write/token-merge.ts'
import { refreshSearchKeys } from '../../workers/search-keys.ts'
import { testDatabase } from '../support/servers/database.ts'

const mergeTokenLines = query('pool/merge_tokens')

const NAMES = [
  ...['BONK', 'bonk', 'Straße', 'cafe\u0301', 'BO\u200bNK', 'İI', ' padded ', '', '\u202e', null],
  ...['\ufdfa'.repeat(200), '\u{1f680}'.repeat(200), '日本語トークン'],
]

type Row = Record<
  'symbol' | 'name' | 'sector' | 'symbol_key' | 'name_key' | 'sector_key',
  string | null
>

async function rowsOf(db: Db): Promise<Row[]> {
  const { rows } = await db.query<Row>(
    'select symbol, name, sector, symbol_key, name_key, sector_key from token order by id',
  )
  return rows
}

function assertKeyed(t: ExecutionContext, rows: readonly Row[]): void {
  const keyOf = (text: string | null) => (text === null ? null : storedSearchKey(text))
  for (const row of rows) {
    t.deepEqual(
      [row.symbol_key, row.name_key, row.sector_key],
      [row.symbol, row.name, row.sector].map(keyOf),
    )
  }
}

test('rows from before get keys and lose their padding, once', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const count = 12_000
  await db.query(
    `insert into token (address, symbol, name, sector)
     select 'mint ' || n, ($1::text[])[n % $4::integer + 1], ($2::text[])[n % $4::integer + 1], ($3::text[])[n % $4::integer + 1]
     from generate_series(1, ${count}) as n`,
    [NAMES, NAMES.toReversed(), NAMES.toSorted(), NAMES.length],
  )
  const before = await rowsOf(db)
  await refreshSearchKeys(db)
  const rows = await rowsOf(db)
  t.is(rows.length, count)
  assertKeyed(t, rows)
  t.deepEqual(
    rows.map(({ symbol }) => symbol),
    before.map(({ symbol }) => (symbol === null ? null : trimName(symbol))),
  )
  t.is(await refreshSearchKeys(db), 0)
  // A program from before writes without keys.
  await db.query("insert into token (address, name) values ('late', 'Late')")
  t.is(await refreshSearchKeys(db), 1)
  assertKeyed(t, await rowsOf(db))
})

test('keys of another version of the function are computed again', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  await db.query("insert into token (address, symbol) values ('a', 'BONK'), ('b', null)")
  await refreshSearchKeys(db)
  await db.query("update token set symbol_key = 'as it was once'")
  await db.query("update search_key_version set version = 'another'")
  t.is(await refreshSearchKeys(db), 1)
  assertKeyed(
    t,
    (await rowsOf(db)).filter(({ symbol }) => symbol !== null),
  )
})

test('keys match the texts of token lines in any order of arrival', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const line = (slot: number, more: Partial<Token>): Token => ({ tokenAddress: 'a', slot, ...more })
  const lines = [
    line(5, { symbol: 'Straße' }),
    line(3, { symbol: 'OLD', name: 'CAFE\u0301' }),
    line(5, { symbol: 'STRASSE', sector: 'DeFi' }),
    line(9, { name: 'x\u200by' }),
    line(7, { name: 'late', sector: 'ＤＥＦＩ' }),
  ]
  for (const order of [lines, lines.toReversed()]) {
    await db.query('delete from token')
    for (const each of order) await mergeTokenLines(db, mergeTokens([each]))
    t.deepEqual(await rowsOf(db), [
      {
        symbol: 'Straße',
        name: 'x\u200by',
        sector: 'ＤＥＦＩ',
        symbol_key: 'strasse',
        name_key: 'xy',
        sector_key: 'defi',
      },
    ])
  }
})
