/**
 * The questions of README by which a reader finds a place in the tree: each is answered there by the declaration and the
 * file that has it, so that the file is the second one to open.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { ROOT, readText } from '../support/sources.ts'

/** Rows of the table, by their question. */
const ANSWERS = new Map(
  Array.from(
    readText('README.md').matchAll(/^\| (\S[^|]*\?) \| (.*) \|$/gm),
    ([, question = '', answer = '']) => [question, answer] as const,
  ),
)
/** A declaration in its file, as answers write it. */
const DECLARATION = /`(\w+)` in `([\w/.-]+\.tsx?)`/g

const SUBJECTS = [
  'a swap validated',
  'a venue decoded',
  'price impact',
  'a candle corrected',
  'a lane',
  'a position computed',
  'a ranking computed',
  'a route declared',
]

test('README answers where the parts of the way of a swap are', (t) => {
  const where = [...ANSWERS.keys()].filter((question) => question.startsWith('Where '))
  for (const subject of SUBJECTS) {
    t.true(
      where.some((question) => question.includes(subject)),
      subject,
    )
  }
})

for (const [question, answer] of ANSWERS) {
  const declarations = [...answer.matchAll(DECLARATION)]
  if (/^Where (is|does) /.test(question)) {
    test(`names a declaration and its file: ${question}`, (t) => t.true(declarations.length > 0))
  }
  if (declarations.length > 0) {
    test(`the files export what the answer names: ${question}`, (t) => {
      for (const [, name = '', path = ''] of declarations) {
        t.true(existsSync(join(ROOT, path)), path)
        t.regex(readText(path), declarationOf(name), `${path}: ${name}`)
      }
    })
  }
}

function declarationOf(name: string): RegExp {
  return new RegExp(`^export (async function|function|class|const|type) ${name}\\b`, 'm')
}

/** Questions about behaviour: the section that README leads to, the second file to open, and what it has to state. */
const SECTIONS: [question: string, path: string, heading: RegExp, states: RegExp[]][] = [
  [
    'What should this figure be',
    'docs/semantics.md',
    /^# /,
    [/^#+ Price impact$/m, /^#+ Holders$/m, /win rate/i],
  ],
  [
    'What does a slow WebSocket client see',
    'docs/feeds.md#a-slow-client',
    /^## A slow client$/m,
    [/warning/, /`goodbye` with the cursors/, /30 s/, /loses nothing/],
  ],
]

for (const [start, link, heading, states] of SECTIONS) {
  test(`README leads to the section that answers: ${start}?`, (t) => {
    const [, answer = ''] = [...ANSWERS].find(([question]) => question.startsWith(start)) ?? []
    t.is(/\]\((docs\/[\w-]+\.md(?:#[\w-]+)?)\)/.exec(answer)?.[1], link)
    const text = readText(link.replace(/#.*/, ''))
    const from = text.search(heading)
    t.true(from >= 0, `${heading}`)
    const section = link.includes('#') ? text.slice(from).split(/\n(?=## )/)[0] : text
    for (const statement of states) t.regex(section ?? '', statement)
  })
}
