// Program: claims a name in the shared cache, reports it, and reads for ever. For tests that kill it.

import { openCache } from '../../../../api/gateway/cache/cache.ts'
import { recordingLog } from '../../../support/recording-log.ts'

const [options = '', name = ''] = process.argv.slice(2)
const cache = await openCache({ ...JSON.parse(options), log: recordingLog().log })
await cache.through(name, AbortSignal.timeout(60_000), () => {
  console.log('reading')
  return new Promise(() => {})
})
