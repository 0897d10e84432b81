import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Problem } from '@svc/core'
import type { Io } from '../io.ts'

type Kept = Readonly<Record<string, string>>

const fileOf = ({ env, home }: Pick<Io, 'env' | 'home'>): string =>
  join(env.XDG_CONFIG_HOME?.trim() || join(home, '.config'), 'svc', 'sessions.json')

/**
 * The origin under which a session is kept.
 * @throws Problem `invalid-input`
 */
export function originOf(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return new URL(url).origin
  throw new Problem('invalid-input', {
    detail: 'the address of the control plane must be an http or https URL',
  })
}

async function read(io: Pick<Io, 'env' | 'home'>): Promise<Kept> {
  try {
    const kept: unknown = JSON.parse(await readFile(fileOf(io), 'utf8'))
    return typeof kept === 'object' && kept !== null ? (kept as Kept) : {}
  } catch {
    return {}
  }
}

// Written aside and moved into place, for its owner alone.
async function write(io: Pick<Io, 'env' | 'home'>, kept: Kept): Promise<void> {
  const path = fileOf(io)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(`${path}.new`, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/** The cookie of a session that `svc login` opened at this origin. */
export const keptSession = async (
  io: Pick<Io, 'env' | 'home'>,
  origin: string,
): Promise<string | undefined> => (await read(io))[origin]

/** Keeps a session's cookie for later commands. */
export async function keepSession(
  io: Pick<Io, 'env' | 'home'>,
  origin: string,
  cookie: string,
): Promise<void> {
  await write(io, { ...(await read(io)), [origin]: cookie })
}

/** Forgets the session of an origin. */
export async function forgetSession(io: Pick<Io, 'env' | 'home'>, origin: string): Promise<void> {
  const { [origin]: _, ...others } = await read(io)
  await write(io, others)
}
