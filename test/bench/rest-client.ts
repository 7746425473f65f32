/** The REST API in a program of its own, with a key, and a client that keeps its connection. */
import { Agent, get } from 'node:http'
import { createKey } from '../../api/gateway/keys.ts'
import type { ApiSaid } from './api-program.ts'
import { startProgram } from './program.ts'
import type { Stage } from './stage.ts'

export type RestClient = {
  pid: number
  /** Status of GET /swaps/{signature}, its body read to the end. */
  lookUp(signature: string): Promise<number>
  /** GET of a path with its query, the body read to the end. */
  read(path: string): Promise<{ status: number; text: string }>
  stop(): Promise<void>
}

export async function startRest(
  { db, databaseUrl }: Stage,
  flags: readonly string[],
): Promise<RestClient> {
  const { key } = await createKey(db, {
    tier: 'enterprise',
    environment: 'test',
    account: 'bench',
    by: 'bench',
  })
  const program = startProgram<ApiSaid>('api-program.ts', { databaseUrl }, flags)
  const { url } = await program.hear('ready')
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const headers = { 'x-api-key': key }
  const read: RestClient['read'] = (path) =>
    new Promise((resolve, reject) => {
      const request = get(url + path, { agent, headers }, (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.once('error', reject)
        answer.once('end', () => {
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() })
        })
      })
      request.once('error', reject)
    })
  return {
    pid: program.pid,
    read,
    lookUp: (signature) =>
      new Promise((resolve, reject) => {
        const request = get(`${url}/swaps/${signature}`, { agent, headers }, (answer) => {
          answer.resume()
          answer.once('error', reject)
          answer.once('end', () => resolve(answer.statusCode ?? 0))
        })
        request.once('error', reject)
      }),
    async stop() {
      agent.destroy()
      await program.stop()
    },
  }
}
