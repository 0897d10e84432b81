import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Problem } from '@svc/core/client'
import type { Io } from '../terminal/io.ts'

type Home = Pick<Io, 'env' | 'home'>

/** The file: contexts by name, and the name of the current one. */
interface Kept {
  readonly current?: string
  readonly contexts: Readonly<
    Record<string, { readonly url: string; readonly email?: string; readonly session?: string }>
  >
}

/** A remote control plane that this person has signed in to. */
export interface RemoteContext {
  /** Host and port of the address. */
  readonly name: string
  /** Origin of the control plane. */
  readonly url: string
  readonly email: string | undefined
  /** The cookie of the session; undefined after `svc logout`. */
  readonly session: string | undefined
  /** Whether commands go there when nothing else names a control plane. */
  readonly isCurrent: boolean
}

const NONE: Kept = { contexts: {} }

const fileOf = ({ env, home }: Home): string =>
  join(env.XDG_CONFIG_HOME?.trim() || join(home, '.config'), 'svc', 'contexts.json')

/**
 * The origin under which a context is kept.
 * @throws Problem `invalid-input`
 */
export function originOf(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return new URL(url).origin
  throw new Problem('invalid-input', {
    detail: 'the address of the control plane must be an http or https URL',
  })
}

const nameOf = (origin: string): string => new URL(origin).host

async function read(home: Home): Promise<Kept> {
  try {
    const kept = JSON.parse(await readFile(fileOf(home), 'utf8')) as Partial<Kept> | null
    return typeof kept?.contexts === 'object' ? { ...kept, contexts: kept.contexts } : NONE
  } catch {
    return NONE
  }
}

// Written aside and moved into place, for its owner alone: it holds sessions.
async function write(home: Home, kept: Kept): Promise<void> {
  const path = fileOf(home)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(`${path}.new`, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/** All contexts, by name. */
export async function listContexts(home: Home): Promise<readonly RemoteContext[]> {
  const { current, contexts } = await read(home)
  return Object.entries(contexts)
    .map(([name, { url, email, session }]) => ({ name, url, email, session, isCurrent: name === current }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** The context that commands use when nothing else names a control plane. */
export const currentContext = async (home: Home): Promise<RemoteContext | undefined> =>
  (await listContexts(home)).find(({ isCurrent }) => isCurrent)

/**
 * The address that `--url` names, else the current context's.
 * @throws Problem `invalid-input` when there is neither
 */
export async function chosenUrl({ io, options }: ChoosingRun): Promise<string> {
  const url = options.url ?? (await currentContext(io))?.url
  if (url !== undefined) return url
  throw new Problem('invalid-input', {
    detail: 'no control plane is named: say --url URL, or choose one with svc context use',
  })
}

interface ChoosingRun {
  readonly io: Home
  readonly options: { readonly url?: string }
}

/** The cookie of a session that `svc login` opened at this origin. */
export const keptSession = async (home: Home, origin: string): Promise<string | undefined> =>
  (await listContexts(home)).find(({ url }) => url === origin)?.session

/** Keeps a session, with the email if it is known, and makes its control plane the current context. */
export async function keepSession(
  home: Home,
  { origin, session, email }: { origin: string; session: string; email?: string },
): Promise<void> {
  const kept = await read(home)
  const name = nameOf(origin)
  const before = kept.contexts[name]?.url === origin ? kept.contexts[name] : {}
  const context = { ...before, url: origin, session, ...(email === undefined ? {} : { email }) }
  await write(home, { current: name, contexts: { ...kept.contexts, [name]: context } })
}

/** Forgets the session of an origin; the context stays, so that the next sign-in needs no address. */
export async function forgetSession(home: Home, origin: string): Promise<void> {
  const kept = await read(home)
  const { session: _, ...context } = kept.contexts[nameOf(origin)] ?? { url: origin }
  if (context.url !== origin) return
  await write(home, { ...kept, contexts: { ...kept.contexts, [nameOf(origin)]: context } })
}

/**
 * Makes a context the current one; `undefined` leaves none.
 * @throws Problem `not-found`
 */
export async function useContext(home: Home, name: string | undefined): Promise<void> {
  const { contexts } = await read(home)
  if (name === undefined) return write(home, { contexts })
  if (!Object.hasOwn(contexts, name)) throw unknown(name)
  await write(home, { current: name, contexts })
}

/**
 * Removes a context with its session.
 * @throws Problem `not-found`
 */
export async function removeContext(home: Home, name: string): Promise<void> {
  const { current, contexts } = await read(home)
  if (!Object.hasOwn(contexts, name)) throw unknown(name)
  const { [name]: _, ...others } = contexts
  await write(home, { ...(current === name ? {} : { current }), contexts: others })
}

const unknown = (name: string): Problem =>
  new Problem('not-found', { detail: `there is no context ${name}: svc context list shows them` })
