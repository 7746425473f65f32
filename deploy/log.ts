/**
 * The log: pino lines on standard error. Plain JSON; short lines where a person reads them.
 *
 * Law: no secret leaves through here. API keys, the passwords of URLs and secrets that are named (the
 * operators' key) are masked in the finished line, in any field or message.
 *
 * A warning is of something that is retried, and has the message of its error without the stack: a first start on a slow
 * machine would greet with one. An error has its stack; LOG_LEVEL debug shows both.
 */
import pino from 'pino'
import { maskKeys } from '../api/routing/key-format.ts'
import type { LogLevel } from './config.ts'

export type Logger = pino.Logger

const URL_PASSWORD = /\b([a-z][a-z0-9+.-]*:\/\/[^\s/:@"]*):[^\s/@"]+@/gi
/** A user without a password is a name elsewhere; with NATS it is the secret itself. */
const NATS_TOKEN = /\b((?:nats|tls):\/\/)[^\s/:@"]+@/gi

/** The text without API keys, passwords and these secrets, verbatim or within JSON. */
export function redact(text: string, secrets: readonly string[] = []): string {
  const masked = maskKeys(text).replace(URL_PASSWORD, '$1:***@').replace(NATS_TOKEN, '$1***@')
  return secrets.reduce((left, secret) => {
    const inJson = JSON.stringify(secret).slice(1, -1)
    return left.replaceAll(secret, '***').replaceAll(inJson, '***')
  }, masked)
}

type LogOptions = {
  level: LogLevel
  isTerminal: boolean
  write: (line: string) => void
  /** Not to be written, besides what looks like one. */
  secrets?: readonly string[]
}

export function createLog({ level, isTerminal, write, secrets = [] }: LogOptions): Logger {
  const isBrief = level !== 'debug'
  const destination = {
    write(line: string) {
      const safe = redact(isBrief && line.includes(STACK) ? withoutStack(line) : line, secrets)
      write(isTerminal ? shortLine(safe) : safe)
    },
  }
  return pino({ level, base: { pid: process.pid }, errorKey: 'err' }, destination)
}

const STACK = '"stack":'
const WARNING = 40

/** The line of a warning without the stacks of its error and of the errors in it; any other line unchanged. */
function withoutStack(line: string): string {
  const brief = JSON.parse(line, (name, value) => (name === 'stack' ? undefined : value)) as LogLine
  return brief.level > WARNING ? line : `${JSON.stringify(brief)}\n`
}

type LogLine = { level: number; time: number; pid: number; msg?: string; err?: LoggedError }
type LoggedError = { type?: string; message?: string; stack?: string }

const DEBUG = 20

/** `12:03:04 warn lost the connection to NATS lane=2`; the stack of an error from debug lines only. */
export function shortLine(line: string): string {
  const { level, time, pid: _pid, msg = '', err, ...fields } = JSON.parse(line) as LogLine
  const clock = new Date(time).toISOString().slice(11, 19)
  const label = pino.levels.labels[level] ?? String(level)
  const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${inline(value)}`)
  const error = err === undefined ? '' : `: ${level <= DEBUG ? err.stack : err.message}`
  return `${clock} ${label} ${msg}${error}${rest.join('')}\n`
}

function inline(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
