/** Groups rows that are read together, so that a read has a bounded count of swaps. Pure. */

/** Groups of neighbours with at most `most` swaps; a row with more is one by itself. */
export function* bySwapCount<Row extends { readonly swap_count: number }>(
  rows: readonly Row[],
  most: number,
): Generator<Row[]> {
  let [group, total]: [Row[], number] = [[], 0]
  for (const row of rows) {
    if (group.length > 0 && total + row.swap_count > most) {
      yield group
      group = []
      total = 0
    }
    group.push(row)
    total += row.swap_count
  }
  if (group.length > 0) yield group
}
