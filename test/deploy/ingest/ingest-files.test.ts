/** Files for ingest: reports of a broken one. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import test from 'ava'
import type { CommandContext } from '../../../deploy/cli/command.ts'
import { createProgress } from '../../../deploy/cli/progress.ts'
import { type FileReport, ingestFiles } from '../../../deploy/ingest/ingest-files.ts'
import type { Batch } from '../../../streams/ingest/batcher.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { swapEvent, TOKEN_LINE } from '../../support/events/sample-event.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'

type Reported = FileReport & { said: string[]; batches: Batch[] }

/** The result of `ingest` on files, and on standard input for "-". */
async function reading(files: string[], stdin: AsyncIterable<Buffer>): Promise<Reported> {
  const said: string[] = []
  const write = (text: string): void => {
    said.push(text)
  }
  const progress = createProgress({ write, isTerminal: false, now: () => performance.now() })
  const batches: Batch[] = []
  const publishing = {
    publish: async (batch: Batch) => {
      batches.push(batch)
      return 'stored' as const
    },
    prefix: 'test.',
    laneCount: 4,
  }
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() })
  const context = {
    stdin: Readable.from(stdin),
    signal: new AbortController().signal,
    stdout: stream,
    stderr: stream,
  } as Partial<CommandContext> as CommandContext
  const report = await ingestFiles(files, publishing, context, progress)
  return { ...report, said, batches }
}

async function* bytesOf(...pieces: (Buffer | string)[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece)
}

const good = (ixIndex: number): string => printEvent(swapEvent({ timestamp: Date.now(), ixIndex }))

test('files that are joined, each with its byte order mark, go in whole', async (t) => {
  const text = `\ufeff${good(1)}\n\ufeff${good(2)}\n${good(3)}`
  const { stored, refusedLines, said } = await reading(['-'], bytesOf(text))
  t.is(stored.swaps, 3)
  t.is(refusedLines, 0)
  t.deepEqual(said, [])
})

test('a retraction goes to every lane and counts once', async (t) => {
  const lines = `${good(1)}\n{"kind":"retract","slot":400}\n`
  const { stored, batches } = await reading(['-'], bytesOf(lines))
  t.like(stored, { swaps: 1, retractions: 1 })
  const reported = batches.filter(({ events }) => events.some(({ kind }) => kind === 'retract'))
  t.is(reported.length, 4)
})

test('reports the kind of a file that is no text once, and reads the next', async (t) => {
  const folder = await temporaryFolder(t)
  const write = async (name: string, bytes: string | Uint8Array): Promise<string> => {
    const path = join(folder, name)
    await writeFile(path, bytes)
    return path
  }
  const lines = `${good(1)}\n`.repeat(50)
  const zipped = await write('zipped', gzipSync(lines))
  const wide = await write('wide', Buffer.from(lines, 'utf16le'))
  const empty = await write('empty', '')
  const blank = await write('blank', '\n \n')
  const last = await write('last', `${good(2)}\n${good(3).slice(0, -20)}`)
  const files = [zipped, wide, folder, empty, blank, '-', last]
  const { stored, refusedLines, unread, said } = await reading(files, bytesOf(gzipSync(lines)))
  t.is(stored.swaps, 1)
  t.is(refusedLines, 1)
  t.is(unread, 4)
  const reasons = said.map((line) => line.trimEnd().replaceAll(folder, '.'))
  t.is(reasons.length, 7)
  t.regex(reasons[0] ?? '', /^\.\/zipped: a gzip file, expected UTF-8 text: decompress it first/)
  t.regex(reasons[1] ?? '', /^\.\/wide: UTF-16 text, expected UTF-8 text: convert it first/)
  t.regex(reasons[2] ?? '', /^\.: a directory, expected a file/)
  t.regex(reasons[3] ?? '', /^\.\/empty: no events/)
  t.regex(reasons[4] ?? '', /^\.\/blank: no events/)
  t.regex(reasons[5] ?? '', /^-: a gzip file/)
  t.regex(reasons[6] ?? '', /^\.\/last:2 line ".*": expected a JSON object; .* is it truncated\?$/)
})

test('standard input that is a directory is reported as one', async (t) => {
  async function* folder(): AsyncGenerator<Buffer> {
    yield Buffer.alloc(0)
    throw Object.assign(new Error('EISDIR: illegal operation on a directory, read'), {
      code: 'EISDIR',
      syscall: 'read',
    })
  }
  const { unread, said } = await reading(['-'], folder())
  t.is(unread, 1)
  t.regex(said.join(''), /^-: a directory, expected a file/)
})

test('reports and counts an ignored field, and accepts its line', async (t) => {
  const line = JSON.stringify({ ...TOKEN_LINE, decimals: 19, symbol: 'S\0\0', name: 'a\0b' })
  const { stored, refusedLines, warnings, said } = await reading(['-'], bytesOf(`${line}\n`))
  t.is(stored.tokens, 1)
  t.is(refusedLines, 0)
  t.is(warnings, 2)
  t.deepEqual(
    said.map((text) => text.trimEnd()),
    [
      '-:1 decimals 19: expected an integer of 0 to 18: the field is left out',
      '-:1 name "a\\u0000b": expected a text of at most 200 characters without NUL or lone surrogates: the field is left out',
    ],
  )
})

test('counts refused and accepted lines of a broken input', async (t) => {
  async function* broken(): AsyncGenerator<Buffer> {
    // The second refused line breaks two rules.
    yield Buffer.from(`nonsense\n${good(1)}\n{"kind":"token","token_address":"x","decimals":19}\n`)
    throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' })
  }
  const report = await reading(['-'], broken())
  const { said, batches } = report
  t.is(report.refusedLines, 2)
  t.is(report.unread, 1)
  t.is(report.stored.swaps, 1)
  t.is(batches.length, 1)
  t.is(said.filter((line) => line.startsWith('-:')).length, 4)
})
