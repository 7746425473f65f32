/** The version and the changelog of a release. */

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/
const UNRELEASED = '## [Unreleased]'

/**
 * Throws where `next` is no version that can follow `current`: the next patch, minor or major one, or `current` itself
 * where that was never released.
 */
export function checkNext(current: string, next: string, isReleased: boolean): void {
  const [, major, minor, patch] = VERSION.exec(current)?.map(Number) ?? []
  if (major === undefined || minor === undefined || patch === undefined)
    throw new Error(`the version of package.json is "${current}": expected MAJOR.MINOR.PATCH`)
  const followers = [
    ...(isReleased ? [] : [current]),
    `${major}.${minor}.${patch + 1}`,
    `${major}.${minor + 1}.0`,
    `${major + 1}.0.0`,
  ]
  if (!followers.includes(next))
    throw new Error(`"${next}" does not follow ${current}: expected ${followers.join(' or ')}`)
}

/** The version that a release takes where none is named: `current` where that was never released, else the next minor one. */
export function usualNext(current: string, isReleased: boolean): string {
  if (!isReleased) return current
  const [, major, minor] = VERSION.exec(current)?.map(Number) ?? []
  return `${major}.${(minor ?? 0) + 1}.0`
}

/** Whether the changelog has the version's changes already, also where it states that they were not released. */
export const hasSection = (text: string, version: string): boolean =>
  text.includes(`\n## [${version}]`)

/**
 * The changelog with the unreleased changes under the version and the day (YYYY-MM-DD). Throws where nothing is
 * unreleased, or where the version has a section.
 */
export function releasedChangelog(text: string, version: string, day: string): string {
  if (hasSection(text, version)) throw new Error(`CHANGELOG.md has a section "${version}" already`)
  const at = text.indexOf(UNRELEASED)
  if (at < 0) throw new Error(`CHANGELOG.md has no "${UNRELEASED}"`)
  const from = at + UNRELEASED.length
  const end = text.indexOf('\n## ', from)
  const entries = text.slice(from, end < 0 ? text.length : end)
  if (!/^- /m.test(entries)) throw new Error('CHANGELOG.md has no unreleased changes')
  return `${text.slice(0, from)}\n\n## [${version}] - ${day}${text.slice(from)}`
}
