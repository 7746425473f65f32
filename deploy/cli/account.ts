/** Name of the account that runs a command, as the audit records it. */
import { userInfo } from 'node:os'

/** A uid without a name is valid, as in a container that runs under an arbitrary uid. */
export function accountName(lookUp: () => { username: string }, uid: number | undefined): string {
  try {
    return lookUp().username
  } catch {
    return `uid:${uid}`
  }
}

export const CLI_ACTOR = `cli:${accountName(userInfo, process.getuid?.())}`
