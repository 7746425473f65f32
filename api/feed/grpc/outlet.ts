/**
 * Writes to one call with backpressure: buffered answers and bytes are bounded.
 *
 * After a client cancels, neither 'drain' nor the callback of a write is ever called, so every wait also ends on a
 * timeout or the abort of the call.
 */
import type { ServerWritableStream } from '@grpc/grpc-js'

/** Buffered bytes at which writing stops. */
const WAITING_BYTES_MAX = 128 * 1024

export class Outlet {
  private readonly call: ServerWritableStream<unknown, Buffer>
  /** When the transport last took an answer, by performance.now(). */
  private takenAt = performance.now()
  private waitingBytes = 0
  private wake = (): void => {}

  constructor(call: ServerWritableStream<unknown, Buffer>) {
    this.call = call
    call.on('drain', () => this.wake())
  }

  write(bytes: Buffer): void {
    this.waitingBytes += bytes.length
    this.call.write(bytes, () => {
      this.waitingBytes -= bytes.length
      this.takenAt = performance.now()
      this.wake()
    })
  }

  get isFull(): boolean {
    return this.call.writableNeedDrain || this.waitingBytes > WAITING_BYTES_MAX
  }

  /** Whether there is room within the bound; false if the signal is aborted. */
  async hasRoom(boundMs: number, signal: AbortSignal): Promise<boolean> {
    const until = AbortSignal.any([signal, AbortSignal.timeout(boundMs)])
    while (this.isFull && !until.aborted) {
      await new Promise<void>((resolve) => {
        this.wake = resolve
        until.addEventListener('abort', () => resolve(), { once: true })
      })
    }
    return !until.aborted
  }

  /** Like hasRoom, but the bound restarts with every answer that the transport takes. */
  async hasRoomInTime(boundMs: number, signal: AbortSignal): Promise<boolean> {
    this.takenAt = performance.now()
    while (this.isFull && !signal.aborted) {
      const restMs = this.takenAt + boundMs - performance.now()
      if (restMs <= 0) return false
      await this.hasRoom(Math.ceil(restMs), signal)
    }
    return !signal.aborted
  }
}
