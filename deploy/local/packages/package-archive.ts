/** Debian packages as the embedded stack needs them, by the host's apt (apt.ts) or from a mirror (archive/mirror.ts). */

export type PackageArchive = {
  /**
   * Fetches the archive's lists. Resolves with what could not be read where the rest may suffice, and rejects where lists are
   * not proven by Debian's keys.
   */
  update(): Promise<string | undefined>
  /** The packages' direct dependencies by name, for all that can be reached from the roots. */
  dependencies(roots: readonly string[]): Promise<Map<string, string[]>>
  /** The files that would be downloaded, and their size in bytes. */
  plan(names: readonly string[]): Promise<{ files: string[]; bytes: number }>
  /** Fetches the packages' files into the folder, checked against the signed lists. */
  download(names: readonly string[], folder: string): Promise<void>
}
