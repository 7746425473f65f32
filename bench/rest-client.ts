/** The REST API in a separate program, with a key, and a keep-alive client. */
import { createKey } from '../api/gateway/keys/keys.ts'
import { openPlainClient } from './plain-client.ts'
import type { ApiMessage } from './programs/api-program.ts'
import { startProgram } from './programs/program.ts'
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
  const program = startProgram<ApiMessage>('api-program.ts', { databaseUrl }, flags)
  const { url } = await program.receive('ready')
  const client = openPlainClient(url)
  const header = `X-API-Key: ${key}\r\n`
  return {
    pid: program.pid,
    async read(path) {
      const { status, parts } = await client.get(path, header)
      return { status, text: Buffer.concat(parts).toString() }
    },
    lookUp: async (signature) => (await client.get(`/swaps/${signature}`, header)).status,
    async stop() {
      client.close()
      await program.stop()
    },
  }
}
