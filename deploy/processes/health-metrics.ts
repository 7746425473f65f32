/**
 * Whether this installation can serve: gauges that alert rules need and that no part reports by itself. Readiness is what
 * /readyz answers, so that an alert and a load balancer never differ.
 */
import { statfs } from 'node:fs/promises'
import { Gauge, type Registry } from 'prom-client'

/** A scrape waits this long, in milliseconds; an API that takes longer is not ready. */
const READY_BOUND_MS = 3_000

/** `home`: where embedded servers write; absent: their disk is not known here. */
export function measureHealth(registry: Registry, apiUrl: string, home?: string): void {
  measureReadiness(registry, apiUrl)
  if (home !== undefined) measureDisk(registry, home)
}

function measureReadiness(registry: Registry, apiUrl: string): void {
  new Gauge({
    name: 'swaptide_api_ready',
    help: '1 while /readyz of this process answers 200',
    registers: [registry],
    async collect() {
      const signal = AbortSignal.timeout(READY_BOUND_MS)
      const answer = await fetch(new URL('/readyz', apiUrl), { signal }).catch(() => undefined)
      await answer?.body?.cancel()
      this.set(answer?.status === 200 ? 1 : 0)
    },
  })
}

/** The disk that embedded servers write to: the one of SWAPTIDE_HOME. */
function measureDisk(registry: Registry, home: string): void {
  const registers = [registry]
  const sizes = {
    free: 'Bytes of the disk of SWAPTIDE_HOME that the servers can still write',
    size: 'Bytes of the disk of SWAPTIDE_HOME',
  }
  for (const [name, help] of Object.entries(sizes)) {
    new Gauge({
      name: `swaptide_disk_${name}_bytes`,
      help,
      registers,
      async collect() {
        this.reset()
        const disk = await statfs(home).catch(() => undefined)
        if (disk === undefined) return
        this.set(disk.bsize * (name === 'free' ? disk.bavail : disk.blocks))
      },
    })
  }
}
