/**
 * Ten thousand idle sockets: beyond its bound the API cuts the longest idle ones, ordinary requests are still answered,
 * and all are closed in time. API and sockets are separate programs, so that files and memory of the one can be
 * measured.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { TIMING } from '../../api/feed/websocket/protocol/timing.ts'
import { createKey } from '../../api/gateway/keys/keys.ts'
import { residentBytes, startChild, startFeedServer } from '../support/programs/feed-server.ts'
import { openPipeline, until } from '../support/workers/pipeline.ts'

const PROGRAM = join(import.meta.dirname, '../support/programs/idle-sockets-program.ts')
const OPENED = { silent: 4_500, idle: 4_500, webSockets: 1_000 }
const CLIENTS_MAX = 6_000
/** Other files of the API: its code, connections to its servers. */
const FILES_BESIDES = 300
/** Other tests run alongside this one. */
const REQUEST_EVERY_MS = 10
/** 60 KB a connection at the bound. */
const GROWN_BYTES_MAX = 360e6

const filesMax = execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim()
const isEnough = filesMax === 'unlimited' || Number(filesMax) >= 10_500
const title = 'bounds ten thousand idle sockets, answers requests alongside them, and closes them'
const run = isEnough ? test : test.skip

run(`${title}${isEnough ? '' : ` (skipped: ${filesMax} open files are too few)`}`, async (t) => {
  const pipeline = await openPipeline(t)
  const server = await startFeedServer(t, pipeline, { timing: TIMING, clientsMax: CLIENTS_MAX })
  const wanted = { tier: 'enterprise', environment: 'test', account: 'test', by: 'test' } as const
  const { key } = await createKey(pipeline.db, wanted)
  const files = () => readdirSync(`/proc/${server.child.pid}/fd`).length
  const asker = startRequesting(server.port, key)
  await until('it answers', 60_000, () => asker.statuses.length >= 200)
  const quiet = asker.takeTimes()
  const before = residentBytes(server.child.pid)

  const said: { kind: string; byCode?: Record<string, number> }[] = []
  const args = JSON.stringify({ port: server.port, key, ...OPENED })
  const child = startChild(t, [PROGRAM, args])
  createInterface({ input: child.stdout as Readable }).on('line', (line) =>
    said.push(JSON.parse(line)),
  )
  let filesMost = 0
  await until('all are opened', 120_000, () => {
    filesMost = Math.max(filesMost, files())
    return said.length > 0
  })
  const coming = asker.takeTimes()
  const grown = residentBytes(server.child.pid) - before
  t.true(filesMost > CLIENTS_MAX * 0.9, `${filesMost} open files: they were there`)
  t.true(filesMost < CLIENTS_MAX + FILES_BESIDES, `${filesMost} open files`)
  t.true(grown < GROWN_BYTES_MAX, `${grown} bytes more`)
  const answered = asker.statuses.length
  await until('it answers alongside them', 60_000, () => asker.statuses.length > answered + 200)
  const staying = asker.takeTimes()
  await until('all are let go of', 100_000, () => said.length > 1)
  // A WebSocket never makes room: it is closed when it did not subscribe in time.
  t.deepEqual(said[1]?.byCode, { 0: OPENED.silent + OPENED.idle, 4408: OPENED.webSockets })
  await until('their files are closed', 60_000, () => files() < FILES_BESIDES)
  await asker.end()
  t.deepEqual([...new Set(asker.statuses)], [200])
  t.log(
    `p99 ${quiet} ms before, ${coming} while they came, ${staying} while they stayed; ${Math.round(grown / 1e6)} MB more`,
  )
})

/** One ordinary request after the other, each on a connection of its own. */
function startRequesting(port: number, key: string) {
  const statuses: (number | undefined)[] = []
  let times: number[] = []
  let isOver = false
  const send = (): Promise<number | undefined> =>
    new Promise((resolve) => {
      const headers = { 'X-API-Key': key }
      const requested = { port, host: '127.0.0.1', path: '/swaps?limit=1', headers, agent: false }
      const request = get(requested, (response) => {
        response.resume()
        response.once('close', () => resolve(response.complete ? response.statusCode : undefined))
      })
      request.once('error', () => resolve(undefined))
    })
  const requesting = (async () => {
    while (!isOver) {
      const beganAt = performance.now()
      statuses.push(await send())
      times.push(performance.now() - beganAt)
      await pause(REQUEST_EVERY_MS)
    }
  })()
  return {
    statuses,
    /** The 99th of a hundred since the previous call, in milliseconds. */
    takeTimes(): string {
      const sorted = times.sort((a, b) => a - b)
      times = []
      return (sorted[Math.floor(sorted.length * 0.99)] ?? 0).toFixed(1)
    },
    end(): Promise<void> {
      isOver = true
      return requesting
    },
  }
}
