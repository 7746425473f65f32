/** The JSON Schema of a line, and the contract that checks lines: what one refuses, the other does. */

import { Ajv2020 } from 'ajv/dist/2020.js'
import test from 'ava'
import { CONTRACT, parseEvent } from '../../../streams/ingest/contract.ts'
import { ingestSchema } from '../../../streams/ingest/json-schema.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'
import {
  MINT,
  NOW_MS,
  POOL_EVENT_LINE,
  SIGNATURE,
  SWAP_LINE,
  TOKEN_LINE,
} from '../../support/events/sample-event.ts'

const isValid = new Ajv2020({ strictTypes: false }).compile(
  JSON.parse(
    JSON.stringify(ingestSchema(), (_, value) =>
      typeof value === 'bigint' ? Number(value) : value,
    ),
  ),
)
const isAccepted = (line: object): boolean => {
  const read = parseEvent(JSON.stringify(line), NOW_MS)
  return 'event' in read && read.warnings === undefined
}

const LINES: Readonly<Record<keyof typeof CONTRACT, object>> = {
  swap: SWAP_LINE,
  pool_event: POOL_EVENT_LINE,
  token: TOKEN_LINE,
  retract: { kind: 'retract', slot: 398_202_821, blockhash: MINT },
}
const VALUES = [
  null,
  true,
  '',
  'x',
  -1,
  0,
  1,
  9,
  10,
  11,
  18,
  19,
  1.5,
  2_147_483_647,
  2_147_483_648,
  Date.UTC(2020, 0, 1) - 1,
  Date.UTC(2020, 0, 1),
  Date.UTC(2100, 0, 1),
  [],
  {},
  MINT,
  SIGNATURE,
  'created',
  'burnt',
  'a'.repeat(200),
  'a'.repeat(201),
  'a\u0000b',
  '😀'.repeat(150),
]

test('lines of the simulated market are valid', (t) => {
  let count = 0
  for (const event of simulate({ seed: 12, swaps: 500, fromMs: NOW_MS - 3_600_000 })) {
    const line = JSON.parse(printEvent(event))
    t.true(isValid(line), JSON.stringify(isValid.errors))
    count += 1
  }
  t.true(count >= 500)
})

for (const [kind, fields] of Object.entries(CONTRACT)) {
  test(`the schema and ingest accept the same values of each field of ${kind} lines`, (t) => {
    const line = LINES[kind as keyof typeof CONTRACT]
    t.true(isValid(line) && isAccepted(line))
    let refused = 0
    for (const { name } of fields) {
      for (const value of [...VALUES, undefined]) {
        const changed = { ...line, [name]: value }
        const accepts = isAccepted(changed)
        t.is(
          isValid(JSON.parse(JSON.stringify(changed))),
          accepts,
          `${name} ${JSON.stringify(value)}`,
        )
        if (!accepts) refused += 1
      }
    }
    t.true(refused > 20)
  })
}

test('a field without a name is ignored, a kind without one refused', (t) => {
  t.true(isValid({ ...SWAP_LINE, note: 1 }) && isAccepted({ ...SWAP_LINE, note: 1 }))
  t.false(isValid({ ...SWAP_LINE, kind: 'trade' }) || isAccepted({ ...SWAP_LINE, kind: 'trade' }))
  t.false(isValid({ slot: 1 }))
})
