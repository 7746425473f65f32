/** The settings for Prometheus as they are shipped: checked by its own tools, and run over a running `up`. */

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseYaml } from '@redocly/openapi-core'
import test, { type ExecutionContext } from 'ava'
import { runCommand } from '../../deploy/local/command.ts'
import { LOOPBACK } from '../../deploy/local/ports.ts'
import { holdsWithin } from '../../deploy/local/waiting.ts'
import { listTargets, TARGETS_FILE } from '../../deploy/processes/metrics-targets.ts'
import { homeSettings, startUp } from '../support/deploy/started-up.ts'
import { findPrometheus } from '../support/servers/debian/prometheus.ts'
import { ownPort } from '../support/servers/own-port.ts'
import { temporaryFolder } from '../support/servers/servers.ts'
import { ROOT, readText } from '../support/sources.ts'

/** The processes of `up`. */
const PARTS = ['api', 'jobs', 'worker']

const FILES = ['prometheus.yaml', 'prometheus-alerts.yaml']
const RULE_TESTS = 'test/deploy/prometheus-alerts-test.yaml'
const BOUND_MS = 120_000

const found = await findPrometheus()
const programs = typeof found === 'string' ? { prometheus: '', promtool: '' } : found
const withPrograms = typeof found === 'string' ? test.skip : test
const suffix = typeof found === 'string' ? ` (skipped: no Prometheus: ${found})` : ''
const env = { PATH: '/usr/bin:/bin' }

/** A project folder that holds only the shipped files. */
async function projectFolder(t: ExecutionContext): Promise<string> {
  const project = await temporaryFolder(t)
  await mkdir(join(project, 'deploy'))
  for (const name of FILES) {
    await copyFile(join(ROOT, 'deploy', name), join(project, 'deploy', name))
  }
  return project
}

withPrograms(`promtool finds nothing to complain of in prometheus.yaml${suffix}`, async (t) => {
  const project = await projectFolder(t)
  const home = join(project, '.swaptide')
  await mkdir(home)
  const targets = listTargets({ home, metricsHost: LOOPBACK })
  targets.set('api', 9_464)
  t.true(await holdsWithin(BOUND_MS, () => existsSync(join(home, TARGETS_FILE))))
  const config = join(project, 'deploy/prometheus.yaml')
  const said = await runCommand(programs.promtool, ['check', 'config', '--lint=all', config], {
    env,
  })
  t.notRegex(said, /WARN|FAIL|error/i)
  t.regex(said, /SUCCESS: \d\d rules found/)
})

withPrograms(`each alert fires when it should, and then alone${suffix}`, async (t) => {
  const said = await runCommand(programs.promtool, ['test', 'rules', RULE_TESTS], {
    env,
    cwd: ROOT,
  })
  t.regex(said, /SUCCESS/)
})

type Rule = { alert: string; labels: { severity: string }; annotations: Record<string, string> }
type RuleFile = Record<'groups', Record<'rules', Rule[]>[]>
type RuleTests = Record<
  'tests',
  { promql_expr_test: Record<'exp_samples', { labels: string }[]>[] }[]
>

test('every alert describes the problem and its remedy, and has a case in which it fires and a section', (t) => {
  const { groups } = parseYaml(readText('deploy/prometheus-alerts.yaml')) as RuleFile
  const rules = groups.flatMap((group) => group.rules)
  for (const { alert, labels, annotations } of rules) {
    t.regex(labels.severity, /^(page|ticket)$/, alert)
    for (const text of [annotations.summary, annotations.description]) t.truthy(text, alert)
  }
  const sections = readText('docs/operations/alerts.md').matchAll(/^## (\w+)$/gm)
  t.deepEqual(
    Array.from(sections, ([, alert]) => alert),
    rules.map(({ alert }) => alert),
  )
  const { tests } = parseYaml(readText(RULE_TESTS)) as RuleTests
  const samples = tests.flatMap((each) =>
    each.promql_expr_test.flatMap(({ exp_samples }) => exp_samples),
  )
  const fired = samples.map(({ labels }) => /"(\w+)"/.exec(labels)?.[1])
  t.deepEqual(fired.toSorted(), rules.map(({ alert }) => alert).toSorted())
})

type Target = { health: string; labels: Record<string, string>; lastError: string }

withPrograms(`Prometheus sees every process of up, and no alert fires${suffix}`, async (t) => {
  const project = await projectFolder(t)
  const settings = { ...(await homeSettings(t)), SWAPTIDE_HOME: join(project, '.swaptide') }
  await startUp(t, settings, ['--past', '0'])
  const url = await startPrometheus(t, project)
  const request = async <Answer>(path: string): Promise<Answer> =>
    ((await (await fetch(`${url}/api/v1/${path}`)).json()) as Record<'data', Answer>).data
  let targets: Target[] = []
  const areUp = await holdsWithin(BOUND_MS, async () => {
    targets = (await request<Record<'activeTargets', Target[]>>('targets')).activeTargets
    return targets.length === PARTS.length && targets.every(({ health }) => health === 'up')
  })
  t.true(areUp, JSON.stringify(targets))
  t.deepEqual(targets.map(({ labels }) => labels.part).toSorted(), PARTS)
  type State = { name: string; health: string; state: string; lastError?: string }
  let rules: State[] = []
  await holdsWithin(BOUND_MS, async () => {
    const { groups } = await request<Record<'groups', Record<'rules', State[]>[]>>('rules')
    rules = groups.flatMap((group) => group.rules)
    return rules.length > 0 && rules.every(({ health }) => health === 'ok')
  })
  t.deepEqual(
    rules.filter(({ health, state }) => health !== 'ok' || state === 'firing'),
    [],
  )
  const value = async (expression: string): Promise<number | undefined> => {
    const query = new URLSearchParams({ query: expression })
    const { result } = await request<Record<'result', { value: [number, string] }[]>>(
      `query?${query}`,
    )
    return result[0] === undefined ? undefined : Number(result[0].value[1])
  }
  t.is(await value('swaptide_api_ready'), 1)
  const share = (await value('swaptide_disk_free_bytes / swaptide_disk_size_bytes')) ?? 0
  t.true(share > 0 && share < 1, String(share))
  // A label of a metric that is one of the target's is stored under another name, which no rule uses.
  t.is(
    await value('count({exported_job!=""} or {exported_part!=""} or {exported_instance!=""})'),
    undefined,
  )
})

async function startPrometheus(t: ExecutionContext, project: string): Promise<string> {
  const port = await ownPort()
  const args = [
    `--config.file=${join(project, 'deploy/prometheus.yaml')}`,
    `--storage.tsdb.path=${join(project, 'series')}`,
    `--web.listen-address=${LOOPBACK}:${port}`,
  ]
  const child = spawn(programs.prometheus, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: project,
  })
  let said = ''
  child.stderr.on('data', (piece) => {
    said += piece
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  t.teardown(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const url = `http://${LOOPBACK}:${port}`
  const isUp = (): Promise<boolean> =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  if (!(await holdsWithin(BOUND_MS, isUp))) throw new Error(`Prometheus does not start: ${said}`)
  return url
}
