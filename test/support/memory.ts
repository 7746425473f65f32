/** Measures memory use. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Bytes of the result of `make`, in the heap and outside it: the median of three, because other tests of the process
 * allocate meanwhile.
 */
export function bytesOf(make: () => unknown): number {
  return Array.from({ length: 3 }, () => measured(make)).sort((a, b) => a - b)[1] as number
}

/** Bytes in the heap and outside it after a collection. */
export function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 2; round++) collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function measured(make: () => unknown): number {
  const before = heldBytes()
  const made = make()
  const bytes = heldBytes() - before
  return made === undefined ? 0 : bytes
}
