/**
 * Faults of a Yellowstone stream, by name: each changes a script at one slot. Faults are drawn by a seed.
 */
import type { Prng } from '../../../../streams/simulator/prng.ts'
import { makeChain, type ServedChain } from '../served-chain.ts'
import { metaStep, type Step, transactionSteps } from './script.ts'

type Disturbance = (steps: Step[], slot: number, prng: Prng, chain: ServedChain) => Step[]

const isOf = (slot: number) => (step: Step) => 'slot' in step && step.slot === slot
const isOfBlock = (step: Step): boolean => step.kind === 'transaction' || step.kind === 'meta'

/** The steps of a slot's data, replaced where the first of them was. */
function replaceBlock(steps: Step[], slot: number, change: (own: Step[]) => Step[]): Step[] {
  const isOwn = (step: Step): boolean => isOf(slot)(step) && isOfBlock(step)
  const first = steps.findIndex(isOwn)
  if (first < 0) return steps
  const changed = change(steps.filter(isOwn))
  const rest = steps.filter((step) => !isOwn(step))
  return rest.toSpliced(first, 0, ...changed)
}

function shuffle<Each>(each: readonly Each[], prng: Prng): Each[] {
  const shuffled = [...each]
  for (let at = shuffled.length - 1; at > 0; at--) {
    const other = prng.below(at + 1)
    const [one, two] = [shuffled[at] as Each, shuffled[other] as Each]
    shuffled[at] = two
    shuffled[other] = one
  }
  return shuffled
}

const insertWithin = (own: Step[], prng: Prng, ...inserted: Step[]): Step[] =>
  own.toSpliced(prng.below(own.length), 0, ...inserted)

const lose =
  (without: 'transaction' | 'both'): Disturbance =>
  (steps, slot, prng) =>
    replaceBlock(steps, slot, (own) => {
      const transactions = own.filter(({ kind }) => kind === 'transaction')
      const lost = transactions[prng.below(Math.max(1, transactions.length))]
      return own.map((step) => (step === lost ? ({ ...step, without } as Step) : step))
    })

export const GEYSER_FAULTS = {
  /** In the middle of a slot; the next connection begins later. */
  cut: (steps, slot, prng) =>
    replaceBlock(steps, slot, (own) =>
      insertWithin(own, prng, { kind: 'cut', skipped: prng.below(2_000) }),
    ),
  /** The next connection begins with what was sent before. */
  cut_with_duplicates: (steps, slot, prng) =>
    replaceBlock(steps, slot, (own) =>
      insertWithin(own, prng, { kind: 'cut', skipped: -prng.below(2_000) }),
    ),
  twice: (steps, slot) => replaceBlock(steps, slot, (own) => [...own, ...own]),
  out_of_order: (steps, slot, prng) => replaceBlock(steps, slot, (own) => shuffle(own, prng)),
  late_meta: (steps, slot, prng) => {
    const at = steps.findIndex((step) => step.kind === 'meta' && step.slot === slot)
    const meta = steps[at]
    if (meta === undefined) return steps
    return steps.toSpliced(at, 1).toSpliced(at + prng.below(1_000), 0, meta)
  },
  /** Another version of the slot, which dies. */
  dead: (steps, slot, prng) =>
    replaceBlock(steps, slot, (own) => {
      const [, other] =
        [
          ...makeChain({ seed: prng.below(1e6), from: slot, slots: 1, transactions: 5 }).blocks,
        ][0] ?? []
      if (other === undefined) return own
      const status = { slot, status: 'SLOT_DEAD' }
      const dead: Step[] = [...transactionSteps(slot, other), metaStep(slot, other)]
      return [...dead, { kind: 'slot', slot, update: status }, ...own]
    }),
  /** Neither of a transaction's two updates comes. */
  lost_transaction: lose('both'),
  lost_wanted_transaction: lose('transaction'),
  /** Nothing of the slot comes. */
  lost_slot: (steps, slot) => steps.filter((step) => !isOf(slot)(step)),
  garbage: (steps, slot, prng) =>
    replaceBlock(steps, slot, (own) =>
      insertWithin(own, prng, { kind: 'bytes', bytes: Uint8Array.of(0x1a, 0xff, 0xff, 1) }),
    ),
} as const satisfies Record<string, Disturbance>

export type GeyserFault = keyof typeof GEYSER_FAULTS
export const GEYSER_FAULT_NAMES = Object.keys(GEYSER_FAULTS) as GeyserFault[]

/** The script with faults at slots that are drawn, none twice. */
export function disturbed(
  steps: readonly Step[],
  chain: ServedChain,
  faults: readonly GeyserFault[],
  prng: Prng,
): Step[] {
  const slots = shuffle([...chain.blocks.keys()].slice(1, -10), prng)
  return faults.reduce(
    (changed, fault, at) => {
      const slot = slots[at]
      return slot === undefined ? changed : GEYSER_FAULTS[fault](changed, slot, prng, chain)
    },
    [...steps],
  )
}
