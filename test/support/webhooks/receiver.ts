/**
 * HTTP receivers of webhooks that behave badly in one way each. A receiver verifies every request by the library of
 * Standard Webhooks before it counts, and records it in the order of arrival.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import { Webhook } from 'standardwebhooks'

export type Received = { id: string; body: string; isAccepted: boolean }

/** Answers a request that was verified; resolves to whether it was accepted. `attempt`: number of the request. */
export type Manner = (response: ServerResponse, attempt: number) => boolean | Promise<boolean>

const end = (response: ServerResponse, status: number, headers = {}): boolean => {
  response.writeHead(status, headers).end()
  return status < 300
}

const ENDLESS_BYTES = Buffer.alloc(64 * 1024, 'x')

/** Each fails or dawdles at some requests, by their number, and accepts the others. */
export const MANNERS: Readonly<Record<string, (redirectTo: string) => Manner>> = {
  plain: () => (response) => end(response, 204),
  slow: () => async (response, attempt) => {
    if (attempt % 20 === 3) await pause(50)
    return end(response, 200)
  },
  failing: () => (response, round) => end(response, round % 7 === 3 ? 500 : 200),
  cut: () => (response, attempt) => {
    if (attempt % 7 !== 3) return end(response, 200)
    response.socket?.destroy()
    return false
  },
  halfway: () => (response, attempt) => {
    if (attempt % 7 !== 3) return end(response, 200)
    // The status line never ends.
    response.socket?.end('HTTP/1.1 2')
    return false
  },
  redirect: (redirectTo) => (response, attempt) =>
    attempt % 7 === 3 ? end(response, 307, { location: redirectTo }) : end(response, 202),
  huge: () => (response, attempt) => {
    response.writeHead(200)
    // Without an end: the sender cuts the answer.
    if (attempt % 7 === 3) sendEndlessly(response)
    else response.end()
    return true
  },
}

function sendEndlessly(response: ServerResponse): void {
  const write = (): void => {
    while (!response.destroyed) if (!response.write(ENDLESS_BYTES)) return
  }
  response.on('drain', write)
  response.on('error', () => {})
  write()
}

export type Receiver = {
  url: string
  received: Received[]
  /** Requests whose signature is not right. */
  forged: string[]
  headers: IncomingHttpHeaders[]
  /** Set after the endpoint was created. */
  secret: string
}

export async function startReceiver(t: ExecutionContext, manner: Manner): Promise<Receiver> {
  const receiver: Receiver = { url: '', received: [], forged: [], headers: [], secret: '' }
  let attempt = 0
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    try {
      for await (const part of request) parts.push(part)
    } catch {
      // The sender was killed within the request.
      return
    }
    const body = Buffer.concat(parts).toString()
    const id = String(request.headers['webhook-id'])
    receiver.headers.push(request.headers)
    const entry = { id, body, isAccepted: false }
    receiver.received.push(entry)
    try {
      new Webhook(receiver.secret).verify(body, request.headers as Record<string, string>)
    } catch {
      receiver.forged.push(id)
    }
    entry.isAccepted = await manner(response, attempt++)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}
