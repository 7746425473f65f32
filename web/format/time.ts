/** Times as the pages show them: relative to now, with the exact one as the title. Pure. */

const SECOND_MS = 1_000
/** Lags below it are shown with tenths of a second. */
const LAG_TENTHS_MS = 120_000
/** Units, from the least: how many of each make one of the next. */
const UNITS = [
  ['s', 60],
  ['min', 60],
  ['h', 24],
  ['d', 365],
] as const

/** 90_000 as "1 min"; whole units, rounded down. */
export function durationText(ms: number): string {
  let value = Math.max(0, ms) / SECOND_MS
  for (const [unit, next] of UNITS) {
    if (value < next || unit === 'd') return `${Math.floor(value)} ${unit}`
    value /= next
  }
  return ''
}

export function agoText(thenMs: number, nowMs: number): string {
  const ageMs = nowMs - thenMs
  return ageMs < SECOND_MS ? 'now' : `${durationText(ageMs)} ago`
}

/** In UTC, to the millisecond. */
export function exactTimeText(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace('Z', ' UTC')
}

/** In UTC, to the second, for a column that names the zone. */
export function secondText(ms: number): string {
  return exactTimeText(ms).slice(0, 19)
}

/** Below two minutes to a tenth of a second, for lags: 1_250 as "1.3 s". */
export function lagText(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`
  return ms < LAG_TENTHS_MS ? `${(ms / SECOND_MS).toFixed(1)} s` : durationText(ms)
}
