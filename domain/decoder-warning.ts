/**
 * Warnings of the decoder: signs that a venue's program has changed and its events may be read wrongly, or not at all. Pure.
 *
 * - `upgrade`: a transaction that replaced, extended or closed the venue's program.
 * - `unknown_instruction`, `unknown_event`: a discriminator that the program is not known to have.
 * - `reject_rate`: of the swaps in a window of slots, more were rejected than is usual for the venue.
 *
 * Decisions: docs/decisions/0085-decoder-warnings-are-stored-with-coverage.md,
 * docs/decisions/0086-the-band-of-rejects-is-fixed.md
 */
import { type DexId, venueOf } from './venue.ts'

export const WARNING_KINDS = [
  'upgrade',
  'unknown_instruction',
  'unknown_event',
  'reject_rate',
] as const
export type WarningKind = (typeof WARNING_KINDS)[number]

/** A warning of one block. */
export type BlockWarning = {
  readonly kind: Exclude<WarningKind, 'reject_rate'>
  readonly dex: DexId
  /** `upgrade SIGNATURE` of an upgrade, the discriminator as hex of the others. */
  readonly subject: string
}

/** Swaps of a venue in a block that became lines or rejects. */
export type VenueReads = {
  readonly dex: DexId
  /** All of them, those that were rejected too. */
  readonly swaps: number
  /** Rejected because they could not be read, or contradict the vaults. */
  readonly unreadable: number
  /** Rejected because their pool has no SOL. */
  readonly noSol: number
}

/** Reading of one block: its signs, and the counts for the bands. */
export type BlockReading = {
  readonly warnings: readonly BlockWarning[]
  readonly reads: readonly VenueReads[]
}

/** Slots of a window, which moves in steps. */
const WINDOW_SLOTS = 1_000
export const STEP_SLOTS = 100
export const WINDOW_STEPS = WINDOW_SLOTS / STEP_SLOTS
/** A window with fewer swaps is not judged. */
export const WINDOW_SWAPS_MIN = 200

export const REJECT_SUBJECTS = ['unreadable', 'no_sol_side'] as const
type RejectSubject = (typeof REJECT_SUBJECTS)[number]

type Band = Readonly<Record<RejectSubject, number>>

/** Upper ends of the usual shares. Swaps that cannot be read are exceptions on every venue; pools without SOL are not. */
const USUAL: Band = { unreadable: 0.02, no_sol_side: 0.98 }
/** By program, where a venue differs: nearly all pools of these are against SOL. */
const OWN: Readonly<Record<string, Band>> = {
  pumpfun: { ...USUAL, no_sol_side: 0.5 },
  pumpswap: { ...USUAL, no_sol_side: 0.5 },
}

export const bandOf = (dex: DexId): Band => OWN[venueOf(dex).programName] ?? USUAL

type Judgement = 'outside' | 'inside' | 'unsure'

export const shareOf = (
  { swaps, unreadable, noSol }: VenueReads,
  subject: RejectSubject,
): number => (swaps === 0 ? 0 : (subject === 'unreadable' ? unreadable : noSol) / swaps)

/**
 * Whether the share of rejects of a window lies in the venue's band: `outside` above it; `inside` where as much of the way to its end
 * is left as half of a band, so that a share at the end does not come and go; `unsure` between both, or with too few swaps.
 */
export function judge(window: VenueReads, subject: RejectSubject): Judgement {
  if (window.swaps < WINDOW_SWAPS_MIN) return 'unsure'
  const share = shareOf(window, subject)
  const upper = bandOf(window.dex)[subject]
  if (share > upper) return 'outside'
  return share <= upper - Math.min(upper, 1 - upper) / 2 ? 'inside' : 'unsure'
}

/** The warning of a rate: slots of windows outside the band, and the slot of a later one inside it. */
export type RateWarning = {
  readonly firstSlot: number
  readonly lastSlot: number
  /** Windows outside. */
  readonly windows: number
  readonly endedSlot?: number
}

/**
 * The warning after a window that ends with the slot; undefined where it changes nothing. Slots count, not the order of windows: a
 * backfill of the past neither ends the warning of the newest slots nor begins one twice next to a source of these.
 */
export function nextRate(
  known: RateWarning | undefined,
  judgement: Judgement,
  slot: number,
): { rate: RateWarning; change?: 'began' | 'ended' } | undefined {
  if (judgement === 'outside') {
    const begins = known === undefined || (known.endedSlot !== undefined && slot > known.endedSlot)
    if (begins) return { rate: { firstSlot: slot, lastSlot: slot, windows: 1 }, change: 'began' }
    return {
      rate: {
        ...known,
        firstSlot: Math.min(known.firstSlot, slot),
        lastSlot: Math.max(known.lastSlot, slot),
        windows: known.windows + 1,
      },
    }
  }
  const ends = judgement === 'inside' && known !== undefined && known.endedSlot === undefined
  if (!ends || slot <= known.lastSlot) return undefined
  return { rate: { ...known, endedSlot: slot }, change: 'ended' }
}

/** Whether the warning holds now: a rate that returned to its band has ended. */
export const isActive = ({ ended_slot }: { ended_slot: number | null }): boolean =>
  ended_slot === null

const WORDS: Readonly<Record<WarningKind, string>> = {
  upgrade: 'its program was changed',
  unknown_instruction: 'an instruction that the decoder does not know',
  unknown_event: 'an event that the decoder does not know',
  reject_rate: 'more rejected swaps than usual',
}

/** The meaning of a warning, for people. */
export const wordsOf = (kind: WarningKind): string => WORDS[kind]
