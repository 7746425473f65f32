/** Statements in which tables and functions of now stand for rows and values as of a slot. */
import test from 'ava'
import { PAST_SOURCES, type PastSource, pastForm } from '../../../sql/statements/past-form.ts'

const QUERIES = Object.fromEntries(
  PAST_SOURCES.map((source) => [source, `select '${source}', $1`]),
) as Record<PastSource, string>
const formOf = (statement: string) => {
  const { text, sources } = pastForm(statement, QUERIES)
  return { text: text.replaceAll(/\s+/g, ' ').trim(), sources }
}
const expression = (source: PastSource, parameter: number) =>
  `${source} as not materialized ( select '${source}', $${parameter} )`

test('tables get the parameters that follow those of the statement, in the order of the sources', (t) => {
  t.deepEqual(
    formOf('-- Reads pool.\nselect from pool join candle_1m on $2 = $1 -- and candle_4h\n'),
    {
      text: `with ${expression('pool', 4)}, ${expression('candle_1m', 3)} select from pool join candle_1m on $2 = $1`,
      sources: ['candle_1m', 'pool'],
    },
  )
})

test('a call of token_prices() reads the prices of its tokens, whatever its argument', (t) => {
  const { text, sources } = formOf(
    'select from token_prices(array(select id from t where (a = $1))) as p',
  )
  t.is(
    text,
    `with ${expression('past_prices', 2)} select from lateral (select * from past_prices where token_id = ` +
      'any (array(select id from t where (a = $1)))) as p',
  )
  t.deepEqual(sources, ['past_prices'])
  t.throws(() => formOf('select from token_prices(array[1]'), { message: /does not end/ })
})

test('functions of now become values', (t) => {
  const { text, sources } = formOf('select newest_swap_ms() / 2, sol_usd()')
  t.true(
    text.endsWith('select (select newest_ms from past_time) / 2, (select rate from past_rate)'),
  )
  t.deepEqual(sources, ['past_rate', 'past_time'])
})

test('a statement that reads a table of now is refused', (t) => {
  t.throws(() => formOf('select from position'), {
    message: '"position" is of now: expected a statement without it',
  })
})
