/**
 * Whether the machine is short of CPU, by its recent idle share. The whole machine counts, since other processes take
 * CPU as well. In a container with a share of a large host that is the host.
 *
 * Hysteresis: work that is saved because of the pressure raises the idle share, so the pressure ends at a share well
 * above that at which it began, and a load that fits without it ends it.
 *
 * Decision: docs/decisions/0010-cpu-pressure-by-idle-time.md
 */
import { cpus } from 'node:os'

/** Milliseconds of all cores together since the machine began. */
export type CpuTimes = { idleMs: number; allMs: number }

const SAMPLE_MS = 500
/** How much the newest sample counts: a burst of a second is no shortage. */
const NEWEST_WEIGHT = 0.4
const SHORT_BELOW = 0.25
const ENOUGH_ABOVE = 0.55

export class CpuShortage {
  private readonly times: () => CpuTimes
  private readonly nowMs: () => number
  private sampledAtMs = -Infinity
  private before: CpuTimes | undefined
  private idleShare = 1
  private isShort = false

  constructor(
    times: () => CpuTimes = timesOfMachine,
    nowMs: () => number = () => performance.now(),
  ) {
    this.times = times
    this.nowMs = nowMs
  }

  /** May be called at any rate: it samples the machine twice a second at most. */
  holds(): boolean {
    const nowMs = this.nowMs()
    if (nowMs - this.sampledAtMs < SAMPLE_MS) return this.isShort
    this.sampledAtMs = nowMs
    const [before, now] = [this.before, this.times()]
    this.before = now
    if (before === undefined || now.allMs <= before.allMs) return this.isShort
    const idle = (now.idleMs - before.idleMs) / (now.allMs - before.allMs)
    this.idleShare += NEWEST_WEIGHT * (idle - this.idleShare)
    this.isShort = this.idleShare < (this.isShort ? ENOUGH_ABOVE : SHORT_BELOW)
    return this.isShort
  }
}

export function timesOfMachine(): CpuTimes {
  const sums: CpuTimes = { idleMs: 0, allMs: 0 }
  for (const { times } of cpus()) {
    sums.idleMs += times.idle
    sums.allMs += times.idle + times.user + times.sys + times.nice + times.irq
  }
  return sums
}
