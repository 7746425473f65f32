/** Templates of statements: their expansion, and the broken ones that are refused. */
import test from 'ava'
import { query, variants } from '../../../sql/query.ts'
import { parseStatements } from '../../../sql/statements/named.ts'
import { fillTemplate, includeFragments } from '../../../sql/statements/template.ts'
import { listFiles, readText } from '../../support/sources.ts'

const TEMPLATE = `-- Rows {words}.
-- variant asc: words = oldest first; order = asc
-- variant asc: beyond = >
-- variant desc: words = newest first; order = desc; beyond = <
select slot from swap where slot {beyond} $1 and owner <> '{}' order by slot {order}
`

test('each variant is the text of the file with its values, comments included', (t) => {
  t.deepEqual(
    [...(fillTemplate('swaps/list', TEMPLATE) ?? [])],
    [
      [
        'asc',
        "-- Rows oldest first.\nselect slot from swap where slot > $1 and owner <> '{}' order by slot asc\n",
      ],
      [
        'desc',
        "-- Rows newest first.\nselect slot from swap where slot < $1 and owner <> '{}' order by slot desc\n",
      ],
    ],
  )
})

test('a file without variants is no template', (t) => {
  t.is(fillTemplate('swaps/list', '-- Rows.\nselect {order} from swap\n'), undefined)
})

const BROKEN: [what: string, text: string, message: RegExp][] = [
  [
    'a placeholder without a value',
    '-- variant asc: order = asc\nselect {order} {beyond}\n',
    /"a\/b_asc" has no text for \{beyond\}/,
  ],
  [
    'a value that nothing uses',
    '-- variant asc: order = asc; beyond = >\nselect {order}\n',
    /"a\/b_asc" has no \{beyond\}/,
  ],
  [
    'a variant that lacks a value that another has',
    '-- variant asc: order = asc\n-- variant desc: beyond = <\nselect {order}\n',
    /"a\/b_desc" has no text for \{order\}/,
  ],
  [
    'a value stated twice',
    '-- variant asc: order = asc; order = desc\nselect {order}\n',
    /variant "asc": "order = desc" is not a new "name = text"/,
  ],
  [
    'a value that is none',
    '-- variant asc: order\nselect {order}\n',
    /variant "asc": "order" is not a new "name = text"/,
  ],
]

for (const [what, text, message] of BROKEN) {
  test(`refuses ${what}`, (t) => {
    t.throws(() => fillTemplate('a/b', text), { message })
  })
}

test('a statement of a template is named by the file and its variant', (t) => {
  const { asc, desc } = variants('swaps/find_venue_run', ['desc', 'asc'])
  t.is(asc.name, 'swaps.find_venue_run_asc')
  t.is(desc.text, query('swaps/find_venue_run_desc').text)
  t.notRegex(asc.text, /variant|\{/)
})

test('a variant that the template does not list is refused, as is the bare template', (t) => {
  t.throws(() => variants('swaps/find_venue_run', ['asc', 'desc', 'asc; drop table swap']), {
    message: /has the variants "asc,desc", expected/,
  })
  t.throws(() => variants('swaps/find_venue_run', ['asc']), { message: /has the variants/ })
  t.throws(() => query('swaps/find_venue_run'), {
    message: /expected "swaps\/find_venue_run_" and one of "asc,desc"/,
  })
  t.throws(() => query('swaps/find_venue_run_up'), {
    message: /no statement "swaps\/find_venue_run_up"/,
  })
  t.throws(() => query('swaps/no_such_statement'), {
    message:
      'no statement "swaps/no_such_statement": expected "-- name: swaps/no_such_statement" in sql/queries/swaps.sql',
  })
})

test('includes a fragment without its header, at the indentation of its line', (t) => {
  const read = (name: string): string => `-- The ${name}.\n-- In order.\na,\nb\n`
  t.is(
    includeFragments('select\n  {+columns},\n  c\nfrom d\n', read),
    'select\n  a,\n  b,\n  c\nfrom d\n',
  )
  t.is(includeFragments("select '{}', {columns}\n", read), "select '{}', {columns}\n")
})

test('each fragment is included by several statements, and each included one exists', (t) => {
  const paths = listFiles().filter((path) => path.endsWith('.sql'))
  const texts = paths.flatMap((path) =>
    path.startsWith('sql/queries/')
      ? parseStatements(path, readText(path)).map(({ text }) => text)
      : [readText(path)],
  )
  const included = texts.flatMap((text) =>
    Array.from(new Set(text.match(/(?<=\{\+)\w+/g)), (name) => name),
  )
  const fragments = paths.filter((path) => path.startsWith('sql/fragments/'))
  const names = fragments.map((path) => path.slice('sql/fragments/'.length, -'.sql'.length))
  t.deepEqual([...new Set(included)].toSorted(), names.toSorted())
  for (const name of names) t.true(included.filter((each) => each === name).length > 1, name)
})
