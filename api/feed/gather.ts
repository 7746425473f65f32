/** Frames that are written in one turn of the event loop go to the kernel at once: one call, not one each. */
import type { Duplex } from 'node:stream'

/** To be called before every write. */
export function gathering(wire: Duplex): () => void {
  let isCorked = false
  return () => {
    if (isCorked) return
    isCorked = true
    wire.cork()
    process.nextTick(() => {
      isCorked = false
      wire.uncork()
    })
  }
}
