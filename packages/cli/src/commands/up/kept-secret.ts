import { readFile, writeFile } from 'node:fs/promises'

/** The file of the key that seals stored secrets. */
export const DATA_KEY = 'data-key'

/** The file of the key that signs, in a data folder. */
export const SIGNING_KEY = 'signing-key'
/** The file of the license key of the attached agent. */
export const LICENSE_KEY = 'license-key'
/** All secrets that a data folder keeps in files. */
export const KEPT_SECRETS = [DATA_KEY, SIGNING_KEY, LICENSE_KEY] as const

/** The secret in a file of one line; undefined when there is no such file, or nothing in it. */
export async function readSecret(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).split('\n')[0]?.trim() || undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Keeps a secret for its owner alone. */
export const keepSecret = (path: string, secret: string): Promise<void> =>
  writeFile(path, `${secret}\n`, { mode: 0o600 })

/** The secret in a file; the first time `make` makes it. */
export async function keptSecret(path: string, make: () => string | Promise<string>): Promise<string> {
  const known = await readSecret(path)
  if (known !== undefined) return known
  const secret = await make()
  await keepSecret(path, secret)
  return secret
}
