/**
 * `swaptide up` on a machine whose cores other programs use, too, and that it changes no setting of the machine unless
 * requested.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { availableParallelism, getPriority } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { LaneState } from '../../../api/admin/operations.ts'
import { runningStack } from '../../../deploy/local/state.ts'
import { holdsWithin } from '../../../deploy/local/waiting.ts'
import { connect, type Db } from '../../../sql/db.ts'
import { patientAnswer } from '../../support/api/patient-answer.ts'
import { homeSettings, pidOf, startUp, type Up } from '../../support/deploy/started-up.ts'
import { familyOf } from '../../support/programs/programs.ts'
import { sizeOf } from '../../support/seed.ts'

/** Alongside so many, an `up --tune` that starts has pool lanes that lag by 1,500 messages. */
const BUSY_PER_CORE = 4
const START_BOUND_MS = 120_000
/** Longer than a lease. All cores are busy for so long, for the other tests of the run as well. */
const WATCHED_MS = sizeOf({ daily: 10_000, long: 20_000 })
const READ_EVERY_MS = 500
/** Within it `up --tune` has looked for new sessions. */
const SCANNED_MS = 3_000
/** Messages by which the one lane of an actor may lag: 20 s of the simulated market of 100 swaps/s. */
const LAG_MAX = 2_000
const KERNEL_FOLDERS = ['/proc/sys/vm', '/proc/sys/kernel', '/sys/kernel/mm/transparent_hugepage']
/** Settings of memory and scheduling; the kernel's counters are not settings. */
const IS_SETTING = /huge|overcommit|swappiness|sched|enabled|defrag/

/** Four programs a core, each of which wants one whole, at this test's own priority. */
function busyPrograms(t: ExecutionContext): void {
  for (let count = 0; count < BUSY_PER_CORE * availableParallelism(); count++) {
    const busy = spawn(process.execPath, ['--eval', 'for (;;) {}'], {
      stdio: 'ignore',
      detached: true,
    })
    t.teardown(() => busy.kill('SIGKILL'))
  }
}

async function lanesOf({ url }: Up, home: string): Promise<LaneState[]> {
  const operatorKey = (await readFile(join(home, 'operator-key'), 'utf8')).trim()
  const headers = { Authorization: `Bearer ${operatorKey}` }
  const answer = await patientAnswer(`${url}/admin/v1/lanes`, headers)
  return ((await answer.json()) as Record<'data', LaneState[]>).data
}

/** Each lane with the epoch that its owner got; a lease that is renewed late leaves it as it is. */
async function acquisitionsOf(db: Db): Promise<object[]> {
  return (await db.query('select actor, lane, epoch from checkpoint order by actor, lane')).rows
}

async function hasSwaps({ url, key }: Up): Promise<boolean> {
  const answer = await fetch(`${url}/swaps?limit=1`, { headers: { 'X-API-Key': key } })
  const { data } = (await answer.json()) as Record<'data', object[] | undefined>
  return data?.length === 1
}

function kernelSettings(): Record<string, string> {
  const found: Record<string, string> = {}
  for (const folder of KERNEL_FOLDERS.filter((path) => existsSync(path))) {
    for (const name of readdirSync(folder)) {
      if (!IS_SETTING.test(name)) continue
      try {
        found[join(folder, name)] = readFileSync(join(folder, name), 'utf8')
      } catch {
        // A folder, or a setting that can only be written.
      }
    }
  }
  return found
}

/** By thread: how far its niceness, and that of its session, is from this test's own. */
function priorities(pids: readonly number[]): Record<string, number> {
  const found: Record<string, number> = {}
  for (const pid of pids) {
    try {
      const [, session] = /nice (-?\d+)/.exec(readIfThere(`/proc/${pid}/autogroup`)) ?? []
      if (Number(session ?? 0) !== 0) found[`session of ${commandOf(pid)}`] = Number(session)
      for (const thread of readdirSync(`/proc/${pid}/task`).map(Number)) {
        const beyond = getPriority(thread) - getPriority()
        if (beyond !== 0) found[`${commandOf(pid)}, thread ${thread}`] = beyond
      }
    } catch {
      // The process has ended since it was listed.
    }
  }
  return found
}

const readIfThere = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const commandOf = (pid: number): string =>
  readIfThere(`/proc/${pid}/cmdline`).split('\0').slice(-3).join(' ')

test.serial('retains its lanes and their lag alongside programs that use every core', async (t) => {
  const settings = await homeSettings(t)
  const home = settings.SWAPTIDE_HOME ?? ''
  const up = await startUp(t, settings)
  const isOwned = (lanes: readonly LaneState[]) => lanes.every(({ owner }) => owner !== null)
  t.true(await holdsWithin(START_BOUND_MS, async () => isOwned(await lanesOf(up, home))))
  t.true(await holdsWithin(START_BOUND_MS, () => hasSwaps(up)))
  const db = connect((await runningStack(home))?.databaseUrl ?? '', { max: 1 })
  t.teardown(() => db.end())
  const first = await lanesOf(up, home)
  const acquired = await acquisitionsOf(db)
  t.is(acquired.length, first.length)
  busyPrograms(t)
  let readings = 0
  const lost = await holdsWithin(
    WATCHED_MS,
    async () => {
      const now = await lanesOf(up, home)
      readings++
      t.deepEqual(await acquisitionsOf(db), acquired, 'no lane is lost')
      for (const { actor, lane, lag } of now) t.true(lag <= LAG_MAX, `${actor} ${lane}: ${lag}`)
      return false
    },
    READ_EVERY_MS,
  )
  t.false(lost)
  t.true(readings >= 5, `${readings} readings`)
  for (const [at, { actor, lane, sequence }] of (await lanesOf(up, home)).entries()) {
    t.true(sequence > (first[at]?.sequence ?? 0), `${actor} ${lane} commits`)
  }
})

test.serial(
  'changes no CPU priority, no kernel setting and no tunable unless requested',
  async (t) => {
    const before = kernelSettings()
    const settings = await homeSettings(t)
    const up = await startUp(t, settings)
    // Every worker has its sessions when swaps are in.
    t.true(await holdsWithin(START_BOUND_MS, () => hasSwaps(up)))
    const pids = familyOf(pidOf(up)).map(({ pid }) => pid)
    t.true(pids.length > 15, 'up, workers, jobs, servers and their sessions')
    const isLowered = await holdsWithin(SCANNED_MS, () => Object.keys(priorities(pids)).length > 0)
    t.false(isLowered, JSON.stringify(priorities(pids)))
    for (const pid of pids) {
      const variables = readIfThere(`/proc/${pid}/environ`).split('\0')
      t.deepEqual(
        variables.filter((each) => /^(GLIBC_TUNABLES|SWAPTIDE_TUNE)=/.test(each)),
        [],
      )
    }
    // Other programs of the machine may hold one for a moment.
    const isSame = () => JSON.stringify(kernelSettings()) === JSON.stringify(before)
    t.true(await holdsWithin(START_BOUND_MS, isSame))
    t.true(Object.keys(before).length > 0)
  },
)
