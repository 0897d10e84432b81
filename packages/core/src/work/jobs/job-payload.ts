import { dynamic, optional, type Struct } from 'superstruct'
import { Problem } from '../../kernel/problem.ts'
import {
  finite,
  flag,
  freeObject,
  listOf,
  mapOf,
  matching,
  oneOf,
  openShape,
  read,
  text,
  whole,
} from '../../kernel/validation.ts'
import type { JobKind } from './job.ts'

/** The instructions of a job for its host; secrets in it are references, never values. */
export type Payload = Readonly<Record<string, unknown>>

const app = matching(
  /^[a-z0-9][a-z0-9._-]{0,62}$/,
  'an app name: a-z, 0-9, dot, underscore or dash, at most 63 characters',
)
const sha = matching(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'a full commit id of 40 or 64 lower-case hex digits')
const domain = matching(
  /^(?:[a-z0-9_](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/,
  'a lower-case domain name',
)
const port = whole(1, 65_535)
const MAX_PORTS = 1024
const git = openShape({ type: oneOf(['git']), repo_url: text(1, 2048), sha, ref: optional(text(1, 255)) })
const image = openShape({ type: oneOf(['image']), image: text(1, 512) })
/** A commit that was sent to the host. */
const upload = openShape({ type: oneOf(['upload']), sha })
const source = dynamic<Payload>((value) => {
  const type = (value as Payload | null)?.type
  const chosen: unknown = type === 'image' ? image : type === 'upload' ? upload : git
  return chosen as Struct<Payload, null>
})

const reads =
  <T extends Payload, S>(struct: Struct<T, S>) =>
  (payload: unknown): Payload =>
    read(struct, payload)

const restore = reads(
  openShape({
    image_id: optional(text(1, 128)),
    checksum: optional(text(1, 160)),
    target: text(1, 512),
    verify: optional(flag()),
    drill: optional(flag()),
  }),
)

function readRestore(payload: unknown): Payload {
  const named = restore(payload)
  if (named.image_id !== undefined || named.checksum !== undefined) return named
  throw new Problem('invalid-input', { details: ['image_id: expected image_id or checksum'] })
}

/** Required fields by kind of job (docs/agents.md, Payloads). Other keys are kept. */
const PAYLOADS: Readonly<Record<JobKind, (payload: unknown) => Payload>> = {
  deploy: reads(
    openShape({
      app,
      source,
      env: optional(mapOf(text(1, 128), text(0, 8192))),
      ports: optional(listOf(port, MAX_PORTS)),
    }),
  ),
  redeploy: reads(openShape({ app, source: optional(source) })),
  stop: reads(openShape({ app })),
  remove: reads(openShape({ app })),
  db: reads(openShape({ op: text(1, 64), engine: text(1, 64), name: text(1, 128) })),
  restore: readRestore,
  firewall: reads(openShape({ revision: finite(), settings: freeObject() })),
  prune: reads(openShape({ older_than_seconds: optional(whole(0, 315_360_000)) })),
  expose: reads(openShape({ app, domain, port })),
  unexpose: reads(openShape({ app, domain })),
  backup: reads(openShape({ app: optional(app), sync: optional(flag()) })),
}

/** Kinds that deploy. */
export const DEPLOYING_KINDS: readonly JobKind[] = ['deploy', 'redeploy']

/** Whether a job makes a new deployment: a change of counts or visitors alone is none. */
export const makesDeployment = (kind: JobKind, { scale, maintenance }: Payload): boolean =>
  DEPLOYING_KINDS.includes(kind) && (kind === 'deploy' || (scale === undefined && maintenance === undefined))

/** Most bytes of a job's payload, as JSON. Jobs that were stored before there was a limit may have more. */
export const MAX_PAYLOAD_BYTES = 64 * 1024

/**
 * Checks the payload of a job of `kind`.
 * @throws Problem `invalid-input` with field-scoped details
 */
export function readPayload(kind: JobKind, payload: unknown): Payload {
  const checked = PAYLOADS[kind](payload)
  const bytes = Buffer.byteLength(JSON.stringify(checked))
  if (bytes <= MAX_PAYLOAD_BYTES) return checked
  throw new Problem('invalid-input', {
    details: [
      `payload: expected at most ${MAX_PAYLOAD_BYTES} bytes of JSON, not ${bytes}: put large data where the host can fetch it, and name the place`,
    ],
  })
}

/**
 * The application a payload names, if any: the default serial key, so that one app is worked on once at a
 * time.
 */
export const appOf = (payload: Payload): string | undefined =>
  typeof payload.app === 'string' ? payload.app : undefined
