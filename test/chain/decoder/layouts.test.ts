// Layouts of events: discriminators by their names, payloads that end early or go on, and asserted payloads.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import test from 'ava'
import {
  discriminatorOf,
  FIXED_WIDTHS,
  type Layout,
  readFields,
} from '../../../chain/decoder/layout.ts'
import { DYNAMIC_AMM_SWAP } from '../../../chain/venues/meteora-pools/layout.ts'
import { PUMP_TRADE } from '../../../chain/venues/pumpfun/generated.ts'
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import { readChainFile } from '../../support/chain/chain-files.ts'
import { listFiles, ROOT } from '../../support/sources.ts'

/** Layouts of events of every venue; those of instructions have no fields. */
const LAYOUTS: readonly Layout[] = (
  await Promise.all(
    listFiles()
      .filter((path) => /^chain\/venues\/[\w-]+\/(generated|layout)\.ts$/.test(path))
      .map((path) => import(join(ROOT, path)) as Promise<Record<string, unknown>>),
  )
).flatMap((file) => Object.values(file).filter(isEventLayout))

function isEventLayout(value: unknown): value is Layout {
  return typeof value === 'object' && value !== null && 'fields' in value
}

test('every discriminator is the one that Anchor derives from the name of the event', (t) => {
  t.true(LAYOUTS.length >= 34, `${LAYOUTS.length} layouts`)
  for (const { name, discriminator } of LAYOUTS) {
    const derived = createHash('sha256').update(`event:${name}`).digest('hex').slice(0, 16)
    t.is(discriminator, derived, name)
  }
})

test('a payload that ends early leaves the later fields undefined, whole fields at a time', (t) => {
  const bytes = Buffer.alloc(8 + 32 + 8 + 5)
  bytes.writeBigUInt64LE(7n, 40)
  const read = readFields(PUMP_TRADE, bytes)
  t.is(read.sol_amount, 7n)
  t.is(read.token_amount, undefined)
  t.is(read.is_buy, undefined)
})

test('bytes after the last known field are ignored', (t) => {
  const bytes = Buffer.alloc(48 + 100, 1)
  t.is(readFields(DYNAMIC_AMM_SWAP, bytes).host_fee, 0x01_01_01_01_01_01_01_01n)
})

test('skips texts and lists by the lengths in the payload', (t) => {
  const layout = {
    name: 'x',
    discriminator: '0000000000000000',
    fields: [
      ['text', 'string'],
      ['list', 'vec34'],
      ['last', 'u8'],
    ],
  } as const
  const text = Buffer.from('a.sol')
  const payload = Buffer.concat([
    Buffer.alloc(8),
    Buffer.from([text.length, 0, 0, 0]),
    text,
    Buffer.from([2, 0, 0, 0]),
    Buffer.alloc(2 * 34),
    Buffer.from([9]),
  ])
  t.like(readFields(layout, payload), { text: 'a.sol', last: 9 })
  const endless = Buffer.concat([Buffer.alloc(8), Buffer.from([255, 255, 255, 255])])
  t.deepEqual(readFields(layout, endless), {})
})

test('decodes integers of every width to the last digit', (t) => {
  const fields = Object.keys(FIXED_WIDTHS).map((type) => [type, type] as const)
  const layout = { name: 'x', discriminator: '', fields } as unknown as Layout
  const width = Object.values(FIXED_WIDTHS).reduce((sum, each) => sum + each, 0)
  const read: Record<string, unknown> = readFields(layout, Buffer.alloc(8 + width, 0xff))
  t.is(read.u64, 2n ** 64n - 1n)
  t.is(read.i64, -1n)
  t.is(read.u128, 2n ** 128n - 1n)
  t.is(read.i128, -1n)
  t.is(read.u32, 2 ** 32 - 1)
  t.is(read.i32, -1)
})

type Vector = {
  dex: number
  enc: 'hex' | 'base64'
  payload: string
  fields: Record<string, string>
  name: string
}

test('reads the fields of recorded payloads', (t) => {
  const { payloads } = JSON.parse(readChainFile('event_payloads.json').toString('utf8')) as {
    payloads: Vector[]
  }
  let asserted = 0
  for (const vector of payloads) {
    const payload = Buffer.from(vector.payload, vector.enc)
    const offset = discriminatorOf(payload) === 'e445a52e51cb9a1d' ? 8 : 0
    const discriminator = discriminatorOf(payload, offset)
    const layout = LAYOUTS.filter((each) => each.discriminator === discriminator)
    // Programs share discriminators: the right layout is the one that knows the fields.
    const reads = layout.map((each) => readFields(each, payload, offset) as Record<string, unknown>)
    if (reads.length === 0) continue
    for (const [name, value] of Object.entries(vector.fields)) {
      const values = reads.flatMap((read) => (read[name] === undefined ? [] : [shown(read[name])]))
      if (values.length === 0) continue
      asserted++
      t.true(values.includes(value), `${vector.name} ${name}: ${values} for ${value}`)
    }
  }
  t.true(asserted > 60, `${asserted} values`)
})

const shown = (value: unknown): string =>
  value instanceof Uint8Array ? encodeBase58(value) : String(value)
