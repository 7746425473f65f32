/** The figures of a run, the machine, and both as one Markdown table. */
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import type { ProgramCpu } from './cpu.ts'
import { type FigurePlan, type Sample, type Spread, spreadOf } from './sample.ts'

export type Figure = FigurePlan & {
  spread: Spread
  values: number[]
  /** Medians, microseconds a swap, by program. */
  cpu: ProgramCpu
}

const GIB = 1024 ** 3

/** `isTuned`: whether workers have a lower CPU priority (`up --tune`), which changes every figure. */
export type Machine = {
  cpu: string
  cores: number
  memoryGib: number
  system: string
  node: string
  isTuned: boolean
}

export function machine(isTuned: boolean): Machine {
  const { model } = cpus()[0] ?? { model: 'unknown CPU' }
  const system = /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]
  return {
    cpu: model.trim(),
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / GIB),
    system: `${system ?? ''} (Linux ${release()})`,
    node: process.version,
    isTuned,
  }
}

export function machineText(found: Machine): string {
  const { cpu, cores, memoryGib, system, node, isTuned } = found
  const tuned = isTuned ? 'tuned' : 'not tuned'
  return `${cpu}, ${cores} cores, ${memoryGib} GiB, ${system}, Node ${node}, ${tuned}`
}

/** In the order of the plans; a figure without a sample is left out. */
export function figures(plans: readonly FigurePlan[], samples: readonly Sample[]): Figure[] {
  return plans.flatMap((plan) => {
    const own = samples.filter(({ figure }) => figure === plan.figure)
    if (own.length === 0) return []
    const values = own.map(({ value }) => value)
    return [{ ...plan, values, spread: spreadOf(values), cpu: medianCpu(own) }]
  })
}

function medianCpu(samples: readonly Sample[]): ProgramCpu {
  const names = new Set(samples.flatMap(({ cpu }) => Object.keys(cpu ?? {})))
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      spreadOf(samples.flatMap(({ cpu }) => cpu?.[name] ?? [])).median,
    ]),
  )
}

export function markdown(rows: readonly Figure[], intro: string): string {
  const lines = rows.map(({ figure, unit, goal, digits = 0, spread, cpu }) => {
    const number = (value: number): string =>
      value.toLocaleString('en-US', {
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      })
    const { median, least, greatest } = spread
    const measured = `**${number(median)}**${unit === '' ? '' : ` ${unit}`}`
    const between = `${number(least)} .. ${number(greatest)}`
    return `| ${figure} | ${measured} | ${between} | ${goal ?? ''} | ${cpuText(cpu)} |`
  })
  return [
    intro,
    '',
    '| work | median | least .. greatest | goal | CPU, us a swap |',
    '| --- | ---: | ---: | --- | --- |',
    ...lines,
    '',
  ].join('\n')
}

function cpuText(cpu: ProgramCpu): string {
  const programs = Object.entries(cpu)
  if (programs.length === 0) return ''
  const shown = (micros: number): string => micros.toFixed(micros < 100 ? 1 : 0)
  const parts = programs.map(([name, micros]) => `${name} ${shown(micros)}`)
  if (parts.length === 1) return parts[0]!
  const sum = programs.reduce((total, [, micros]) => total + micros, 0)
  return `${shown(sum)} = ${parts.join(' + ')}`
}
