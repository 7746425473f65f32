/** The report of a drill: a line for each fault while it runs, and a table by kind at the end. */

/** `atMs`: when it began. */
export type StruckFault = { name: string; atMs: number; seconds: number }

/** Written at once, with the time of its end: a long drill is watched, and compared with the logs of its parts. */
export function reportFault(count: number, of: number, { name, seconds }: StruckFault): void {
  const at = new Date().toISOString()
  console.log(`${at} fault ${count} of ${of}: ${name}, ${seconds.toFixed(1)} s`)
}

export function reportPhase(name: string, seconds: number): void {
  console.log(`${name}: ${seconds.toFixed(1)} s after the start`)
}

/** The form of docs/measurements. */
export function tableOf(struck: readonly StruckFault[]): string {
  const byName = Map.groupBy(struck, ({ name }) => name)
  const rows = [...byName].map(([name, all]) => {
    const seconds = all.map((each) => each.seconds)
    const longest = Math.max(...seconds).toFixed(1)
    const mean = (seconds.reduce((sum, each) => sum + each, 0) / all.length).toFixed(1)
    return `| ${name} | ${all.length} | ${mean} | ${longest} |`
  })
  const head = ['| fault | times | mean, s | longest, s |', '| --- | ---: | ---: | ---: |']
  return [...head, ...rows.sort()].join('\n')
}
