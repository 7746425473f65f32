/** The slot of a getBlock answer, which does not state it. Pure. */
import { countOf, type Json } from '../../transaction/parts.ts'
import { UnreadableBlockFile } from './unreadable.ts'

/** Slots are numbers of eight and more digits since 2020. */
const NUMBERS_IN_NAME = /(?<!\d)\d{8,10}(?!\d)/g
/** A number in a name that is further above the parent is a date, a time or another count: outages skip fewer slots. */
const SKIPPED_SLOTS_MAX = 1_000

/**
 * The one that the answer states, else the number in the file's name that may follow its parent, else the one after the
 * parent's. `name` is undefined where the file holds several answers, as its name can state the slot of one.
 *
 * Throws UnreadableBlockFile where the answer has no parent to compare a number with.
 */
export function slotOfBlock(block: Json, name: string | undefined): number {
  const own = countOf(block.slot)
  if (own !== undefined) return own
  const parent = countOf(block.parentSlot)
  if (parent === undefined) throw new UnreadableBlockFile('its slot is missing: add --slot SLOT')
  const numbers = Array.from((name ?? '').matchAll(NUMBERS_IN_NAME), ([text]) => Number(text))
  const fitting = new Set(
    numbers.filter((number) => number > parent && number <= parent + SKIPPED_SLOTS_MAX),
  )
  const [named] = fitting
  return named !== undefined && fitting.size === 1 ? named : parent + 1
}
