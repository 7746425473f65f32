/** Statements in which a name of a table stands for a query. */
import test from 'ava'
import { loadStatements } from '../../../sql/statements/named.ts'
import { shadowTable } from '../../../sql/statements/shadowed.ts'

const QUERY =
  '-- All. $1 integer[].\nselect a from t union all select a from unnest($1::integer[]) as more (a)\n'
const shadowed = (statement: string) => shadowTable(statement, 't', QUERY)
const expression = (parameter: number) =>
  `t as not materialized (\nselect a from t union all select a from unnest($${parameter}::integer[]) as more (a)\n)`

test('a query of one table gets the expression after its header', (t) => {
  t.is(
    shadowed('-- One. $9 is not one of its own.\nselect a from t where a = $1\n'),
    `-- One. $9 is not one of its own.\nwith ${expression(2)}\nselect a from t where a = $1\n`,
  )
})

test('the expression precedes those of the statement', (t) => {
  t.is(
    shadowed('with b as (select $2 from t)\nselect from b where $1'),
    `with ${expression(3)},\nb as (select $2 from t)\nselect from b where $1`,
  )
})

test('a cursor and an insert read it, the latter also with expressions of its query', (t) => {
  t.is(
    shadowed('declare c no scroll cursor for\nselect a from t'),
    `declare c no scroll cursor for\nwith ${expression(1)}\nselect a from t`,
  )
  t.is(
    shadowed('insert into u\nwith b as (select a from t)\nselect a from b'),
    `with ${expression(1)}\ninsert into u\nwith b as (select a from t)\nselect a from b`,
  )
})

test('a statement that cannot have such an expression is refused', (t) => {
  for (const statement of ['fetch forward 5 from c', 'with recursive b as (select) select']) {
    t.throws(() => shadowed(statement), {
      message: `no common table expression can precede "${statement.slice(0, 40)}"`,
    })
  }
})

test('each statement of stored swaps has its own text around the expression', (t) => {
  const own = [...loadStatements().statements].filter(
    ([name, text]) =>
      name.startsWith('swap-history/') && /\bswap\b/.test(text.replaceAll(/--.*/g, '')),
  )
  t.true(own.length > 50)
  for (const [name, text] of own) {
    const [before, after] = shadowTable(text, 'swap', 'select $1').split(
      /with swap as not materialized \(\nselect \$\d+\n\)/,
    )
    const rest = after!.startsWith(',') ? `with ${after!.slice(2)}` : after!.slice(1)
    t.is(`${before}${rest}`, text, name)
  }
})
