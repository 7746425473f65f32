/** The query of a function as a statement. */
import test from 'ava'
import {
  expressionOfFunction,
  functionQuery,
  queryOfFunction,
  readFunctions,
} from '../../../sql/statements/function-body.ts'

const FUNCTION = `create or replace function doubled(n integer)
  returns table (value integer, note double precision)
  language plpgsql stable
as $$
declare
  twice bigint := n * 2;
begin
  return query
  with own as (select one.twice, twice from one)
  select twice_as_much, n from own;
end
$$;
`

test('variables stand for values, and columns of the same name for themselves', (t) => {
  t.is(
    queryOfFunction(FUNCTION, 'doubled', { n: '$1::integer', twice: '$2::bigint' }),
    `with made (value, note) as (
  with own as (select one.twice, $2::bigint from one)
  select twice_as_much, $1::integer from own
)
select * from made`,
  )
})

test('a function without a query is refused', (t) => {
  t.throws(() => queryOfFunction(FUNCTION, 'halved', {}), { message: /"halved" is no function/ })
  t.throws(() => functionQuery('sol_usd', {}), { message: /"sol_usd" is no function/ })
})

const SUM = `create or replace function added(
  n integer,
  more integer
)
returns integer
language sql stable
-- Not added.n; here.
return (
  select count(*) + added.more -- added.n
  from one
  where one.added = added.n
);
`

test('an expression has arguments in place of the parameters that it names with the function', (t) => {
  t.is(
    expressionOfFunction(SUM, 'added', 'each.id, null').replaceAll(/\s+/g, ' '),
    '(( select count(*) + null from one where one.added = each.id ))',
  )
})

test('a function without an expression, and another number of arguments, are refused', (t) => {
  t.throws(() => expressionOfFunction(SUM, 'added', 'each.id'), { message: /"added" is no/ })
  t.throws(() => expressionOfFunction(FUNCTION, 'doubled', '1'), { message: /"doubled" is no/ })
  t.regex(expressionOfFunction(readFunctions('sandwich_tie'), 'sandwich_tie', '1, 2, 3'), /md5/)
})
