// Names by their bytes: one object each, distinct, and bounded.

import test from 'ava'
import { NameTable } from '../../../streams/codec/address-table.ts'
import type { TextBuffer } from '../../../streams/codec/protobuf.ts'

const bytesOf = (text: string): TextBuffer => Buffer.from(text, 'latin1') as TextBuffer
const find = (table: NameTable, text: string) => table.find(bytesOf(text), 0, text.length)
/** Addresses that differ only in the last character, after the hashed bytes. */
const alike = (n: number): string => `So1111111111111111111111111111111111111${n}`

test('a name is one object for all its occurrences, at any offset of the bytes', (t) => {
  const table = new NameTable(10)
  const first = find(table, 'abc')
  first.id = 7
  t.is(table.find(bytesOf('xxabcxx'), 2, 5), first)
  t.deepEqual(find(table, 'abc'), { text: 'abc', id: 7 })
})

test('distinguishes names that hash alike, or begin alike', (t) => {
  const table = new NameTable(2_000)
  const names = Array.from({ length: 2_000 }, (_, n) => find(table, alike(n)))
  t.is(new Set(names).size, 2_000)
  for (const [n, name] of names.entries()) {
    t.is(name.text, alike(n))
    t.is(find(table, alike(n)), name)
  }
  t.not(find(table, 'ab'), find(table, 'abc'))
})

test('retains recently used addresses, and at most twice the limit', (t) => {
  const table = new NameTable(100)
  const stored = find(table, 'kept')
  const lost = find(table, 'lost')
  stored.id = 1
  lost.id = 2
  for (let n = 0; n < 1_000; n++) {
    find(table, alike(n))
    t.is(find(table, 'kept'), stored)
  }
  t.is(find(table, 'lost').id, 0)
})

test('a text that is longer than any address is not remembered', (t) => {
  const table = new NameTable(10)
  const long = 'x'.repeat(45)
  t.is(find(table, long).text, long)
  t.not(find(table, long), find(table, long))
})
