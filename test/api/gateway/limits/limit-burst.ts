// Program: random bursts of one lineage through a separate limiter, by a seed. Writes its requests as JSON: [requested
// at, answered at, admitted], times in milliseconds of the machine's clock since it started.

import { setTimeout as pause } from 'node:timers/promises'
import { openLimitStore } from '../../../../api/gateway/limits/limit-store.ts'
import { createLimiter } from '../../../../api/gateway/limits/limiter.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { recordingLog } from '../../../support/recording-log.ts'

const [redisUrl = '', seed = '', cap = '', windowQuanta = '', forMs = ''] = process.argv.slice(2)
const clock = (): number => Number(process.hrtime.bigint()) / 1e6

const store = await openLimitStore(
  { redisUrl, prefix: 'burst:', answerMs: 10_000, windowQuanta: Number(windowQuanta) },
  recordingLog().log,
)
const limiter = createLimiter({
  store,
  instances: () => 1,
  now: () => performance.now(),
  windowQuanta: Number(windowQuanta),
})
const prng = new Prng([Number(seed)])
const requested: [number, number, boolean][] = []
const pending: Promise<void>[] = []
const endsAt = clock() + Number(forMs)
while (clock() < endsAt) {
  const size = prng.below(40)
  for (let each = 0; each < size; each++) {
    const sentAt = clock()
    const decision = limiter.take('one', Number(cap))
    pending.push(
      decision.then(({ isAdmitted }) => void requested.push([sentAt, clock(), isAdmitted])),
    )
  }
  await pause(prng.below(60))
}
await Promise.all(pending)
limiter.end()
process.stdout.write(JSON.stringify(requested))
