// What one home's stack keeps beside its servers' folders: the ports it chose, its passwords, who runs
// it and where (stack.json, readable by its owner only). Another command on the same home finds
// the running servers here. A pid counts only together with the moment its program began, since
// pids come round again.

import { join } from 'node:path'
import { parseKept, readKept, writeKept } from './files/kept-file.ts'
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
  /** Absent after a clean stop; after any other end, `isRunning` tells whether it still does. */
  holder?: Program
  urls?: StackUrls
}

const FILE = 'stack.json'

/** Rejects where the file is there and does not say it: what it said is nowhere else. */
export async function readState(home: string): Promise<StackState | undefined> {
  const path = join(home, FILE)
  const text = await readKept(path)
  if (text === undefined) return undefined
  const state = parseKept<StackState>(text)
  if (state !== undefined) return state
  throw new Error(
    `"${path}" is broken, and held the password of the database: put a copy of it back, ` +
      'or set SWAPTIDE_HOME to another folder',
  )
}

export async function writeState(home: string, state: StackState): Promise<void> {
  await writeKept(join(home, FILE), `${JSON.stringify(state, undefined, 2)}\n`)
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

/** Whether any program bears this pid, ended ones that nobody has waited for aside. */
export function isAlive(pid: number): boolean {
  return birth(pid) !== undefined
}

function birth(pid: number): string | undefined {
  const stat = procStat(pid)
  return stat?.(STATE) === 'Z' ? undefined : stat?.(BORN)
}
