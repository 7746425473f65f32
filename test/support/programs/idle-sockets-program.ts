/**
 * Idle sockets, opened by a separate program, which has a separate limit of open files:
 *   node idle-sockets-program.ts '{"port": 1, "silent": 1, "idle": 1, "webSockets": 1, "key": "..."}'
 * `silent` send no request, `idle` have had one answer, `webSockets` were welcomed and never subscribe. Prints a line
 * once all are opened, and one when the server has closed all: by close code how many WebSockets.
 */
import { connect } from 'node:net'
import { WebSocket } from 'ws'

const { port, silent, idle, webSockets, key } = JSON.parse(process.argv[2] ?? '{}')
/** Opened at once. */
const WAVE = 200
const closes: Promise<number>[] = []

function open(says: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  closes.push(new Promise((resolve) => socket.once('close', () => resolve(0))))
  return new Promise((resolve) => {
    const isOpen = says === '' ? 'connect' : 'data'
    socket.once(isOpen, () => resolve())
    socket.once('close', () => resolve())
    if (says === '') socket.resume()
    else socket.write(says)
  })
}

function openWebSocket(): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v1?api_key=${key}`)
  socket.on('error', () => {})
  closes.push(new Promise((resolve) => socket.once('close', resolve)))
  return new Promise((resolve) => {
    socket.once('message', () => resolve())
    socket.once('close', () => resolve())
  })
}

async function openAll(count: number, openOne: () => Promise<void>): Promise<void> {
  for (let done = 0; done < count; done += WAVE) {
    await Promise.all(Array.from({ length: Math.min(WAVE, count - done) }, openOne))
  }
}

await openAll(webSockets, openWebSocket)
await openAll(silent, () => open(''))
await openAll(idle, () => open('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'))
process.stdout.write('{"kind":"opened"}\n')
const codes = await Promise.all(closes)
const byCode = Object.fromEntries(
  [...Map.groupBy(codes, (code) => code)].map(([code, all]) => [code, all.length]),
)
process.stdout.write(`${JSON.stringify({ kind: 'gone', byCode })}\n`)
