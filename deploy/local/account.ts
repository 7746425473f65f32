// The account that the servers run as. PostgreSQL refuses root, so root's servers run as a uid that no other
// program of the host has: files and memory of "nobody" are open to every daemon that shares it. An ordinary user's
// servers run as that user. Every server is started through setpriv (util-linux), which also
// makes the kernel signal the server when Swaptide dies, by kill -9 too.

import { chmod, chown, lchown, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The account to drop to, or undefined where the present one does. */
export type Account = { uid: number; gid: number } | undefined

/**
 * Debian's policy assigns the range 65000 to 65533 to no account, and systemd's dynamic users end at 65519. Above 65535
 * a container may have no uids at all.
 */
export const UNPRIVILEGED = { uid: 65_533, gid: 65_533 }

export function serverAccount(uid: number): Account {
  return uid === 0 ? UNPRIVILEGED : undefined
}

/** Gives files that Swaptide wrote to the servers' account. */
export async function give(account: Account, ...paths: readonly string[]): Promise<void> {
  if (account === undefined) return
  for (const path of paths) await chown(path, account.uid, account.gid)
}

/**
 * Gives a server's folder with all that is in it to the account, where an earlier version ran the server as another
 * one. The folder itself comes last: after a kill in the middle the next start does it again.
 */
export async function giveTree(account: Account, folder: string): Promise<void> {
  if (account === undefined) return
  const found = await stat(folder).catch(() => undefined)
  if (found === undefined || found.uid === account.uid) return
  for (const entry of await readdir(folder, { recursive: true })) {
    await lchown(join(folder, entry), account.uid, account.gid)
  }
  await chown(folder, account.uid, account.gid)
}

/** The arguments of setpriv ahead of a program: unprivileged, and ended with its parent. */
export function unprivileged(account: Account, deathSignal?: NodeJS.Signals): string[] {
  const drop =
    account === undefined
      ? []
      : [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups']
  // setpriv takes the names without "SIG"; without a requested signal, none is set.
  const death = deathSignal === undefined ? [] : [`--pdeathsig=${deathSignal.slice(3)}`]
  return [...drop, ...death, '--no-new-privs', '--']
}

/** A folder that is open to the account only, whatever mode an earlier start or the shell's umask left. */
export async function privateFolder(folder: string, account: Account): Promise<void> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o700)
  await give(account, folder)
}

/** The same of a file with a secret. It is made again each time, so that no link put in its place is followed. */
export async function privateFile(path: string, text: string, account: Account): Promise<void> {
  await rm(path, { force: true })
  await writeFile(path, text, { mode: 0o600, flag: 'wx' })
  await give(account, path)
}
