/**
 * The manifests as texts: each document has the fields and types of Kubernetes 1.30, names refer to what exists, settings are
 * those that the part reads, and pods have no privilege. The compiler checks the schema: it refuses an unknown field of a literal.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.d.ts'
import type { ConfigMap, Service } from 'kubernetes-types/core/v1.d.ts'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts'
import { settingsOf } from '../../../deploy/config/settings.ts'
import {
  FOLDERS,
  filesOf,
  kustomizationOf,
  MANIFESTS,
  type Manifest,
  manifestsOf,
  workloadsOf,
} from '../../support/deploy/manifests.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'
import { ROOT, readText } from '../../support/sources.ts'

const ALL = manifestsOf(...FOLDERS)
/** Kinds of operators, which the types of Kubernetes do not contain. */
const OF_OPERATORS = ['postgresql.cnpg.io/v1 Cluster']
const run = promisify(execFile)

/** The compiler's errors over the documents as literals of their types. */
async function schemaErrors(t: ExecutionContext, manifests: readonly Manifest[]): Promise<string> {
  const types = join(ROOT, 'node_modules/kubernetes-types')
  const lines = manifests.map(({ file: _, ...document }, at) => {
    const [version = '', group = 'core'] = document.apiVersion.split('/').toReversed()
    const module = join(types, group, `${version}.d.ts`)
    return `export const d${at}: import('${module}').${document.kind} = ${JSON.stringify(document)}`
  })
  const file = join(await temporaryFolder(t), 'manifests.ts')
  await writeFile(file, lines.join('\n'))
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--skipLibCheck',
  ]
  const program = [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, file]
  return run(process.execPath, [...program, '--module', 'nodenext']).then(
    () => '',
    ({ stdout }) => stdout,
  )
}

const ofKubernetes = ALL.filter((each) => !OF_OPERATORS.includes(`${each.apiVersion} ${each.kind}`))

test('every document has the fields and types of its kind', async (t) => {
  t.true(ofKubernetes.length > 25)
  t.is(ALL.length - ofKubernetes.length, OF_OPERATORS.length)
  t.is(await schemaErrors(t, ofKubernetes), '')
})

const SPOILED: [from: string, to: string][] = [
  ['"maxSurge":1', '"maxSurges":1'],
  ['"containerPort":9464', '"containerPort":"9464"'],
  ['"runAsNonRoot":true', '"runAsNonRoot":"yes"'],
  ['"selector":{"matchLabels"', '"selectors":{"matchLabels"'],
]

test('a field that its kind does not have, or another type, is refused', async (t) => {
  for (const [from, to] of SPOILED) {
    const worker = JSON.stringify(workloadsOf(manifestsOf('base')).at(-1))
    t.true(worker.includes(from), from)
    const spoiled = JSON.parse(worker.replace(from, to)) as Manifest
    t.regex(await schemaErrors(t, [spoiled]), /error TS2/, to)
  }
})

test('each kustomization lists the files of its folder', (t) => {
  for (const folder of FOLDERS) {
    const { resources } = kustomizationOf(folder)
    t.deepEqual((resources as string[]).toSorted(), filesOf(folder), folder)
  }
  const { version } = JSON.parse(readText('package.json'))
  for (const folder of ['base', 'source'])
    t.deepEqual(kustomizationOf(folder).images, [{ name: 'swaptide', newTag: version }])
})

const kubectl = '/usr/bin/kubectl'
const withKubectl = existsSync(kubectl) ? test : test.skip
const suffix = existsSync(kubectl) ? '' : ` (skipped: no "${kubectl}")`

withKubectl(`kubectl builds base, servers and an overlay with the source${suffix}`, async (t) => {
  for (const folder of ['base', 'servers']) {
    const { stdout } = await run(kubectl, ['kustomize', join(ROOT, MANIFESTS, folder)])
    t.is(stdout.match(/^kind: /gm)?.length, manifestsOf(folder).length, folder)
  }
  const overlay = join(await temporaryFolder(t), 'overlay')
  await run('mkdir', [overlay])
  await run('cp', ['-r', join(ROOT, MANIFESTS), join(overlay, 'swaptide')])
  const wanted = 'resources: [swaptide/base]\ncomponents: [swaptide/source]\n'
  await writeFile(join(overlay, 'kustomization.yaml'), wanted)
  const { stdout } = await run(kubectl, ['kustomize', overlay])
  t.regex(stdout, /name: source\n {2}namespace: swaptide/)
  t.notRegex(stdout, /image: swaptide$/m)
})

test('settings of each part are those that its command reads, and Secrets are in the README', (t) => {
  const readme = readText(`${MANIFESTS}/README.md`)
  for (const { metadata, spec } of workloadsOf(manifestsOf('base', 'source'))) {
    const [container] = spec.template.spec?.containers ?? []
    const known = settingsOf(container?.args?.[0] ?? '').map(([name]) => name as string)
    for (const { name, valueFrom } of container?.env ?? []) {
      t.true(known.includes(name), `${metadata.name} does not read ${name}`)
      t.true(valueFrom?.secretKeyRef !== undefined, `${name} is no Secret`)
      t.true(readme.includes(`generic ${valueFrom?.secretKeyRef?.name} `))
      t.true(readme.includes(name), name)
    }
  }
})

test('pods run without privilege, on a root that they cannot write, with bounds', (t) => {
  for (const { file, spec } of workloadsOf(ALL)) {
    const pod = spec.template.spec
    t.is(pod?.securityContext?.runAsNonRoot, true, file)
    t.is(pod?.securityContext?.seccompProfile?.type, 'RuntimeDefault', file)
    t.is(pod?.automountServiceAccountToken, false, file)
    for (const { securityContext, resources, image } of pod?.containers ?? []) {
      t.deepEqual(securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      t.truthy(resources?.requests?.cpu, file)
      t.truthy(resources?.requests?.memory, file)
      t.truthy(resources?.limits?.memory, file)
      // The account "node" of the image.
      if (image === 'swaptide') t.is(pod?.securityContext?.runAsUser, 1000)
    }
  }
})

const includesAll = (labels: object, wanted: object): boolean =>
  Object.entries(wanted).every(([name, value]) => labels[name as keyof typeof labels] === value)

test('selectors, ports and targets of scaling name what exists', (t) => {
  const workloads = workloadsOf(ALL)
  const podLabels = ({ spec }: (typeof workloads)[number]): object =>
    spec.template.metadata?.labels ?? {}
  const selectedBy = (wanted: object) =>
    workloads.filter((each) => includesAll(podLabels(each), wanted))
  for (const { file, spec } of workloads) {
    const wanted = spec.selector?.matchLabels
    if (wanted !== undefined) t.is(selectedBy(wanted).length, 1, file)
  }
  const ofKind = <Kind>(name: string): Kind[] => ALL.filter(({ kind }) => kind === name) as Kind[]
  for (const { metadata, spec } of ofKind<PodDisruptionBudget>('PodDisruptionBudget')) {
    t.is(selectedBy(spec?.selector?.matchLabels ?? {}).length, 1, metadata?.name)
  }
  for (const { metadata, spec } of ofKind<Service>('Service')) {
    const [workload, ...others] = selectedBy(spec?.selector ?? {})
    t.is(others.length, 0)
    const ports = workload?.spec.template.spec?.containers.flatMap((each) => each.ports ?? [])
    for (const { targetPort, port } of spec?.ports ?? []) {
      const found = ports?.find(({ name }) => name === targetPort)
      t.is(found?.containerPort, port, `${metadata?.name} ${targetPort}`)
    }
  }
  const settings = ofKind<ConfigMap>('ConfigMap').find(
    ({ metadata }) => metadata?.name === 'swaptide',
  )
  const lanes = Number(settings?.data?.LANES)
  for (const { spec } of ofKind<HorizontalPodAutoscaler>('HorizontalPodAutoscaler')) {
    const { name, kind } = spec?.scaleTargetRef ?? { name: '', kind: '' }
    t.true(
      workloads.some((each) => each.kind === kind && each.metadata.name === name),
      name,
    )
    if (name.startsWith('worker-')) t.is(spec?.maxReplicas, lanes, name)
  }
})
