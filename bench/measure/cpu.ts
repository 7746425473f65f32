/**
 * CPU time of programs from /proc, in steps of 10 ms. A program with children (PostgreSQL) counts with its running
 * children and, through their inherited time, its ended ones.
 */
import { readdirSync } from 'node:fs'
import { PARENT, procStat } from '../../deploy/local/proc-stat.ts'

/** Microseconds of CPU, by program. */
export type ProgramCpu = Record<string, number>

type Meter = {
  /** Microseconds of CPU a swap since the meter began, by program. */
  perSwap(swaps: number): ProgramCpu
}

const TICK_MICROS = 10_000

type Times = { parent: number; own: number; inherited: number }

function timesOf(pid: number): Times | undefined {
  const stat = procStat(pid)
  if (stat === undefined) return undefined
  const field = (number: number): number => Number(stat(number))
  return { parent: field(PARENT), own: field(14) + field(15), inherited: field(16) + field(17) }
}

/** CPU of a program, its children and the children that it has outlived, in microseconds. */
export function cpuMicros(pid: number): number {
  const program = timesOf(pid)
  if (program === undefined) return 0
  let ticks = program.own + program.inherited
  for (const { own, inherited } of childrenOf(pid)) ticks += own + inherited
  return ticks * TICK_MICROS
}

/** Running children of a program. */
export function childrenOf(pid: number): (Times & { pid: number })[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry) || Number(entry) === pid) return []
    const times = timesOf(Number(entry))
    return times?.parent === pid ? [{ ...times, pid: Number(entry) }] : []
  })
}

/** This program without its children: servers and others that it started are counted by themselves. */
function ownMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Begins to count for the programs of these pids; 0 is this one. */
export function startMeter(pids: Readonly<Record<string, number | undefined>>): Meter {
  const read = (pid: number): number => (pid === 0 ? ownMicros() : cpuMicros(pid))
  const begun = Object.entries(pids).flatMap(([name, pid]) =>
    pid === undefined ? [] : [{ name, pid, micros: read(pid) }],
  )
  return {
    perSwap: (swaps) =>
      Object.fromEntries(
        begun.map(({ name, pid, micros }) => [name, (read(pid) - micros) / swaps]),
      ),
  }
}
