/** Faults of the database as a whole: its standby is promoted, its disk fills up. */
import { until } from '../../support/workers/pipeline.ts'
import type { Installation } from '../installation.ts'
import { areReady } from '../part.ts'
import { away, BOUND_MS, type Fault, type Struck } from './fault.ts'

export const PROMOTION: Fault = { name: 'promote the standby', strike: promote }
export const FULL_DISK: Fault = { name: 'fill the disk of the primary', strike: fillDisk }

/** The primary is stopped in order, so that the standby has all of its log; it becomes the standby of the other. */
async function promote(on: Installation): Promise<void> {
  const { primary: old, standby: next, proxies } = on
  proxies.primary.cut()
  await old.server.stop()
  await next.promote()
  ;[on.primary, on.standby] = [next, old]
  proxies.primary.point(next.url)
  proxies.standby.point(old.url)
  proxies.primary.mend()
  await old.follow(next)
}

/** Until an API is not ready for want of commits; PostgreSQL starts again by itself, should it end. */
async function fillDisk({ primary, apis }: Installation, how: Struck): Promise<void> {
  const { disk, server } = primary
  if (disk === undefined) throw new Error('the primary has no disk of its own')
  await disk.fill()
  const isNotReady = async () => !(await areReady(apis))
  try {
    await until('an API is not ready while the disk is full', BOUND_MS, isNotReady)
    await away(how)
  } finally {
    await disk.free()
  }
  await server.start()
}
