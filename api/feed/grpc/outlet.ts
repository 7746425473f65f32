/**
 * Writing to one call so that what waits for its reader has a bound, in answers and in bytes.
 *
 * After a client's cancel neither 'drain' nor a write's callback ever comes: whoever waits here does so
 * until there is room, the time is up, or the signal says that the call is over.
 */
import type { ServerWritableStream } from '@grpc/grpc-js'

/** Bytes that wait for the transport before no more is written. */
const WAITING_BYTES_MAX = 128 * 1024

export class Outlet {
  private readonly call: ServerWritableStream<unknown, Buffer>
  /** When the transport took an answer last, as performance.now() says. */
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

  /** Whether there is room again within the bound; false, too, when the signal is aborted. */
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

  /** The same, the bound beginning anew with every answer that the transport takes. */
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
