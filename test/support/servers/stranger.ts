/**
 * A program of another account of this host that tries an embedded stack:
 *   node stranger.ts '{"home": ..., "urls": {...}, "pids": [...], "account": {"uid": ..., "gid": ...}}'
 * The URLs have no password, or a wrong one. Prints one line of JSON, of type `Tried`. The account is changed after the
 * modules are loaded, so it need not be able to read the project.
 */
import { openSync, readdirSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client } from 'pg'
import { connectJetStream } from '../../../streams/nats/jetstream.ts'
import { recordingLog } from '../recording-log.ts'

/** The answer of each server to each URL, and the files that could be opened. */
export type Tried = {
  uid: number
  answers: Record<string, string>
  readable: string[]
}

const { log } = recordingLog()
const { home, urls, pids, account } = JSON.parse(process.argv[2] ?? '{}')
if (account !== undefined) {
  process.setgroups?.([])
  process.setgid?.(account.gid)
  process.setuid?.(account.uid)
}

async function postgres(url: string): Promise<string> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.end()
  return 'let in'
}

async function nats(url: string): Promise<string> {
  const jetStream = await connectJetStream(url, { name: 'stranger', log })
  const names: string[] = []
  for await (const name of jetStream.manager.streams.names()) names.push(name)
  await jetStream.close()
  return `let in: ${names}`
}

/** Without a client, which would report only a closed connection. */
async function redis(url: string): Promise<string> {
  const { port, password } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`${password === '' ? '' : `AUTH ${password}\r\n`}DBSIZE\r\nQUIT\r\n`)
  const said = (await text(socket)).trim().split('\r\n')
  return said[0]?.startsWith('-') ? said.join(' ') : `let in: ${said}`
}

const TRIES: Record<string, (url: string) => Promise<string>> = {
  'postgres:': postgres,
  'nats:': nats,
  'redis:': redis,
}

function* filesBelow(folder: string): Generator<string> {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return
  }
  for (const name of names) {
    const path = join(folder, name)
    yield path
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) yield* filesBelow(path)
  }
}

function isReadable(path: string): boolean {
  try {
    openSync(path, 'r')
    return true
  } catch {
    return false
  }
}

const answers: Record<string, string> = {}
for (const url of urls as string[]) {
  const attempt = TRIES[new URL(url).protocol]
  answers[url] = await (attempt?.(url) ?? Promise.resolve('unknown')).catch(
    ({ message }: Error) => message,
  )
}
const ofServers = (pids as number[]).flatMap((pid) =>
  ['environ', 'fd', 'mem', 'cwd/.'].map((name) => `/proc/${pid}/${name}`),
)
const readable = [...filesBelow(home), ...ofServers].filter(isReadable)
const tried: Tried = { uid: process.getuid?.() ?? -1, answers, readable }
console.log(JSON.stringify(tried))
process.exit()
