/** `Packages` files: fields, alternatives, several versions, and stanzas that cannot be used. */
import test from 'ava'
import {
  mergeIndexes,
  parsePackages,
} from '../../../../../deploy/local/packages/archive/package-index.ts'

const HASH = 'ab'.repeat(32)
const stanza = (fields: Record<string, string>): string => {
  const all = { Package: 'a', Version: '1', Filename: 'pool/a.deb', Size: '7', SHA256: HASH }
  return Object.entries({ ...all, ...fields })
    .filter(([, value]) => value !== '-')
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

test('reads dependencies with all alternatives, without versions and architectures', (t) => {
  const depends = { 'Pre-Depends': 'libc6 (>= 2.38)', Depends: 'b (= 1) | c:any, debconf-2.0' }
  const index = parsePackages(`${stanza(depends)}\n\n${stanza({ Package: 'b' })}\n`)
  t.deepEqual([...index.keys()], ['a', 'b'])
  t.deepEqual(index.get('a'), {
    ...{ version: '1', path: 'pool/a.deb', size: 7, sha256: HASH },
    dependencies: ['libc6', 'b', 'c', 'debconf-2.0'],
  })
})

test('the newest version counts, within a list and among lists', (t) => {
  const of = (version: string) => parsePackages(stanza({ Version: version }))
  const both = [stanza({ Version: '1.10' }), stanza({ Version: '1.9' })].join('\n\n')
  t.is(parsePackages(both).get('a')?.version, '1.10')
  t.is(mergeIndexes([of('1.9'), of('1.10'), of('1.2')]).get('a')?.version, '1.10')
})

const BROKEN: Record<string, [fields: Record<string, string>, message: RegExp]> = {
  'no version': [{ Version: '-' }, /"a" has no Version/],
  'no hash': [{ SHA256: '-' }, /"a" has no SHA256/],
  'a hash of another kind': [{ SHA256: 'abc' }, /"a" has a broken SHA256/],
  'a size that is no number': [{ Size: '7 MB' }, /"a" has the size "7 MB"/],
  'a path that leaves the archive': [{ Filename: 'pool/../../x.deb' }, /"a" has the path/],
  'an absolute path': [{ Filename: '/etc/x.deb' }, /"a" has the path/],
}
for (const [name, [fields, message]] of Object.entries(BROKEN)) {
  test(`refuses ${name}`, (t) => {
    t.throws(() => parsePackages(stanza(fields)), { message })
  })
}
