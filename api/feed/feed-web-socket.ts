/**
 * The WebSocket class of the feed. `ws` closes by itself a connection that breaks RFC 6455, before it emits the
 * error; this class reports the break first, so that an error frame and a goodbye can precede the close frame.
 *
 * Invariant: only `end` sends a close that the client did not begin. `ws` calls `close` with a code and no reason for a
 * broken frame, and with the client's own code and reason to answer the client's close.
 */
import { WebSocket } from 'ws'

export class FeedWebSocket extends WebSocket {
  /** Called instead of the close of `ws`, with the close code of RFC 6455; expected to call `end`. */
  onBroken: ((code: number) => void) | undefined
  private isEnding = false

  /** Closes on the server's decision, after the goodbye was written. */
  end(code: number, reason: string): void {
    this.isEnding = true
    this.close(code, reason)
  }

  override close(code?: number, reason?: string | Buffer): void {
    const isBroken = code !== undefined && reason === undefined && !this.isEnding
    if (isBroken && this.readyState === WebSocket.OPEN) this.onBroken?.(code)
    super.close(code, reason)
  }
}
