/**
 * Outputs of a replay on this machine: a file or standard output.
 *
 * Law: `settle` resolves when all that was written is on disk, so that a position may be stored; a resumed replay
 * truncates the file to its newest position.
 */
import { type FileHandle, open } from 'node:fs/promises'
import type { ReplayOutput } from '../../workers/replay/runner.ts'
import { UsageError } from '../cli/arguments.ts'
import type { Output } from '../cli/progress.ts'

/** `bytes`: length of a file to continue; undefined: a new file. Throws UsageError. */
export async function fileOutput(path: string, bytes: number | undefined): Promise<ReplayOutput> {
  const handle = await openAt(path, bytes)
  let at = bytes ?? 0
  return {
    async write(lines) {
      const text = Buffer.from(textOf(lines))
      for (let done = 0; done < text.length; ) {
        const { bytesWritten } = await handle.write(text, done, text.length - done, at)
        done += bytesWritten
        at += bytesWritten
      }
      return 'taken'
    },
    async settle() {
      await handle.datasync()
      return at
    },
    close: () => handle.close(),
  }
}

async function openAt(path: string, bytes: number | undefined): Promise<FileHandle> {
  if (bytes === undefined) {
    return await open(path, 'wx').catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST') throw cause
      throw new UsageError(
        `--output "${path}" exists already: continue with --resume, or remove it`,
      )
    })
  }
  const handle = await open(path, 'r+')
  const { size } = await handle.stat()
  if (size >= bytes) {
    await handle.truncate(bytes)
    return handle
  }
  await handle.close()
  throw new UsageError(
    `"${path}" has ${size} bytes, its position expects ${bytes} at least: restore the file, or start a new replay`,
  )
}

export function streamOutput(stdout: Output): ReplayOutput {
  let bytes = 0
  return {
    write(lines) {
      const text = textOf(lines)
      bytes += Buffer.byteLength(text)
      return new Promise((resolve) => {
        stdout.write(text, (error) => resolve(error ? 'closed' : 'taken'))
      })
    },
    settle: async () => bytes,
    async close() {},
  }
}

function textOf(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}
