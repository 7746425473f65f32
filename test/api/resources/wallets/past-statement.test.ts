/** The text of statements of positions as of a slot: nothing that changes with time is read but what is handed over. */
import test from 'ava'
import { pastForm } from '../../../../api/resources/wallets/past-statement.ts'
import { query } from '../../../../sql/query.ts'

const STATEMENTS = [
  'batches/list_pairs',
  'holdings/list_open',
  'pnl/list_positions',
  'pnl/read_exposure',
  'summary/list_highlights',
  'summary/list_summaries',
]
/** Addresses and ids never change. */
const LASTING = ['wallet', 'token']
/** Functions of what is handed over, and of prices of tokens whose pools no later swap changed. */
const FUNCTIONS = ['unnest', 'jsonb_to_recordset', 'token_prices_as_of']
/** Rows up to the slot; no rows. */
const SHADOWED = ['position', 'held_token', 'reconciliation', 'wallet_tag']
const OF_ROWS = /\b(?:from|join)\s+(?!lateral\b)([a-z_]\w*)\b(\()?/g
const EXPRESSION = /\b([a-z_]+) as (?:not )?materialized|\b([a-z_]+) as \(/g

test('a statement reads ids, addresses and what is handed over', (t) => {
  for (const path of STATEMENTS) {
    const form = pastForm(query(path).text)
    const own = new Set([...form.matchAll(EXPRESSION)].map(([, name, other]) => name ?? other))
    for (const name of SHADOWED) t.true(own.has(name), `${path}: ${name}`)
    for (const [, name, call] of form.matchAll(OF_ROWS)) {
      const isOwn = own.has(name) || LASTING.includes(name!)
      t.true(isOwn || FUNCTIONS.includes(name!), `${path}: ${name}`)
      t.is(call !== undefined, !isOwn, `${path}: ${name}`)
    }
    t.notRegex(form, /\b(?:token_prices|mint_decimals|sol_usd\w*|newest_swap_ms)\(/)
  }
})

test('a call is replaced with its arguments, whatever parentheses they have', (t) => {
  const form = pastForm(
    `-- Not token_prices(.
select a from token_prices((select array_agg(x) from owned where (y))) as priced`,
  )
  const ids = '(select array_agg(x) from owned where (y))'
  const handed = `select handed.* from past_price as handed where handed.token_id in (select unnest(${ids}))`
  t.true(form.includes(`from (${handed}\n`))
  t.true(
    form.includes(
      `token_prices_as_of(${ids}, past_rate.slot, past_rate.latest_ms) as unchanged) as priced`,
    ),
  )
})

test('parameters of what is handed over follow those of the statement', (t) => {
  const form = pastForm('select $2 from position where a = $1 and b = sol_usd()')
  t.deepEqual(
    [...new Set([...form.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))].sort(
      (a, b) => a - b,
    ),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
  )
})
