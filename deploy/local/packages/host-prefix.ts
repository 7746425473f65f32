/** The prefix of the servers' programs for this host and account, built first where it is not there yet. */
import { defaultCacheDir, toolEnv } from '../host.ts'
import { ensurePrefix, type Prefix } from './prefix.ts'

type HostPrefixOptions = {
  /** Variables of the caller. */
  environment: Readonly<Record<string, string | undefined>>
  /** Absent: the account's cache folder. */
  cacheDir?: string | undefined
  debianMirror: string | undefined
  log: (line: string) => void
}

/** Rejects with StackUnavailable where the programs cannot be had. */
export function hostPrefix(options: HostPrefixOptions): Promise<Prefix> {
  const { environment, debianMirror, log } = options
  // Systems without such numbers are refused by ensurePrefix, with the reason.
  const uid = process.getuid?.() ?? -1
  const { platform, arch } = process
  const cacheDir = options.cacheDir ?? defaultCacheDir(uid, environment)
  return ensurePrefix({ cacheDir, debianMirror, env: toolEnv(environment), log, platform, arch })
}
