/**
 * Placeholder server on the API's port while the process waits for its dependencies: /healthz reports that the process
 * is alive, everything else is 503 with the reason, so that an orchestrator neither restarts it nor routes to it.
 */
import { createServer } from 'node:http'
import { ApiError, renderError } from '../routing/error.ts'

export type WaitingServer = {
  /** Text of the 503: the server that the process is waiting for. */
  reason: string
  close(): Promise<void>
}

export function openWaitingServer(port: number, host: string): Promise<WaitingServer> {
  const waiting: WaitingServer = {
    reason: 'the process is starting',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  const server = createServer((request, response) => {
    const isHealth = request.url?.split('?')[0] === '/healthz'
    const { status, body, headers } = isHealth
      ? { status: 200, body: { status: 'ok' }, headers: {} }
      : renderError(new ApiError('UNAVAILABLE', waiting.reason), 'enveloped')
    const contentType = 'application/json; charset=utf-8'
    response.writeHead(status, { ...headers, 'Content-Type': contentType, Connection: 'close' })
    response.end(JSON.stringify(body))
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(waiting))
  })
}
