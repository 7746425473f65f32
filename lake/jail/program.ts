/**
 * The program that runs one query and ends: DuckDB in memory over the files of the lake. `run.ts` starts it with limits on
 * memory, files and time, because DuckDB's own do not bound what scalar functions take. No file can be written: RLIMIT_FSIZE is 0.
 */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { basename } from 'node:path'
import { text } from 'node:stream/consumers'
import { judge, openDuck, prepare, quoted, Refused } from './duck.ts'
import {
  CHANNEL,
  type Failure,
  type Head,
  PLANNED_MIB,
  type QueryRequest,
  type Tail,
} from './limits.ts'
import { jsonOf } from './values.ts'

/** Characters of DuckDB's messages that are passed on. */
const MESSAGE_MAX = 1_000

const channel = createWriteStream('', { fd: CHANNEL })
const request = JSON.parse(await text(process.stdin)) as QueryRequest
try {
  await answer(request)
} catch (error) {
  await write(failureOf(error as Error, request))
}
channel.end()
await once(channel, 'close')
process.exit(0)

async function answer({ sql, files, rows, bytes }: QueryRequest): Promise<void> {
  const connection = await openDuck(files)
  await judge(connection, sql)
  const result = await (await prepare(connection, sql)).stream()
  const types = result.columnTypes()
  await write({
    columns: result.columnNames().map((name, at) => ({ name, type: String(types[at]) })),
  } satisfies Head)
  let [rowCount, byteCount] = [0, 0]
  for await (const chunk of result.yieldRows()) {
    for (const row of chunk) {
      const line = `[${row.map(jsonOf).join()}]`
      byteCount += Buffer.byteLength(line) + 1
      const truncated = rowCount === rows ? 'rows' : byteCount > bytes ? 'bytes' : null
      if (truncated !== null) return await write({ truncated } satisfies Tail)
      rowCount += 1
      await writeLine(line)
    }
  }
  await write({ truncated: null } satisfies Tail)
}

function failureOf(error: Error, { files }: QueryRequest): Failure {
  if (error instanceof Refused) return { failure: error.refusal, message: error.message }
  if (/^Out of Memory/i.test(error.message)) {
    return { failure: 'memory', message: `the query needs more memory than ${PLANNED_MIB} MiB` }
  }
  // A query cannot name a file: an error that does is one of the file.
  const named = files.find(
    (path) => error.message.includes(path) || error.message.includes(quoted(path)),
  )
  if (named !== undefined) return { failure: 'files', message: `${basename(named)} cannot be read` }
  return { failure: 'invalid', message: error.message.slice(0, MESSAGE_MAX) }
}

function write(line: Head | Tail | Failure): Promise<void> {
  return writeLine(JSON.stringify(line))
}

async function writeLine(line: string): Promise<void> {
  if (!channel.write(`${line}\n`)) await once(channel, 'drain')
}
