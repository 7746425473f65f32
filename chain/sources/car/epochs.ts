/** Epochs of the chain, and what is known of their archives. Pure. */

export const EPOCH_SLOTS = 432_000
/** Results of transactions were recorded as bincode before it, and as protobuf from it on. */
const FIRST_PROTOBUF_EPOCH = 157
/** Epochs whose archives their publisher lists as incomplete, both ends included. */
const INCOMPLETE: readonly (readonly [from: number, to: number])[] = [
  [38, 39],
  [136, 156],
  [208, 208],
  [542, 542],
  [624, 631],
]

export const epochOf = (slot: number): number => Math.floor(slot / EPOCH_SLOTS)

export const lastSlotOf = (epoch: number): number => (epoch + 1) * EPOCH_SLOTS - 1

/** Why blocks of an epoch are not read; undefined where they are. */
export function refusalOf(epoch: number): string | undefined {
  if (epoch >= FIRST_PROTOBUF_EPOCH) return undefined
  const first = FIRST_PROTOBUF_EPOCH * EPOCH_SLOTS
  return `epoch ${epoch} has the results of its transactions as bincode, which is not read: no venue traded before slot ${first}`
}

/** A warning for readers of an epoch; undefined where nothing is known against its archive. */
export function warningOf(epoch: number): string | undefined {
  if (!INCOMPLETE.some(([from, to]) => epoch >= from && epoch <= to)) return undefined
  return `epoch ${epoch}: its publisher lists the archive as incomplete: transactions may be missing`
}
