// Who the servers run as. PostgreSQL refuses root, so root's servers are given to the host's
// unprivileged "nobody"; an ordinary user's servers are that user's own. Every server is started
// through setpriv (util-linux, part of every Debian), which also asks the kernel to signal the
// server when Swaptide dies, by kill -9 too.

import { chown } from 'node:fs/promises'

/** The account to drop to, or undefined where the present one does. */
export type Account = { uid: number; gid: number } | undefined

const NOBODY = { uid: 65534, gid: 65534 }

export function serverAccount(uid: number): Account {
  return uid === 0 ? NOBODY : undefined
}

/** Gives files that Swaptide wrote to the servers' account. */
export async function give(account: Account, ...paths: readonly string[]): Promise<void> {
  if (account === undefined) return
  for (const path of paths) await chown(path, account.uid, account.gid)
}

/** The arguments of setpriv ahead of a program: unprivileged, and ended with its parent. */
export function unprivileged(account: Account, deathSignal?: NodeJS.Signals): string[] {
  const drop =
    account === undefined
      ? []
      : [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups']
  // setpriv takes the names without "SIG"; without a signal asked for, nothing is kept set.
  const death = deathSignal === undefined ? [] : [`--pdeathsig=${deathSignal.slice(3)}`]
  return [...drop, ...death, '--no-new-privs', '--']
}
