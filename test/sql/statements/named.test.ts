/** Statements by name from files of a topic, and the files that are refused with their line. */
import test from 'ava'
import { query } from '../../../sql/query.ts'
import {
  collectStatements,
  loadStatements,
  parseStatements,
} from '../../../sql/statements/named.ts'

const FIND = '-- name: lots/find_one\n-- One lot. $1 text.\nselect 1\n'
const LIST = '-- name: lots/list_all\n-- All lots.\nselect 2\n'
const FILE = 'sql/queries/lots.sql'

const collected = (...files: [name: string, text: string][]) =>
  collectStatements(
    files.flatMap(([name, text]) => parseStatements(name, text)),
    (name) => {
      if (name === 'shared') return '-- Shared.\na,\nb\n'
      throw new Error(`there is no fragment "${name}"`)
    },
  )

test('each statement is the text after its name, header included', (t) => {
  t.deepEqual(parseStatements(FILE, `${FIND}\n${LIST}`), [
    { name: 'lots/find_one', text: '-- One lot. $1 text.\nselect 1\n', file: FILE, line: 1 },
    { name: 'lots/list_all', text: '-- All lots.\nselect 2\n', file: FILE, line: 5 },
  ])
  const { statements } = collected([FILE, `\n\n${FIND}\n\n\n${LIST}\n\n`])
  t.deepEqual(
    [...statements],
    [
      ['lots/find_one', '-- One lot. $1 text.\nselect 1\n'],
      ['lots/list_all', '-- All lots.\nselect 2\n'],
    ],
  )
})

test('a topic may have several files, and its fragments and variants are filled in', (t) => {
  const template = [
    '-- name: lots/list_sorted',
    '-- Lots, {order}.',
    '-- variant asc: order = asc',
    '-- variant desc: order = desc',
    'select {+shared} from lot order by id {order}',
    '',
  ].join('\n')
  const { statements, templates } = collected(
    [FILE, FIND],
    ['sql/queries/lots-lists.sql', template],
  )
  t.deepEqual([...templates], [['lots/list_sorted', ['asc', 'desc']]])
  t.deepEqual(
    [...statements.keys()],
    ['lots/find_one', 'lots/list_sorted_asc', 'lots/list_sorted_desc'],
  )
  t.is(
    statements.get('lots/list_sorted_desc'),
    '-- Lots, desc.\nselect a,\nb from lot order by id desc\n',
  )
})

const TEMPLATE = '-- A.\n-- variant one: width = 1\nselect {width}\n'
const REFUSED: [what: string, files: [name: string, text: string][], message: string][] = [
  [
    'a name that exists twice in a file',
    [[FILE, `${FIND}\n${FIND}`]],
    `${FILE}:5: statement "lots/find_one" is also at ${FILE}:1`,
  ],
  [
    'a name that exists in another file of the topic',
    [
      [FILE, FIND],
      ['sql/queries/lots-lists.sql', `\n${FIND}`],
    ],
    `sql/queries/lots-lists.sql:2: statement "lots/find_one" is also at ${FILE}:1`,
  ],
  [
    'a name that a variant of a template has',
    [[FILE, `-- name: lots/find_it\n${TEMPLATE}-- name: lots/find_it_one\n-- B.\nselect 1\n`]],
    `${FILE}:5: statement "lots/find_it_one" is also at ${FILE}:1`,
  ],
  [
    'text before the first name',
    [[FILE, `-- Lots.\n${FIND}`]],
    `${FILE}:1: expected "-- name: <topic>/<verb>_<noun>" before "-- Lots."`,
  ],
  [
    'a file without a name',
    [[FILE, 'select 1\n']],
    `${FILE}:1: expected "-- name: <topic>/<verb>_<noun>" before "select 1"`,
  ],
  [
    'a statement of another topic',
    [[FILE, `${FIND}\n-- name: swaps/find_one\n-- A swap.\nselect 1\n`]],
    `${FILE}:5: "swaps/find_one" belongs in swaps.sql or swaps-<part>.sql`,
  ],
  [
    'a statement without text',
    [[FILE, `-- name: lots/find_none\n-- Nothing.\n\n${LIST}`]],
    `${FILE}:1: statement "lots/find_none" has no text`,
  ],
  [
    'an unknown fragment',
    [[FILE, `${FIND}\n-- name: lots/find_part\n-- A part.\nselect {+gone} from lot\n`]],
    `${FILE}:5: there is no fragment "gone"`,
  ],
  [
    'a broken template',
    [[FILE, `${FIND}\n-- name: lots/find_it\n${TEMPLATE}limit {rows}\n`]],
    `${FILE}:5: template "lots/find_it_one" has no text for {rows}`,
  ],
]
for (const line of [
  '-- Name: lots/list_all',
  '--name: lots/list_all',
  '-- name : lots/list_all',
  ' -- name: lots/list_all',
  '-- name: lots/list_all ',
  '-- name: lots/list_all\r',
  '-- name: list_all',
  '-- name: lots/list-all',
  '-- name: lots/all',
  '-- name:',
]) {
  REFUSED.push([
    `the name ${JSON.stringify(line)}, which would join two statements`,
    [[FILE, `${FIND}\n${line}\nselect 2\n`]],
    `${FILE}:5: "${line}": expected "-- name: <topic>/<verb>_<noun>"`,
  ])
}

for (const [what, files, message] of REFUSED) {
  test(`refuses ${what}`, (t) => {
    t.throws(() => collected(...files), { message })
  })
}

test('a function of a statement has its text and the name with which it is prepared', (t) => {
  const { statements, templates } = loadStatements()
  for (const [name, text] of statements) {
    t.deepEqual([query(name).name, query(name).text], [name.replace('/', '.'), text])
    t.notRegex(text, /\{\+|-- name:|-- variant/)
  }
  for (const name of templates.keys()) t.throws(() => query(name), { message: /and one of "/ })
})
