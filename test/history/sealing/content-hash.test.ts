/** The content hash of a segment is stored: it never changes, and does not depend on how rows are added. */
import test from 'ava'
import { columnsOf } from '../../../history/codec/columns/swap-columns.ts'
import type { SealedSwap } from '../../../history/codec/row.ts'
import { ContentHash, hashText } from '../../../history/sealing/content-hash.ts'
import { extremeRows } from '../../support/history/row-cases.ts'

type Numbered = readonly { readonly row: SealedSwap; readonly number: number }[]

/** The hash of tables that follow each other; a third of the rows have no block hash. */
function hashOf(...tables: readonly Numbered[]): string {
  const content = new ContentHash()
  for (const rows of tables) {
    const textOf = (kind: string) => (row: number) => hashText(`${kind}${rows[row]!.number}`)
    content.add(columnsOf(rows.map(({ row }) => row)), {
      pairOf: textOf('pair'),
      walletOf: textOf('wallet'),
      blockhashOf: (row) => (rows[row]!.number % 3 === 0 ? undefined : textOf('hash')(row)),
    })
  }
  return content.finish()
}

const EXTREMES = extremeRows().map((row, number) => ({ row, number }))

test('rows have the hash that they were first sealed with', (t) => {
  t.is(EXTREMES.length, 83)
  t.is(hashOf(EXTREMES), '122cd18f51d5ca4c')
})

test('the hash is the same in any order and any parts, beyond the rows that are hashed at once', (t) => {
  const rows = extremeRows()
  const many = Array.from({ length: 2_500 }, (_, number) => ({
    row: { ...rows[number % rows.length]!, slot: number },
    number,
  }))
  const whole = hashOf(many)
  t.is(hashOf(many.toReversed()), whole)
  t.is(hashOf(many.slice(0, 1_024), many.slice(1_024, 1_100), many.slice(1_100)), whole)
  t.not(hashOf(many.slice(1)), whole)
})
