import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Problem } from '@svc/core/client'
import type { Io } from '../terminal/io.ts'
import type { ConnectOptions } from './connect.ts'

const LICENSE_KEY = 'SERVICE_LICENSE_KEY'

/**
 * Returns the license key: `--key`, the first line of `--key-file`, or `SERVICE_LICENSE_KEY`.
 * @throws Problem `invalid-input` when the file cannot be read
 */
export async function licenseKeyOf(
  io: Pick<Io, 'cwd' | 'env'>,
  { key, keyFile }: ConnectOptions,
): Promise<string | undefined> {
  if (key !== undefined) return key
  const text = keyFile === undefined ? io.env[LICENSE_KEY]?.trim() : await licenseKeyIn(io, keyFile)
  return text === '' ? undefined : text
}

/**
 * Returns the license key of a program that goes on running, and takes it out of its environment, which
 * handlers and other programs of its user could read in `/proc`. `tell` hears when that did not succeed.
 * @throws Problem as `licenseKeyOf`
 */
export async function keptLicenseKeyOf(
  io: Pick<Io, 'cwd' | 'env' | 'eraseVariable'>,
  options: ConnectOptions,
  tell: () => void,
): Promise<string | undefined> {
  const key = await licenseKeyOf(io, options)
  if (io.env[LICENSE_KEY] !== undefined && !io.eraseVariable(LICENSE_KEY)) tell()
  return key
}

/**
 * Returns the first line of a key file; empty when there is none.
 * @throws Problem `invalid-input` when the file cannot be read
 */
export const licenseKeyIn = (io: Pick<Io, 'cwd'>, keyFile: string): Promise<string> =>
  firstLineOf(io, keyFile, 'key file')

/**
 * Returns the first line of a file with a secret; empty when there is none. `what` names it in a refusal.
 * @throws Problem `invalid-input` when the file cannot be read
 */
export async function firstLineOf({ cwd }: Pick<Io, 'cwd'>, file: string, what: string): Promise<string> {
  const text = await readFile(resolve(cwd, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Problem('invalid-input', { detail: `the ${what} ${file} cannot be read (${error.code})` })
  })
  return text.split('\n')[0]?.trim() ?? ''
}

/**
 * Checks that a text can be a license key, and returns it.
 * @throws Problem `license-key-required` for an empty one, `invalid-input` for characters that no key has
 */
export function checkedKey(licenseKey: string): string {
  if (licenseKey === '') throw new Problem('license-key-required', { detail: 'a license key is required' })
  if (/^[\x21-\x7e]{1,512}$/.test(licenseKey)) return licenseKey
  throw new Problem('invalid-input', {
    detail: 'the license key has blanks or other characters that no key has',
  })
}
