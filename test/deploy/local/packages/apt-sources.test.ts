// The host's apt sources, in both formats and of several systems, and their translation.

import test from 'ava'
import {
  parseDeb822,
  parseOneLine,
  sourcesFromHost,
} from '../../../../deploy/local/packages/apt-sources.ts'

test('deb822 entries of Debian 12 retain mirror and keys, and become Debian 13', (t) => {
  const host = `# comment
Types: deb deb-src
URIs: http://mirror.test/debian
Suites: bookworm bookworm-updates bookworm-backports
Components: main contrib
Architectures: amd64
Signed-By: /keys/debian.gpg

Types: deb
URIs: http://mirror.test/debian-security
Suites: bookworm-security
# a comment within a stanza
Components: main
Check-Valid-Until: no
`
  t.is(
    sourcesFromHost(parseDeb822(host)),
    `Types: deb
URIs: http://mirror.test/debian
Suites: trixie trixie-updates
Components: main
Signed-By: /keys/debian.gpg

Types: deb
URIs: http://mirror.test/debian-security
Suites: trixie-security
Components: main
Check-Valid-Until: no
`,
  )
})

test('one-line entries give the same, options in brackets and comments read', (t) => {
  const host = `
# deb http://old.test/debian bookworm main
deb [arch=amd64 signed-by=/keys/debian.gpg trusted=yes] http://mirror.test/debian bookworm main # here
deb-src http://mirror.test/debian bookworm main
deb http://mirror.test/debian bookworm-updates main contrib non-free
deb http://mirror.test/debian-security/ bookworm-security main
`
  t.is(
    sourcesFromHost(parseOneLine(host)),
    `Types: deb
URIs: http://mirror.test/debian
Suites: trixie
Components: main
Signed-By: /keys/debian.gpg

Types: deb
URIs: http://mirror.test/debian
Suites: trixie-updates
Components: main

Types: deb
URIs: http://mirror.test/debian-security/
Suites: trixie-security
Components: main
`,
  )
})

test('the suites of every Debian release are read, and repeated entries written once', (t) => {
  const suites = ['buster', 'stable', 'sid', 'trixie', 'buster/updates', 'oldstable-security']
  const host = suites.map((suite) => `deb http://mirror.test/d ${suite} main`).join('\n')
  const sources = sourcesFromHost(parseOneLine(host))
  t.deepEqual(sources?.match(/^Suites: .*$/gm), ['Suites: trixie', 'Suites: trixie-security'])
})

test('a key written into the sources stays whole', (t) => {
  const host = `Types: deb
URIs: http://mirror.test/debian
Suites: bookworm
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 mQINBF
 -----END PGP PUBLIC KEY BLOCK-----
`
  t.true(
    sourcesFromHost(parseDeb822(host))?.endsWith(
      `Signed-By: 
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 mQINBF
 -----END PGP PUBLIC KEY BLOCK-----
`,
    ),
  )
})

const NOT_DEBIAN: [string, string][] = [
  ['Ubuntu', 'deb http://ubuntu.test/ubuntu noble main universe'],
  ['Ubuntu with its security', 'deb http://ubuntu.test/ubuntu noble-security main'],
  ['a vendor with a suite of its own', 'deb http://vendor.test/apt sdk-bookworm main'],
  ['a vendor with components of its own', 'deb http://vendor.test/debian bookworm stable'],
  ['the security archive only', 'deb http://mirror.test/debian-security bookworm-security main'],
  ['backports only', 'deb http://mirror.test/debian bookworm-backports main'],
  ['nothing', ''],
]
for (const [name, host] of NOT_DEBIAN) {
  test(`finds no source of Debian 13 in ${name}`, (t) => {
    t.is(sourcesFromHost(parseOneLine(host)), undefined)
  })
}

test('an entry that is switched off is not used', (t) => {
  const host = `Enabled: no
Types: deb
URIs: http://mirror.test/debian
Suites: bookworm
Components: main
`
  t.is(sourcesFromHost(parseDeb822(host)), undefined)
  t.not(sourcesFromHost(parseDeb822(host.replace('no', 'yes'))), undefined)
})
