/**
 * Stored swaps are read in one room: statements that read `swap` or `swap_signature` have the topic `swap-history`, and only
 * files in history/ load them. Decision: docs/decisions/0106-stored-swaps-are-read-in-one-room.md
 */
import test from 'ava'
import { parseStatements } from '../../sql/statements/named.ts'
import { listFiles, readText } from '../support/sources.ts'

/** A table in a list of sources or as the target of a write; an alias or a qualified column is none. */
const NAMES_SWAPS =
  /(?:\b(?:from|join|update|into|using|only)\s+|,\s*)(?:only\s+)?(?:public\.)?"?swap(?:_signature)?"?(?![\w."])/i

/** Statements that write, with the part that reads the rows that they write. */
const WRITERS = [
  'pool/name_swaps',
  'pool/update_impacts',
  'retraction/delete_signatures',
  'retraction/promote_signatures',
  'retraction/take_swaps',
]
/** Functions that statements call, each with one question about a wallet, a window or pools. */
const FUNCTIONS = ['has_traded', 'leaderboards', 'swap_order', 'token_birth']

const bare = (text: string): string => text.replaceAll(/--.*/g, '')
const SQL = listFiles().filter((path) => path.endsWith('.sql'))
const STATEMENTS = SQL.filter((path) => path.startsWith('sql/queries/')).flatMap((path) =>
  parseStatements(path, readText(path)),
)
const OF_ROOM = /^swap-history\//

test('finds the tables of swaps however a statement names them', (t) => {
  const named = [
    'from swap',
    'join\n  swap s',
    'from pool, swap',
    'update swap set',
    'from only swap',
  ]
  for (const text of [...named, 'from swap_signature', 'FROM public.swap', 'from "swap" as s']) {
    t.regex(text, NAMES_SWAPS)
  }
  for (const text of [
    'from swap_order()',
    'select swap.slot, swap.dex',
    ') as swap',
    'from swap.x',
  ]) {
    t.notRegex(text, NAMES_SWAPS)
  }
})

test('statements that read swaps are in the room, but for those that write', (t) => {
  const outside = STATEMENTS.filter(
    ({ name, text }) => !OF_ROOM.test(name) && NAMES_SWAPS.test(bare(text)),
  )
  t.deepEqual(outside.map(({ name }) => name).sort(), WRITERS)
  const fragments = SQL.filter((path) => path.startsWith('sql/fragments/'))
  t.deepEqual(
    fragments.filter((path) => NAMES_SWAPS.test(bare(readText(path)))),
    [],
    'fragments, which any statement may include',
  )
})

test('functions that read swaps are listed', (t) => {
  const found = SQL.filter((path) => path.startsWith('sql/functions/')).filter((path) =>
    NAMES_SWAPS.test(bare(readText(path))),
  )
  t.deepEqual(
    found.sort(),
    FUNCTIONS.map((name) => `sql/functions/${name}.sql`),
  )
})

test('the room alone loads its statements', (t) => {
  const inRoom = STATEMENTS.filter(({ name }) => OF_ROOM.test(name))
  t.true(inRoom.length > 0)
  const loaded = listFiles()
    .filter((path) => path.endsWith('.ts') && !/^(test|history)\//.test(path))
    .filter((path) =>
      /^(?!\s*\/?\*).*\b(?:query|variants)\b[^(]*\(\s*'swap-history\//m.test(readText(path)),
    )
  t.deepEqual(loaded, [])
})
