/** The units for systemd: checked by its own tools where they exist, and run as processes on real servers. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { settingsOf } from '../../../deploy/config/settings.ts'
import { ACTOR_NAMES } from '../../../workers/actors.ts'

import { startRpcServer } from '../../support/chain/rpc-server.ts'
import { makeChain } from '../../support/chain/served-chain.ts'
import { runPart, startPart } from '../../support/deploy/packaged-part.ts'
import {
  type EnvironmentFiles,
  INSTALLED_IN,
  one,
  partOfUnit,
  UNITS,
  unitFiles,
  unitOf,
} from '../../support/deploy/units.ts'
import { ownStack, temporaryFolder } from '../../support/servers/servers.ts'
import { ROOT, readText } from '../../support/sources.ts'

const WORKERS = ACTOR_NAMES.map((actor) => `swaptide-worker@${actor}.service`)
const PARTS = ['swaptide-api.service', 'swaptide-jobs.service', ...WORKERS]
const SERVICES = [...PARTS, 'swaptide-source.service', 'swaptide-migrate.service']
/** On a scale of 100, on which systemd's own services have up to 96. */
const EXPOSURE_MAX = 20

const analyze = '/usr/bin/systemd-analyze'
const hasAnalyze = existsSync(analyze)
const withAnalyze = hasAnalyze ? test : test.skip
const suffix = hasAnalyze ? '' : ` (skipped: no "${analyze}")`
const run = promisify(execFile)

/** The units as a host has them, with the project where it is. */
async function hostUnits(t: ExecutionContext): Promise<string> {
  const folder = await temporaryFolder(t)
  for (const path of unitFiles()) {
    const target = join(folder, path.slice(UNITS.length + 1))
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, readText(path).replaceAll(INSTALLED_IN, ROOT.replace(/\/$/, '')))
  }
  return folder
}

withAnalyze(`systemd-analyze finds nothing to complain of${suffix}`, async (t) => {
  const folder = await hostUnits(t)
  for (const name of [...SERVICES, 'swaptide.target']) {
    const env = { PATH: '/usr/bin:/bin', SYSTEMD_UNIT_PATH: `${folder}:` }
    const { stdout, stderr } = await run(analyze, ['verify', '--man=no', join(folder, name)], {
      env,
    })
    t.is(stdout + stderr, '', name)
  }
  const spoiled = join(folder, 'spoiled.service')
  await writeFile(spoiled, '[Service]\nExecStart=/no/such/program\nProtectSystems=strict\n')
  const refused = await t.throwsAsync(run(analyze, ['verify', '--man=no', spoiled]))
  t.regex(String(refused), /no\/such\/program/)
})

withAnalyze(`systemd rates the exposure of each part as low${suffix}`, async (t) => {
  const folder = await hostUnits(t)
  for (const name of SERVICES) {
    const path = join(folder, name.replace(/@.*\./, '@.'))
    const options = ['security', '--offline=true', `--threshold=${EXPOSURE_MAX}`]
    await t.notThrowsAsync(run(analyze, [...options, path]), name)
  }
})

test('every unit is hardened alike, and its settings are those that its command reads', (t) => {
  for (const name of SERVICES) {
    const unit = unitOf(name)
    const hardening = {
      NoNewPrivileges: 'yes',
      ProtectSystem: 'strict',
      DynamicUser: 'yes',
      CapabilityBoundingSet: '',
      KillSignal: 'SIGTERM',
      WorkingDirectory: INSTALLED_IN,
    }
    for (const [key, value] of Object.entries(hardening))
      t.is(one(unit, `Service.${key}`), value, `${name} ${key}`)
    t.is(one(unit, 'Install.WantedBy'), 'swaptide.target', name)
    const [, command = ''] = one(unit, 'Service.ExecStart').split(' ')
    const known = settingsOf(command).map(([setting]) => setting as string)
    for (const line of unit.get('Service.Environment') ?? []) {
      const [setting = ''] = line.split('=')
      t.true([...known, 'NODE_COMPILE_CACHE'].includes(setting), `${name} does not read ${setting}`)
    }
  }
})

test('no two units listen on one port', (t) => {
  const files = { '/etc/swaptide/swaptide.env': {} }
  const ports = SERVICES.flatMap((name) => partOfUnit(name, files).ports)
  t.is(ports.length, SERVICES.length + 1, 'each but the migration one of metrics, the API two more')
  t.is(new Set(ports).size, ports.length)
  for (const port of ports) t.true(readText(`${UNITS}/README.md`).includes(String(port)))
})

async function environmentFiles(
  t: ExecutionContext,
  source: Record<string, string> = {},
): Promise<EnvironmentFiles> {
  const { databaseUrl, natsUrl, redisUrl } = await ownStack(t)
  return {
    '/etc/swaptide/swaptide.env': {
      DATABASE_URL: databaseUrl,
      NATS_URL: natsUrl,
      REDIS_URL: redisUrl,
    },
    '/etc/swaptide/api.env': { ADMIN_TOKEN: 'an-operator-token-of-a-test' },
    '/etc/swaptide/source.env': source,
  }
}

test('every unit starts by its command and environment, answers probes and stops in time', async (t) => {
  const files = await environmentFiles(t)
  const migration = await runPart(t, partOfUnit('swaptide-migrate.service', files))
  t.is(migration.code, 0, migration.output)
  const running = await Promise.all(
    PARTS.map(async (name) => {
      const packaged = partOfUnit(name, files)
      return { packaged, run: await startPart(t, packaged) }
    }),
  )
  for (const { packaged, run } of running) {
    t.is(packaged.probes.length, 2)
    await run.untilReady()
  }
  for (const { packaged, run } of running) {
    const { code, signal, seconds } = await run.stop()
    t.is(code, 0, `${packaged.name} ${signal} ${run.output()}`)
    t.true(seconds < packaged.graceSeconds, `${packaged.name} took ${seconds} s`)
  }
})

test('the unit of the source starts and stops in time', async (t) => {
  const server = await startRpcServer(makeChain({ slots: 5, transactions: 5, skipShare: 0 }))
  t.teardown(() => server.stop())
  const files = await environmentFiles(t, { SOURCE_RPC_URL: server.url })
  const migration = await runPart(t, partOfUnit('swaptide-migrate.service', files))
  t.is(migration.code, 0, migration.output)
  const packaged = partOfUnit('swaptide-source.service', files)
  const run = await startPart(t, packaged)
  await run.untilReady()
  const { code, seconds } = await run.stop()
  t.is(code, 0, run.output())
  t.true(seconds < packaged.graceSeconds)
})
