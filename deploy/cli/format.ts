/**
 * Numbers and times as people read them. Pure; English, whatever the host's locale.
 */
export { countedInGroups as counted, grouped } from '../../domain/text/plural.ts'

/** 400 -> `0.4 s`, 42000 -> `42 s`, 90000 -> `1 min 30 s`, 7320000 -> `2 h 2 min` */
export function duration(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return `${minutes} min ${whole % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Rows under their headings, in columns as wide as their widest text; numbers to the right. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const isNumeric = headings.map(
    (_, column) => rows.length > 0 && rows.every((row) => /^[\d,.-]*$/.test(row[column] ?? '')),
  )
  const line = (row: readonly string[]): string =>
    row
      .map((text, column) =>
        isNumeric[column] ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  return [headings, ...rows].map((row) => `${line(row)}\n`).join('')
}

/** The value as one line of JSON. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

/** `left out: 4 no_sol_side`. "None" holds of input that was read to its end only; a part of it without any has no words. */
export function leftOut(reasons: readonly string[], isWhole: boolean): string[] {
  if (reasons.length > 0) return [`left out: ${reasons.join(', ')}`]
  return isWhole ? ['none left out'] : []
}
