/** Swaps by column: rows that change their order, or are copied, keep every bit. */
import test from 'ava'
import fc from 'fast-check'
import { columnsOf, SwapColumns } from '../../../history/codec/columns/swap-columns.ts'
import { anyRow } from '../../support/history/row-cases.ts'

const rows = fc.array(anyRow, { minLength: 1, maxLength: 200 })

test('rows that are arranged are those of their numbers, each bit of them', (t) => {
  fc.assert(
    fc.property(rows, fc.infiniteStream(fc.nat()), fc.nat(300), (swaps, numbers, count) => {
      const order = Uint32Array.from(
        [...numbers.take(Math.min(count, swaps.length))].map((number) => number % swaps.length),
      )
      const table = columnsOf(swaps)
      // A table grows as rows are added, and is arranged once more in the memory of before.
      table.add()
      table.arrange(Uint32Array.from(swaps.keys()))
      table.arrange(order)
      t.is(table.count, order.length)
      const expected = columnsOf(Array.from(order, (row) => swaps[row]!))
      t.is(table.difference(0, expected), undefined)
      t.is(table.difference(Math.min(1, order.length), new SwapColumns(0)), undefined)
    }),
  )
})

test('a run of rows is copied to any row', (t) => {
  fc.assert(
    fc.property(rows, fc.nat(50), fc.nat(199), (swaps, into, from) => {
      const first = from % swaps.length
      const copied = new SwapColumns(300)
      copied.copy(into, columnsOf(swaps), first, swaps.length)
      copied.count = into + swaps.length - first
      t.is(copied.difference(into, columnsOf(swaps.slice(first))), undefined)
    }),
  )
})
