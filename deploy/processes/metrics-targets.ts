/**
 * The processes of `up` as Prometheus finds them: SWAPTIDE_HOME/metrics-targets.json, in the form of its
 * file_sd_configs, rewritten whenever one of them listens on another port.
 */
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'

export const TARGETS_FILE = 'metrics-targets.json'

export type MetricsTargets = {
  /** Where a part of `up` is scraped now. */
  set(part: string, port: number): void
  /** Deletes the list. */
  close(): Promise<void>
}

export function listTargets({
  home,
  metricsHost,
}: Pick<Config, 'home' | 'metricsHost'>): MetricsTargets {
  const path = join(home, TARGETS_FILE)
  const host = metricsHost === '0.0.0.0' || metricsHost === '::' ? '127.0.0.1' : metricsHost
  const ports = new Map<string, number>()
  let writing: Promise<void> = Promise.resolve()
  return {
    set(part, port) {
      ports.set(part, port)
      writing = writing.then(() => write(path, textOf(ports, host))).catch(() => {})
    },
    async close() {
      await writing
      await rm(path, { force: true })
    },
  }
}

/** Written atomically, and readable for any account of Prometheus: it holds no secret. */
async function write(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o644 })
  await rename(`${path}.new`, path)
}

function textOf(ports: ReadonlyMap<string, number>, host: string): string {
  const shown = host.includes(':') ? `[${host}]` : host
  const targets = Array.from(ports, ([part, port]) => ({
    targets: [`${shown}:${port}`],
    labels: { part },
  }))
  return `${JSON.stringify(targets, undefined, 2)}\n`
}
