/** The query of a function as a statement. */
import test from 'ava'
import { functionQuery, queryOfFunction } from '../../../sql/statements/function-body.ts'

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
