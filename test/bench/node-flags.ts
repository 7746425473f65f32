/** Flags of Node with which deploy/swaptide starts every process, and the bench its own. */
import { fileURLToPath } from 'node:url'

export const NODE_FLAGS: readonly string[] = [
  '--max-semi-space-size=64',
  '--initial-old-space-size=256',
  '--require',
  fileURLToPath(new URL('../../deploy/background-threads.ts', import.meta.url)),
]
