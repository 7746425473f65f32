/** How a call of the gRPC server is ended from our side, whether its client reads or not. */
import type { EventEmitter } from 'node:events'
import type { StreamStatus } from './stream-status.ts'

/** One whose answers are a stream. */
export type AnsweringCall = EventEmitter

/** Sends the status; a reader that does not even take that loses its call. `over`: it is gone from the wire. */
export async function endCall(
  call: AnsweringCall,
  ended: StreamStatus,
  over: AbortSignal,
  boundMs: number,
): Promise<void> {
  call.emit('error', ended)
  if (over.aborted) return
  await new Promise<void>((resolve) => {
    const bound = setTimeout(() => {
      cut(call)
      resolve()
    }, boundMs)
    over.addEventListener('abort', () => {
      clearTimeout(bound)
      resolve()
    })
  })
}

/** grpc-js has no word for it: a status waits behind the bytes that a stalled reader never takes. */
function cut(call: AnsweringCall): void {
  const { call: inner } = call as unknown as { call?: { stream?: { destroy(): void } } }
  inner?.stream?.destroy()
}
