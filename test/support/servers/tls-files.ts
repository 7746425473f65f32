/** A self-signed certificate of 127.0.0.1, only for tests of TLS. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { temporaryFolder } from './servers.ts'

export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBZTCCAQqgAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOD3raArE627dy96
4fkClvYnCE83mpGbG8ovWKoPqtHV4jYM5BobDp3N3ib5XoJC1tq1Fzgyk/aScNbA
/LSrqDSjSzBJMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAMBgNVHRMEBTAD
AQH/MB0GA1UdDgQWBBQTy3jC8CphQDfwvysxskOtQk+TXjAKBggqhkjOPQQDAgNJ
ADBGAiEA9NBPxEq4USy8/LOow74T1JK29Xw6fJCWZhJydPpfiT4CIQDKqatL/G5D
dDGanGhdmynhYEie5K7JF39o5eljzr1k/g==
-----END CERTIFICATE-----
`
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgB7hiHpWlgs14dS6T
TFIGRUobWMR/BcM3TyNwgjuNGkqhRANCAATg962gKxOtu3cveuH5Apb2JwhPN5qR
mxvKL1iqD6rR1eI2DOQaGw6dzd4m+V6CQtbatRc4MpP2knDWwPy0q6g0
-----END PRIVATE KEY-----
`

/** Paths of the two as PEM files. */
export async function tlsFiles(t: ExecutionContext): Promise<{ certificate: string; key: string }> {
  const folder = await temporaryFolder(t)
  const certificate = join(folder, 'certificate.pem')
  const key = join(folder, 'key.pem')
  await writeFile(certificate, CERTIFICATE)
  await writeFile(key, KEY)
  return { certificate, key }
}
