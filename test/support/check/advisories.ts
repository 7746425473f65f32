/**
 * Judges the report of `npm audit` on the locked dependencies. Pure: it sends no request to a registry.
 *
 * Law: a known advisory that is high or critical fails, by name, unless it is excepted with a reason and for
 * a time. An invalid report is no statement about the dependencies, and is skipped by name.
 */

/** An advisory that the project lives with until a day. */
export type Exception = {
  /** The identifier in the address: `GHSA-...`. */
  advisory: string
  reason: string
  /** YYYY-MM-DD, the last day. */
  until: string
}

export type Finding =
  | { kind: 'clean'; excepted: string[] }
  | { kind: 'advised'; advisories: string[] }
  | { kind: 'skipped'; why: string }

type Advisory = { name: string; severity: string; title: string; url: string; range: string }
type Report = {
  message?: string
  auditReportVersion?: number
  vulnerabilities?: Record<string, { via: (string | Advisory)[] }>
}

const GRAVE = new Set(['high', 'critical'])

/** `today` is YYYY-MM-DD. */
export function judgeAudit(text: string, exceptions: readonly Exception[], today: string): Finding {
  const report = reportOf(text)
  if (report?.vulnerabilities === undefined || report.auditReportVersion === undefined) {
    return { kind: 'skipped', why: report?.message ?? 'npm audit gave no report' }
  }
  const grave = new Map<string, Advisory>()
  for (const { via } of Object.values(report.vulnerabilities)) {
    for (const each of via) {
      // A text names another of these packages, which lists its advisories itself.
      if (typeof each !== 'string' && GRAVE.has(each.severity)) grave.set(each.url, each)
    }
  }
  const isExcepted = ({ url }: Advisory): boolean =>
    exceptions.some(({ advisory, until }) => url.endsWith(`/${advisory}`) && today <= until)
  const all = [...grave.values()]
  const advisories = all.filter((each) => !isExcepted(each)).map(wordingOf)
  if (advisories.length > 0) return { kind: 'advised', advisories }
  return { kind: 'clean', excepted: all.map(wordingOf) }
}

function reportOf(text: string): Report | undefined {
  try {
    return JSON.parse(text) as Report
  } catch {
    return undefined
  }
}

function wordingOf({ name, range, severity, title, url }: Advisory): string {
  return `${severity}: ${name} ${range}: ${title} (${url})`
}
