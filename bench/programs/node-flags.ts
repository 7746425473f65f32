/** Flags of Node with which deploy/swaptide starts every process, and the bench its programs. */
export const NODE_FLAGS: readonly string[] = [
  '--max-semi-space-size=64',
  '--initial-old-space-size=256',
]

/** The flags of the commands that read the chain's past. */
export const READER_FLAGS: readonly string[] = [
  '--max-semi-space-size=16',
  '--initial-old-space-size=64',
  '--heap-growing-percent=150',
]
