/** The units of deploy/systemd as values, and the part that a unit runs, with its drop-ins and environment files. */
import { globSync } from 'node:fs'
import { ROOT, readText } from '../sources.ts'
import type { PackagedPart } from './packaged-part.ts'

export const UNITS = 'deploy/systemd'
/** The project, as the units name it. */
export const INSTALLED_IN = '/opt/swaptide'
const FOLDERS = { StateDirectory: '/var/lib', CacheDirectory: '/var/cache' }
/** DynamicUser: any account that owns nothing. */
const ACCOUNT = { uid: 65_533, gid: 65_533 }

/** Contents by path of the environment files of a host. */
export type EnvironmentFiles = Readonly<Record<string, Readonly<Record<string, string>>>>
/** Values of each `Section.Key`, in order. */
type Unit = ReadonlyMap<string, readonly string[]>

export const unitFiles = (): string[] =>
  globSync(`${UNITS}/**/*.{service,target,conf}`, { cwd: ROOT }).toSorted()

/** The unit of a name such as `swaptide-worker@pool.service`, by its template and drop-ins. */
export function unitOf(name: string): Unit {
  const [, before = '', instance] = /^([^@]+@?)(.*)\.(?:service|target)$/.exec(name) ?? []
  const kind = name.slice(name.lastIndexOf('.'))
  const dropIns = unitFiles().filter((path) => path.startsWith(`${UNITS}/${name}.d/`))
  const unit = new Map<string, string[]>()
  for (const path of [`${UNITS}/${before}${kind}`, ...dropIns]) {
    let section = ''
    for (const line of readText(path).split('\n')) {
      const [, heading] = /^\[(\w+)\]$/.exec(line) ?? []
      const [, key, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
      if (heading !== undefined) section = heading
      else if (key !== undefined) {
        const values = unit.get(`${section}.${key}`) ?? []
        unit.set(`${section}.${key}`, [...values, value.replaceAll('%i', instance ?? '')])
      } else if (!/^(#.*)?$/.test(line)) throw new Error(`${path}: "${line}" is no assignment`)
    }
  }
  return unit
}

/** The part that a service runs. */
export function partOfUnit(name: string, files: EnvironmentFiles): PackagedPart {
  const unit = unitOf(name)
  const environment = environmentOf(unit, files)
  const ports = portsOf(environment)
  const probed = environment.PORT ?? environment.METRICS_PORT
  const paths = probed === undefined ? [] : ['/healthz', '/readyz']
  return {
    name,
    argv: one(unit, 'Service.ExecStart').split(' '),
    installedIn: INSTALLED_IN,
    environment,
    ports,
    volumes: Object.entries(FOLDERS).map(
      ([key, parent]) => `${parent}/${one(unit, `Service.${key}`)}`,
    ),
    account: ACCOUNT,
    probes: paths.map((path) => ({ kind: path, path, port: Number(probed) })),
    beforeStop: undefined,
    graceSeconds: Number(one(unit, 'Service.TimeoutStopSec')),
  }
}

export function one(unit: Unit, key: string): string {
  const values = unit.get(key) ?? []
  if (values.length !== 1) throw new Error(`${key}: expected one value, found ${values.length}`)
  return values[0] ?? ''
}

/** Merges as systemd does: variables of files override those of the unit, and a file may be absent where it has a dash. */
function environmentOf(unit: Unit, files: EnvironmentFiles): Record<string, string> {
  const own = (unit.get('Service.Environment') ?? []).map((line) => line.split(/=(.*)/s))
  const environment = Object.fromEntries(own.map(([name = '', value = '']) => [name, value]))
  for (const path of unit.get('Service.EnvironmentFile') ?? []) {
    const isOptional = path.startsWith('-')
    const found = files[isOptional ? path.slice(1) : path]
    if (found === undefined && !isOptional) throw new Error(`there is no "${path}"`)
    Object.assign(environment, found)
  }
  return environment
}

const portsOf = (environment: Record<string, string>): number[] =>
  Object.entries(environment).flatMap(([name, value]) =>
    /PORT$/.test(name) ? [Number(value)] : [],
  )
