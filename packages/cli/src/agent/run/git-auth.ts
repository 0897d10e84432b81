import type { ClaimedJob } from './claimed-job.ts'

type Fields = Readonly<Record<string, unknown>>

/** The credentials of a job's repository, as the deploy handler gets them. */
export interface GitAuth {
  /** `deploy_key`, `basic`, or `missing` when the plane has none of those that the job needs. */
  readonly type: string
  /** The contents of the file: a private key, or lines that git takes from a credential helper. */
  readonly text: string | undefined
  /** The submodules that may be fetched with them: `none`, `owner` or `server`. */
  readonly submodules: string
}

/** The credentials that a job brings along; undefined if it brings none. */
export function gitAuthOf({ payload }: Pick<ClaimedJob, 'payload'>): GitAuth | undefined {
  const auth = fieldsOf(fieldsOf(payload.source)?.auth)
  if (auth === undefined) return undefined
  const { type, private_key: key, username, password, submodules } = auth
  const lent = typeof submodules === 'string' ? submodules : undefined
  // A control plane that does not say it knows of no such setting: its keys were shown for submodules too.
  if (type === 'deploy_key' && typeof key === 'string')
    return { type, text: key, submodules: lent ?? 'server' }
  if (type === 'basic' && isLine(username) && isLine(password))
    return { type, text: `username=${username}\npassword=${password}\n`, submodules: lent ?? 'none' }
  return { type: 'missing', text: undefined, submodules: 'none' }
}

/**
 * The job without those credentials, for files that an application's own script can read: its repository is
 * all that it may know.
 */
export function withoutGitAuth({ raw }: Pick<ClaimedJob, 'raw'>): Fields {
  const payload = fieldsOf(raw.payload)
  const source = fieldsOf(payload?.source)
  const auth = fieldsOf(source?.auth)
  if (auth === undefined) return raw
  return { ...raw, payload: { ...payload, source: { ...source, auth: { type: auth.type } } } }
}

const isLine = (value: unknown): value is string => typeof value === 'string' && !/[\n\r\0]/.test(value)

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
