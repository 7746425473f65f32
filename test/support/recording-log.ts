/** A log that records its lines, so that a test can check a worker's log, and print it on failure. */
import type { Log } from '../../domain/log.ts'

export type Recording = { log: Log; lines: string[] }

export function recordingLog(onLine: (line: string) => void = () => {}): Recording {
  const lines: string[] = []
  const write =
    (level: string) =>
    (fields: object | string, text = ''): void => {
      const line = `${level} ${text} ${typeof fields === 'string' ? fields : printed(fields)}`
      lines.push(line)
      onLine(line)
    }
  const log: Log = {
    debug: () => {},
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  }
  return { log, lines }
}

function printed(fields: object): string {
  return JSON.stringify(fields, (_, value: unknown) => {
    if (value instanceof Error) return value.stack?.split('\n', 4).join(' ')
    return typeof value === 'bigint' ? `${value}` : value
  })
}
