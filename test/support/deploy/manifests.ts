/**
 * The manifests of deploy/kubernetes as values: documents by file, and the part that the container of a pod runs, with
 * what the Dockerfile fixes (command, folder) and what ConfigMaps and Secrets give it.
 */
import { readdirSync } from 'node:fs'
import { parseYaml } from '@redocly/openapi-core'
import type { ConfigMap, Container, EnvVar, PodTemplateSpec } from 'kubernetes-types/core/v1.d.ts'
import type { ObjectMeta } from 'kubernetes-types/meta/v1.d.ts'
import { readText } from '../sources.ts'
import { dockerfile } from './dockerfile.ts'
import type { PackagedPart, Probe } from './packaged-part.ts'

export const MANIFESTS = 'deploy/kubernetes'
export const FOLDERS = ['base', 'source', 'servers']

export type Manifest = {
  file: string
  apiVersion: string
  kind: string
  metadata: ObjectMeta & { name: string }
  [field: string]: unknown
}
type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>
/** Deployment, StatefulSet or Job. */
type Workload = Manifest & {
  spec: {
    template: PodTemplateSpec
    selector?: { matchLabels: Record<string, string> }
  }
}

export const filesOf = (folder: string): string[] =>
  readdirSync(new URL(`../../../${MANIFESTS}/${folder}`, import.meta.url))
    .filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
    .toSorted()

export function kustomizationOf(folder: string): Record<string, unknown> {
  return parseYaml(readText(`${MANIFESTS}/${folder}/kustomization.yaml`)) as Record<string, unknown>
}

/** Every document of the files. */
export function manifestsOf(...folders: readonly string[]): Manifest[] {
  return folders.flatMap((folder) =>
    filesOf(folder).flatMap((name) =>
      readText(`${MANIFESTS}/${folder}/${name}`)
        .split(/^---$/m)
        .map((text) => ({ ...(parseYaml(text) as Manifest), file: `${folder}/${name}` })),
    ),
  )
}

export const workloadsOf = (manifests: readonly Manifest[]): Workload[] =>
  manifests.filter(({ kind }) => /^(Deployment|StatefulSet|Job)$/.test(kind)) as Workload[]

/** The part that a workload of the image of Swaptide runs. */
export function partOf(workload: Workload, manifests: readonly Manifest[], secrets: Secrets) {
  const { spec } = workload.spec.template
  const [container] = spec?.containers ?? []
  if (spec === undefined || container === undefined) throw new Error(`${workload.file}: no pod`)
  const image = dockerfile()
  const { runAsUser: uid = 0, runAsGroup: gid = 0 } = spec.securityContext ?? {}
  const scratch = (spec.volumes ?? []).filter(({ emptyDir }) => emptyDir).map(({ name }) => name)
  const part: PackagedPart = {
    name: workload.metadata.name,
    argv: [...(container.command ?? image.entryPoint), ...(container.args ?? image.arguments)],
    installedIn: image.folder,
    environment: environmentOf(container, manifests, secrets),
    ports: (container.ports ?? []).map(({ containerPort }) => containerPort),
    volumes: (container.volumeMounts ?? [])
      .filter(({ name }) => scratch.includes(name))
      .map(({ mountPath }) => mountPath),
    account: { uid, gid },
    probes: probesOf(container),
    beforeStop: container.lifecycle?.preStop?.exec?.command,
    graceSeconds: spec.terminationGracePeriodSeconds ?? 30,
  }
  return part
}

function probesOf(container: Container): Probe[] {
  const { startupProbe: startup, livenessProbe: liveness, readinessProbe: readiness } = container
  return Object.entries({ startup, liveness, readiness }).flatMap(([kind, probe]) => {
    const { path = '/', port } = probe?.httpGet ?? {}
    if (port === undefined) return []
    const named = container.ports?.find(({ name }) => name === port)?.containerPort
    return [{ kind, path, port: named ?? Number(port) }]
  })
}

function environmentOf(
  container: Container,
  manifests: readonly Manifest[],
  secrets: Secrets,
): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const { configMapRef } of container.envFrom ?? []) {
    const found = manifests.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef?.name,
    )
    if (found === undefined) throw new Error(`there is no ConfigMap "${configMapRef?.name}"`)
    Object.assign(environment, (found as Manifest & ConfigMap).data)
  }
  for (const variable of container.env ?? []) {
    const value = variableOf(variable, secrets)
    if (value !== undefined) environment[variable.name] = value
  }
  return environment
}

function variableOf({ value, valueFrom, name }: EnvVar, secrets: Secrets): string | undefined {
  if (value !== undefined) return value
  const { name: secret = '', key = '', optional } = valueFrom?.secretKeyRef ?? {}
  const found = secrets[secret]?.[key]
  if (found === undefined && optional !== true)
    throw new Error(`${name} needs key "${key}" of the Secret "${secret}"`)
  return found
}
