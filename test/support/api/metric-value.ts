// A sample of a scrape by its name and some of its labels.

/** The first value that fits; undefined where there is none. */
export function sampleOf(
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  for (const line of text.split('\n')) {
    const [, found, inBraces = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (found !== name) continue
    const fits = Object.entries(labels).every(([label, wanted]) =>
      `,${inBraces}`.includes(`,${label}="${wanted}"`),
    )
    if (fits) return Number(value)
  }
  return undefined
}
