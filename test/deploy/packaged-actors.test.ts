/** Each actor is packaged: as a Deployment and as a unit with a port of metrics of its own, in every command that names all workers. */
import test from 'ava'
import { ACTOR_NAMES } from '../../workers/actors.ts'
import { listFiles, readText } from '../support/sources.ts'

const KUBERNETES = 'deploy/kubernetes/base'
const UNITS = 'deploy/systemd'
const FILES = listFiles()
/** Documents with commands that operators copy. */
const DOCUMENTS = FILES.filter((path) => /^(?:deploy|docs)\/.*\.md$/.test(path)).filter(
  (path) => !/^docs\/(?:decisions|measurements)\//.test(path),
)

test('each actor has a Deployment, which the base lists', (t) => {
  const listed = readText(`${KUBERNETES}/kustomization.yaml`)
  const lacking = ACTOR_NAMES.filter(
    (actor) =>
      !FILES.includes(`${KUBERNETES}/worker-${actor}.yaml`) ||
      !listed.includes(`  - worker-${actor}.yaml\n`),
  )
  t.deepEqual(lacking, [])
  for (const actor of ACTOR_NAMES) {
    const manifest = readText(`${KUBERNETES}/worker-${actor}.yaml`)
    t.true(manifest.includes(`args: [worker, ${actor}]`), actor)
  }
})

test('each unit has a port of metrics of its own', (t) => {
  const portPaths = FILES.filter((path) => /^deploy\/systemd\/.+\.(?:conf|service)$/.test(path))
  const ports = portPaths.flatMap((path) => {
    const texts = readText(path).matchAll(/^Environment=METRICS_PORT=(\d+)$/gm)
    return Array.from(texts, ([, port]) => ({ path, port }))
  })
  const having = ports.map(({ path }) => path)
  const expected = ACTOR_NAMES.map(
    (actor) => `${UNITS}/swaptide-worker@${actor}.service.d/metrics.conf`,
  )
  t.deepEqual(
    expected.filter((path) => !having.includes(path)),
    [],
  )
  t.is(new Set(ports.map(({ port }) => port)).size, ports.length)
})

test('a command that names several workers names those of all actors', (t) => {
  const lines = DOCUMENTS.flatMap((path) =>
    readText(path)
      .split('\n')
      .map((text) => ({ path, workers: text.match(/(?<=\bworker[-@])[a-z]+/g) ?? [] })),
  ).filter(({ workers }) => workers.length > 1)
  t.true(lines.length > 3)
  for (const { path, workers } of lines) {
    t.deepEqual(workers.toSorted(), ACTOR_NAMES.toSorted(), path)
  }
})
