/** Flags of Node with which deploy/swaptide starts every process, and the bench its programs. */
import { fileURLToPath } from 'node:url'
import { ENVIRONMENT, readConfig } from '../../deploy/config.ts'

export const NODE_FLAGS: readonly string[] = [
  '--max-semi-space-size=64',
  '--initial-old-space-size=256',
]

/** With SWAPTIDE_TUNE=1. */
export const TUNED_FLAGS: readonly string[] = [
  ...NODE_FLAGS,
  '--require',
  fileURLToPath(new URL('../../deploy/tuning/background-threads.ts', import.meta.url)),
]

export const isTuned = readConfig(ENVIRONMENT).isTuned
export const BENCH_FLAGS = isTuned ? TUNED_FLAGS : NODE_FLAGS
