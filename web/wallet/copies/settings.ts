/** Settings of "Copy this wallet", all in the address, and the request that they make. Pure but for the address. */
import { readLamports } from '../../../domain/amount.ts'
import { DELAY_SLOTS_MAX } from '../../../domain/market/copy/settings.ts'
import { chooseAll, view } from '../../client/location.ts'

export type CopySettings = {
  /** SOL of each buy, as it is typed. */
  size: string
  delay: number
  /** Percent, as it is typed. */
  slippage: string
}

const [SIZE, DELAY, SLIPPAGE] = ['copy_size', 'copy_delay', 'copy_slippage']
export const USUAL: CopySettings = { size: '0.1', delay: 1, slippage: '10' }
/** Delays of the curve besides the chosen one. */
const DELAYS = [0, 1, 2, 4, 8, 16, 32, DELAY_SLOTS_MAX]
const BPS_A_PERCENT = 100
const BPS_MAX = 10_000

/** Settings of the address; undefined: nothing is to be computed. */
export function chosenSettings(): CopySettings | undefined {
  const { query } = view.value
  const size = query.get(SIZE)
  if (size === null) return undefined
  const delay = Number(query.get(DELAY) ?? USUAL.delay)
  const isDelay = Number.isInteger(delay) && delay >= 0 && delay <= DELAY_SLOTS_MAX
  return {
    size,
    delay: isDelay ? delay : USUAL.delay,
    slippage: query.get(SLIPPAGE) ?? USUAL.slippage,
  }
}

export function chooseSettings({ size, delay, slippage }: CopySettings): void {
  chooseAll({ [SIZE]: size, [DELAY]: String(delay), [SLIPPAGE]: slippage })
}

/** Lamports of a buy; undefined where the text is no SOL above 0. */
export function lamportsOf({ size }: CopySettings): number | undefined {
  const lamports = readLamports(size)
  return lamports === undefined || lamports <= 0n ? undefined : Number(lamports)
}

/** Basis points; undefined where the text is no percentage of 0 to 100. */
export function bpsOf({ slippage }: CopySettings): number | undefined {
  const bps = Math.round(Number(slippage) * BPS_A_PERCENT)
  return slippage.trim() !== '' && bps >= 0 && bps <= BPS_MAX ? bps : undefined
}

/** The chosen delay is first: its trades come first, too. */
export const delaysOf = ({ delay }: CopySettings): number[] => [
  delay,
  ...DELAYS.filter((each) => each !== delay),
]
