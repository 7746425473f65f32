/**
 * Bounds for the screener's example: the token's figures stay within them while they move, and the route accepts
 * them. Pure.
 */

/** Figures of a row of the screener by name. */
export type Screened = Readonly<Record<string, number | null>>
type NumberSchema = { type?: string; minimum?: number; maximum?: number }

const MIN = 'min_'
/** Per cent, and minutes. */
const MOVES_BY = 60

/** The screener counts traders later than swaps are stored. */
export function isCounted({ buyers, age_minutes: ageMinutes }: Screened): boolean {
  return typeof buyers === 'number' && buyers > 0 && typeof ageMinutes === 'number'
}

/**
 * Values of the route's `min_` and `max_` parameters, which are given with their schemas by name; none for a token that
 * is not counted yet.
 */
export function screenerBounds(
  screened: Screened,
  parameters: Readonly<Record<string, object>>,
): [string, number][] {
  if (!isCounted(screened)) return []
  const figures = Object.keys(parameters)
    .filter((name) => name.startsWith(MIN))
    .map((name) => name.slice(MIN.length))
  return figures.flatMap((name): [string, number][] => {
    const value = screened[name]
    if (typeof value !== 'number') return []
    const isMoving = name === 'change_pct' || name === 'age_minutes'
    const spread = Math.abs(value) / 2 + (isMoving ? MOVES_BY : 0)
    const bounds = [
      [`${MIN}${name}`, below(value - spread)],
      [`max_${name}`, -below(-(value + 2 * spread + 1))],
    ] as const
    return bounds.map(([bound, number]) => [bound, accepted(number, parameters[bound])])
  })
}

/** The next number that the schema accepts: below 0 only where it does, whole where it wants one. */
function accepted(number: number, { type, minimum, maximum }: NumberSchema = {}): number {
  const whole = type === 'integer' ? Math.floor(number) : number
  return Math.min(maximum ?? whole, Math.max(minimum ?? whole, whole))
}

/** The next number of one digit at or below this one: 37 -> 30, 0.042 -> 0.04, -7.5 -> -8. */
export function below(value: number): number {
  if (value === 0) return 0
  const unit = 10 ** Math.floor(Math.log10(Math.abs(value)))
  return Number((Math.floor(value / unit) * unit).toPrecision(2))
}
