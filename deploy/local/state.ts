// State of a home's stack in stack.json, readable by its owner only: the chosen ports, the passwords, the process
// that runs the servers and their addresses. Another command on the same home finds the running servers here. A pid
// is compared together with the start time of its program, since pids are reused.

import { join } from 'node:path'
import { parseDurable, readDurable, writeDurable } from './files/durable-file.ts'
import { BORN, procStat, STATE } from './proc-stat.ts'

export type StackUrls = { databaseUrl: string; natsUrl: string; redisUrl: string }
export type Ports = { postgres: number; nats: number; redis: number }
/** A pid and the start of its program in clock ticks since boot, as /proc has it. */
export type Program = { pid: number; born: string }

export type StackState = {
  ports: Partial<Ports>
  /** The password of PostgreSQL, which its cluster was made with. */
  secret: string
  /** Absent in homes of versions before: made at the next start. */
  secrets?: { nats: string; redis: string }
  hasDatabase: boolean
  /** Absent after a clean stop; after any other end, `isRunning` reports whether it still runs. */
  holder?: Program
  urls?: StackUrls
}

const FILE = 'stack.json'

/** Rejects a broken file: its contents are stored nowhere else. */
export async function readState(home: string): Promise<StackState | undefined> {
  const path = join(home, FILE)
  const text = await readDurable(path)
  if (text === undefined) return undefined
  const state = parseDurable<StackState>(text)
  if (state !== undefined) return state
  throw new Error(
    `"${path}" is broken, and held the password of the database: put a copy of it back, ` +
      'or set SWAPTIDE_HOME to another folder',
  )
}

export async function writeState(home: string, state: StackState): Promise<void> {
  await writeDurable(join(home, FILE), `${JSON.stringify(state, undefined, 2)}\n`)
}

/** The URLs of the stack that another program runs on this home now, if one does. */
export async function runningStack(home: string): Promise<StackUrls | undefined> {
  const state = await readState(home)
  if (state?.holder === undefined || !isRunning(state.holder)) return undefined
  return state.urls
}

/** The program that bears this pid now. */
export function programOf(pid: number): Program {
  return { pid, born: birth(pid) ?? '' }
}

export function isRunning(program: Program): boolean {
  const born = birth(program.pid)
  return born !== undefined && born === program.born
}

/** Whether any program has this pid, except ended ones that were not waited for. */
export function isAlive(pid: number): boolean {
  return birth(pid) !== undefined
}

function birth(pid: number): string | undefined {
  const stat = procStat(pid)
  return stat?.(STATE) === 'Z' ? undefined : stat?.(BORN)
}
