/** Ends a gRPC call from the server's side, whether its client reads or not. */
import type { EventEmitter } from 'node:events'
import type { StreamStatus } from './stream-status.ts'

/** A call with a stream of answers. */
export type AnsweringCall = EventEmitter

/** Sends the status; cuts the call if the client does not read it in time. `over`: the call is gone from the wire. */
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

/** Destroys the HTTP/2 stream: in grpc-js a status waits after buffered bytes that a stalled client never reads. */
function cut(call: AnsweringCall): void {
  const { call: inner } = call as unknown as { call?: { stream?: { destroy(): void } } }
  inner?.stream?.destroy()
}
