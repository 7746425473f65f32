// The audit of dependencies: reports that fail, exceptions and their expiry, and invalid reports.

import test from 'ava'
import { type Exception, judgeAudit } from '../check/advisories.ts'

const advisory = (name: string, severity: string, id: string) => ({
  name,
  severity,
  title: `${name} does what it should not`,
  url: `https://github.com/advisories/${id}`,
  range: '<2.0.0',
})
/** The report of npm: a package that is only affected through another one names that. */
const report = (...advisories: ReturnType<typeof advisory>[]): string =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: {
      ...Object.fromEntries(advisories.map((each) => [each.name, { via: [each] }])),
      above: { via: advisories.map(({ name }) => name) },
    },
  })
const GRAVE = report(
  advisory('left', 'high', 'GHSA-1111'),
  advisory('right', 'critical', 'GHSA-2222'),
  advisory('middle', 'moderate', 'GHSA-3333'),
)
const excepted = (advisory: string, until: string): Exception => ({ advisory, until, reason: 'r' })

test('fails once by name for each high or critical advisory, and not for a lesser one', (t) => {
  t.deepEqual(judgeAudit(GRAVE, [], '2026-11-21'), {
    kind: 'advised',
    advisories: [
      'high: left <2.0.0: left does what it should not (https://github.com/advisories/GHSA-1111)',
      'critical: right <2.0.0: right does what it should not (https://github.com/advisories/GHSA-2222)',
    ],
  })
  const moderate = report(advisory('middle', 'moderate', 'GHSA-3333'))
  t.deepEqual(judgeAudit(moderate, [], '2026-11-21'), { kind: 'clean', excepted: [] })
  t.deepEqual(judgeAudit(report(), [], '2026-11-21'), { kind: 'clean', excepted: [] })
})

test('an exception holds for its advisory and to the end of its last day', (t) => {
  const both = [excepted('GHSA-1111', '2026-12-31'), excepted('GHSA-2222', '2026-11-21')]
  const stored = judgeAudit(GRAVE, both, '2026-11-21')
  t.is(stored.kind, 'clean')
  t.is(stored.kind === 'clean' && stored.excepted.length, 2)
  const later = judgeAudit(GRAVE, both, '2026-11-22')
  t.is(later.kind === 'advised' && later.advisories.length, 1)
  t.regex(later.kind === 'advised' ? (later.advisories[0] ?? '') : '', /^critical: right/)
  // An id that only ends alike is another one.
  t.is(judgeAudit(GRAVE, [excepted('111', '2027-01-01')], '2026-11-21').kind, 'advised')
})

test('skips a registry that does not answer, with the message of npm', (t) => {
  const said = { message: 'request to the registry failed', error: { code: 'ENOTFOUND' } }
  const skipped = { kind: 'skipped', why: 'request to the registry failed' }
  t.deepEqual(judgeAudit(JSON.stringify(said), [], '2026-11-21'), skipped)
  for (const text of ['', 'npm error code E405', 'null', '[]', '{}']) {
    t.is(judgeAudit(text, [], '2026-11-21').kind, 'skipped', text)
  }
})
