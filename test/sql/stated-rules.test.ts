/** Numbers of rules that SQL has as literals, against the constants of which texts of the API are made. */
import test from 'ava'
import { ARBITRAGES_MIN } from '../../domain/ledger/arbitrage.ts'
import { SOURCE_RUNNING_S } from '../../sql/chain/sources.ts'
import { readText } from '../support/sources.ts'

const numbersIn = (path: string, pattern: RegExp): number[] =>
  Array.from(readText(path).matchAll(pattern), ([, number]) => Number(number))

test('statements of sources of chain data have the seconds of the constant', (t) => {
  const path = 'sql/queries/sources.sql'
  const silent = numbersIn(path, /seen_at [<>] clock_timestamp\(\) - interval '(\d+) seconds'/g)
  const described = numbersIn(path, /(?:silent for|within) (\d+) s\b/g)
  t.deepEqual([...silent, ...described], Array(4).fill(SOURCE_RUNNING_S))
})

test('an arbitrageur has as many transactions in SQL and in docs/semantics.md as in the constant', (t) => {
  const least = /arbitrage(?:s_least|_count)?\)? >= (\d+)/g
  const found = [
    'sql/fragments/position_columns.sql',
    'sql/queries/sealed-history-bounds.sql',
    'sql/queries/swap-history-wallets.sql',
  ].flatMap((path) => numbersIn(path, least))
  t.deepEqual(found, Array(4).fill(ARBITRAGES_MIN))
  const written = numbersIn(
    'docs/semantics.md',
    /at least (\d+) of its transactions, and at least half/g,
  )
  t.deepEqual(written, [ARBITRAGES_MIN])
})
