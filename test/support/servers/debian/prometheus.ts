/** Debian's Prometheus and promtool for tests; where they cannot be had the answer is the reason, and tests are skipped. */
import { join } from 'node:path'
import { runCommand } from '../../../../deploy/local/command.ts'
import { unpackedPackages } from './packages.ts'

type PrometheusPrograms = { prometheus: string; promtool: string }

/** The programs, or why they cannot be had. */
export async function findPrometheus(): Promise<PrometheusPrograms | string> {
  try {
    const { folder, env } = await unpackedPackages('prometheus', ['prometheus', 'promtool'])
    const programs = {
      prometheus: join(folder, 'usr/bin/prometheus'),
      promtool: join(folder, 'usr/bin/promtool'),
    }
    for (const program of Object.values(programs)) await runCommand(program, ['--version'], { env })
    return programs
  } catch (cause) {
    return (cause as Error).message.split('\n')[0] ?? ''
  }
}
