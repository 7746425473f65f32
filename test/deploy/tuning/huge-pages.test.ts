/** How many huge pages PostgreSQL may allocate while it starts, and that the kernel's ceiling is restored. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { lockFolder } from '../../../deploy/local/files/lock.ts'
import {
  allowHugePages,
  canSetCeiling,
  ceilingFor,
  parseMemory,
} from '../../../deploy/tuning/huge-pages.ts'
import { tuningOf } from '../../../deploy/tuning/tuning.ts'
import { connect } from '../../../sql/db.ts'
import { ownStack, temporaryFolder } from '../../support/servers/servers.ts'

const MIB = 2 ** 20
const GIB = 2 ** 30
const KNOWN = { pageBytes: 2 * MIB, free: 0, reserved: 0, surplus: 0, availableBytes: 20 * GIB }
const CEILING = 'sys/vm/nr_overcommit_hugepages'
const MEMINFO = `MemTotal:       24683532 kB
MemAvailable:   20971520 kB
HugePages_Total:      10
HugePages_Free:        7
HugePages_Rsvd:        2
HugePages_Surp:        3
Hugepagesize:       2048 kB
Hugetlb:           20480 kB
`

test('allows the pages that the pool lacks, besides those that others allocated beyond it', (t) => {
  // 1 GiB is 512 pages; one byte more is another.
  t.is(ceilingFor(GIB, KNOWN), 512)
  t.is(ceilingFor(GIB + 1, KNOWN), 513)
  // 50 of 200 free ones are reserved: 150 are available.
  t.is(ceilingFor(GIB, { ...KNOWN, free: 200, reserved: 50 }), 362)
  t.is(ceilingFor(GIB, { ...KNOWN, surplus: 40 }), 552)
})

test('allows none where the pool has enough, memory is short, or pages are large or unknown', (t) => {
  t.is(ceilingFor(GIB, { ...KNOWN, free: 512 }), undefined)
  t.is(ceilingFor(GIB, { ...KNOWN, availableBytes: 2 * GIB - 1 }), undefined)
  t.is(ceilingFor(GIB, { ...KNOWN, availableBytes: 2 * GIB }), 512)
  t.is(ceilingFor(GIB, { ...KNOWN, pageBytes: 512 * MIB }), undefined)
  t.is(ceilingFor(GIB, { ...KNOWN, pageBytes: 0 }), undefined)
})

test("the kernel's own words are read", (t) => {
  t.deepEqual(parseMemory(MEMINFO), {
    pageBytes: 2 * MIB,
    free: 7,
    reserved: 2,
    surplus: 3,
    availableBytes: 20 * GIB,
  })
  t.is(parseMemory('MemTotal: 1 kB\n').pageBytes, 0)
})

/** Files as the kernel has them. */
async function kernelOf(
  t: ExecutionContext,
  { membership = '0::/\n', ...groups }: Readonly<Record<string, string>> = {},
) {
  const folder = await temporaryFolder(t)
  const proc = join(folder, 'proc')
  const cgroups = join(folder, 'cgroup')
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  write(join(proc, 'meminfo'), MEMINFO)
  write(join(proc, 'self/cgroup'), membership)
  write(join(proc, CEILING), '1\n')
  for (const [path, text] of Object.entries(groups)) write(join(cgroups, path), text)
  const ceiling = (): string => readFileSync(join(proc, CEILING), 'utf8')
  return { kernel: { lockPath: folder, proc, cgroups }, ceiling }
}

test('the ceiling is raised, and put back as it was', async (t) => {
  const { kernel, ceiling } = await kernelOf(t)
  const disallow = await allowHugePages(GIB, kernel)
  // 512, less the 5 that are free and not reserved, beyond the 3 that were allocated.
  t.is(ceiling(), '510')
  await disallow?.()
  t.is(ceiling(), '1')
})

test('makes a second start wait until the first has restored the ceiling', async (t) => {
  const { kernel, ceiling } = await kernelOf(t)
  const first = await allowHugePages(GIB, kernel)
  let hasSecond = false
  const second = allowHugePages(2 * GIB, kernel).then((disallow) => {
    hasSecond = true
    return disallow
  })
  // The next caller in the same process had time to proceed.
  const third = await lockFolder(kernel.lockPath)
  t.is(third, undefined)
  t.false(hasSecond)
  t.is(ceiling(), '510')
  await first?.()
  const disallow = await second
  t.is(ceiling(), '1022')
  await disallow?.()
  t.is(ceiling(), '1')
})

test('leaves a ceiling that another program has set meanwhile', async (t) => {
  const { kernel, ceiling } = await kernelOf(t)
  const disallow = await allowHugePages(GIB, kernel)
  writeFileSync(join(kernel.proc, CEILING), '4000\n')
  await disallow?.()
  t.is(ceiling(), '4000\n')
})

test('does not change a ceiling that is high enough', async (t) => {
  const { kernel, ceiling } = await kernelOf(t)
  writeFileSync(join(kernel.proc, CEILING), '510\n')
  const disallow = await allowHugePages(GIB, kernel)
  await disallow?.()
  t.is(ceiling(), '510\n')
})

test('allows none in a control group with a bound, or below one', async (t) => {
  const whileAllowed = async (files: Readonly<Record<string, string>>): Promise<string> => {
    const { kernel, ceiling } = await kernelOf(t, files)
    const disallow = await allowHugePages(GIB, kernel)
    const raised = ceiling()
    await disallow?.()
    return raised
  }
  const unbounded = { membership: '0::/a/b\n', 'a/b/hugetlb.2MB.max': 'max\n' }
  t.is(await whileAllowed({ ...unbounded, 'a/hugetlb.2MB.max': '0\n' }), '1\n')
  t.is(await whileAllowed({ membership: '5:memory:/\n3:hugetlb:/pod\n' }), '1\n')
  t.is(await whileAllowed(unbounded), '510')
})

test('changes no setting where the kernel lacks these files', async (t) => {
  const lockPath = await temporaryFolder(t)
  t.is(await allowHugePages(GIB, { lockPath, proc: join(lockPath, 'none') }), undefined)
})

const STARTS_MAX = 5
const isOurs = canSetCeiling('/proc')
const onKernel = isOurs ? test.serial : test.serial.skip
const only = isOurs ? '' : ' (skipped: this account may not set the ceiling of the kernel)'

onKernel(`a tuned PostgreSQL starts with huge pages, also after a kill${only}`, async (t) => {
  const { databaseUrl, servers } = await ownStack(t, { ...tuningOf(true) })
  const hasHugePages = async (): Promise<boolean> => {
    const db = connect(databaseUrl, { max: 1, applicationName: 'test' })
    try {
      const { rows } = await db.query<Record<string, string>>('show huge_pages_status')
      return rows[0]?.huge_pages_status === 'on'
    } finally {
      await db.end()
    }
  }
  const startAgain = async (): Promise<boolean> => {
    servers.postgres.kill('SIGKILL')
    await servers.postgres.start()
    return hasHugePages()
  }
  // Alongside other programs the kernel may find no contiguous memory at one moment, and PostgreSQL takes ordinary pages.
  let has = await hasHugePages()
  for (let starts = 1; !has && starts < STARTS_MAX; starts++) has = await startAgain()
  t.true(has)
  has = await startAgain()
  for (let starts = 1; !has && starts < STARTS_MAX; starts++) has = await startAgain()
  t.true(has, 'after a kill')
})
