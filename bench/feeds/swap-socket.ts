/** A WebSocket client of all swaps, for measurements of when they arrive. */
import { WebSocket } from 'ws'
import { sharedClockMs } from '../measure/sample.ts'

/** Resolves once it is subscribed. `onText`: called with each message and the moment at which it arrived. */
export async function openSwapSocket(
  { url, key }: { url: string; key: string },
  onText: (text: string, atMs: number) => void,
): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v1`, {
    perMessageDeflate: false,
    headers: { 'X-API-Key': key },
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.once('open', () => socket.send('{"op":"subscribe","sub":"b","channel":"swaps"}'))
    socket.on('message', (bytes) => {
      const atMs = sharedClockMs()
      const text = String(bytes)
      if (text.startsWith('{"type":"subscribed"')) resolve()
      onText(text, atMs)
    })
  })
  return socket
}
