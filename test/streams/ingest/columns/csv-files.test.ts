/** Tables of CSV as files: what is refused by its header, by its rows, and what damage costs. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import fc from 'fast-check'
import type { Event } from '../../../../domain/events/event.ts'
import { printEvent } from '../../../../streams/ingest/ndjson-writer.ts'
import { csvSource, errorOf, readTable } from '../../../support/events/read-table.ts'
import { MINT } from '../../../support/events/sample-event.ts'
import { csvOf } from '../../../support/events/tables.ts'
import { temporaryFolder } from '../../../support/servers/servers.ts'

const printed = (events: readonly Event[]): string => events.map(printEvent).join('\n')

test('damage of CSV costs the rows that it touches and no other', async (t) => {
  const path = join(await temporaryFolder(t), 'table.csv')
  const events = Array.from({ length: 30 }, (_, slot): Event => {
    return { kind: 'retract', retraction: { slot } }
  })
  const bytes = Buffer.from(csvOf(events))
  const header = bytes.indexOf('\n') + 1
  const hostile = fc.constantFrom(0, 0x22, 0x2c, 0x0d, 0xff, 0xc3, 0x5c, 0x27, 0x7f)
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: header, max: bytes.length - 1 }),
      hostile,
      async (at, byte) => {
        const damaged = Buffer.from(bytes)
        damaged[at] = byte
        await writeFile(path, damaged)
        const found = await readTable(csvSource(path))
        // A line feed that is damaged joins two rows, and the last one may look cut off.
        t.true(found.events.length >= 28, `byte ${at} as ${byte}: ${found.events.length} rows`)
        const known = new Set(events.map(printEvent))
        const strange = found.events.filter((event) => !known.has(printEvent(event)))
        t.true(strange.length <= 1)
      },
    ),
  )
})

const HEADERS: [name: string, text: string, reason: RegExp][] = [
  ['no line', '', /^expected a header that names the columns$/],
  ['a header without kinds', 'slot,blockhash\n1,\n', /^no column "kind": state it in a mapping/],
  [
    'a used column twice',
    'kind,slot,slot\nretract,1,2\n',
    /^column "slot" of field slot occurs 2 times$/,
  ],
  [
    'a header that is not closed',
    '"kind,slot\nretract,1\n',
    /^header: expected the quoted cell to be closed$/,
  ],
]

for (const [name, text, reason] of HEADERS) {
  test(`a table of CSV with ${name} is not read`, async (t) => {
    const path = join(await temporaryFolder(t), 'table.csv')
    await writeFile(path, text)
    t.regex(await errorOf(t, csvSource(path)), reason)
  })
}

test('names the line, the field and the value of each row that is refused, and reads the others', async (t) => {
  const path = join(await temporaryFolder(t), 'table.csv')
  const rows = [
    '\ufeffkind,slot,blockhash,symbol,token_address',
    'retract,1,,,',
    'retract,-1,,,',
    'retract,2,,',
    `token,,,"a\n\nb",${MINT}`,
    'retract,,,,',
    '"retract"x,3,,,',
    'order,4,,,',
    'retract,5,,,',
  ]
  await writeFile(path, `${rows.join('\r\n')}\r\n`)
  const { events, reports } = await readTable(csvSource(path))
  t.is(
    printed(events),
    printed([
      { kind: 'retract', retraction: { slot: 1 } },
      { kind: 'token', token: { tokenAddress: MINT, slot: 0, symbol: 'a\n\nb' } },
      { kind: 'retract', retraction: { slot: 5 } },
    ]),
  )
  t.deepEqual(reports, [
    'table.csv:3 slot -1: expected an integer of 0 to 2^53-1',
    'table.csv:4 line "retract,2,,": expected 5 cells as in the header, found 4',
    'table.csv:8 slot absent: expected an integer of 0 to 2^53-1',
    'table.csv:9 line ""retract"x,3,,,": expected the delimiter after a closing quote (a quote in a quoted cell is doubled)',
    'table.csv:10 kind "order": expected one of swap pool_event token retract',
  ])
})
