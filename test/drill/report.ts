/**
 * The report of a drill: a line for each fault while it runs, a table by kind at the end, and for a failure the logs of the
 * parts and nodes as one course of events, by time.
 */
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

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

/** The log of a part over all of its starts. */
type PartLog = {
  read(stderr: Readable): void
  /** The end of it. */
  end(): string
  /** All lines about lanes and epochs. */
  ofLanes(): string
  /** All warnings and errors. */
  alarms(): Alarm[]
}

/** `times`: lines in a row that differ in their fields only. */
export type Alarm = { atMs: number; text: string; line: string; times: number }
/** An event that concerns all parts, such as a fault. */
type Happening = { atMs: number; text: string }
type Logging = { name: string; alarms(): Alarm[] }

const LINES_STORED = 200
/** Lines that show the fate of a lane, retained whole: they explain a swap that is doubled or lost hours later. */
const OF_LANES =
  /acquired lane|released lane|lost lane|restarting lane from checkpoint|epoch|lost owners/
const WARNING = 40
/** Lines of a node of NATS that are printed: warnings and errors, and the leaders of streams. */
const OF_NODES = /\[(WRN|ERR|FTL)\]|stream leader|[Rr]esetting|catchup/
const NODE_LINES = 150

export function partLog(): PartLog {
  const lines: string[] = []
  const ofLanes: string[] = []
  const alarms: Alarm[] = []
  const note = (line: string): void => {
    lines.push(line)
    if (lines.length > LINES_STORED) lines.shift()
    if (OF_LANES.test(line)) ofLanes.push(line)
    const alarm = readAlarm(line)
    if (alarm === undefined) return
    const last = alarms.at(-1)
    if (last?.text === alarm.text) last.times += 1
    else alarms.push(alarm)
  }
  return {
    read: (stderr) => void createInterface({ input: stderr }).on('line', note),
    end: () => lines.join('\n'),
    ofLanes: () => ofLanes.join('\n'),
    alarms: () => alarms,
  }
}

/** A line that is no JSON is the output of a program that failed. */
function readAlarm(line: string): Alarm | undefined {
  try {
    const { level, time, msg, err } = JSON.parse(line)
    const text = `${msg} ${err?.message ?? ''}`
    return level < WARNING ? undefined : { atMs: time, text, line, times: 1 }
  } catch {
    return { atMs: Date.now(), text: line, line, times: 1 }
  }
}

/** The warnings and errors of all parts between the happenings, a line each. */
export function courseOf(parts: readonly Logging[], happenings: readonly Happening[]): string {
  const alarms = parts.flatMap(({ name, alarms }, at) =>
    alarms().map(({ atMs, line, times }) => {
      const more = times > 1 ? ` (and ${times - 1} more)` : ''
      return { atMs, text: `${name} ${at}: ${line}${more}` }
    }),
  )
  return [...alarms, ...happenings]
    .sort((one, other) => one.atMs - other.atMs)
    .map(({ atMs, text }) => `${new Date(atMs).toISOString()} ${text}`)
    .join('\n')
}

/** The end of what the nodes logged about leaders and errors. */
export function saidOfNodes(nodes: readonly { name: string; logFile: string }[]): string {
  return nodes
    .map(({ name, logFile }) => {
      const lines = readFileSync(logFile, 'utf8').split('\n')
      const reported = lines.filter((line) => OF_NODES.test(line)).slice(-NODE_LINES)
      return `--- NATS ${name}\n${reported.join('\n')}`
    })
    .join('\n')
}
