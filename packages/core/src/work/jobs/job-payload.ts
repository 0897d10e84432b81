import { optional, type Struct } from 'superstruct'
import { Problem } from '../../kernel/problem.ts'
import {
  choiceOf,
  finite,
  flag,
  freeObject,
  listOf,
  mapOf,
  matching,
  namedShape,
  oneOf,
  openShape,
  read,
  text,
  whole,
} from '../../kernel/validation.ts'
import { JOB_KINDS, type JobKind } from './job.ts'

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
const git = { type: oneOf(['git']), repo_url: text(1, 2048), sha, ref: optional(text(1, 255)) }
const image = { type: oneOf(['image']), image: text(1, 512) }
/** A commit that was sent to the host. */
const upload = { type: oneOf(['upload']), sha }
const source = choiceOf<Payload>('Source', 'type', {
  git: openShape(git, 'GitSource'),
  image: openShape(image, 'ImageSource'),
  upload: openShape(upload, 'UploadSource'),
})

/** Required fields by kind of job (docs/agents.md, Payloads). Other keys are kept. */
const PAYLOADS = {
  deploy: openShape({
    app,
    source,
    env: optional(mapOf(text(1, 128), text(0, 8192))),
    ports: optional(listOf(port, MAX_PORTS)),
  }),
  redeploy: openShape({ app, source: optional(source) }),
  stop: openShape({ app }),
  remove: openShape({ app }),
  db: openShape({ op: text(1, 64), engine: text(1, 64), name: text(1, 128) }),
  restore: openShape({
    image_id: optional(text(1, 128)),
    checksum: optional(text(1, 160)),
    target: text(1, 512),
    verify: optional(flag()),
    drill: optional(flag()),
  }),
  firewall: openShape({ revision: finite(), settings: freeObject() }),
  prune: openShape({ older_than_seconds: optional(whole(0, 315_360_000)) }),
  expose: openShape({ app, domain, port }),
  unexpose: openShape({ app, domain }),
  backup: openShape({ app: optional(app), sync: optional(flag()) }),
} as const satisfies Readonly<Record<JobKind, unknown>>

const capital = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`
/** The kind of a job and its payload, as documents tell them. */
export const JOB_WORK = choiceOf(
  'JobWork',
  'kind',
  Object.fromEntries(
    JOB_KINDS.map((kind) => [
      kind,
      namedShape(`${capital(kind)}Work`, { kind: oneOf([kind]), payload: PAYLOADS[kind] }),
    ]),
  ),
)

function requireImage({ image_id, checksum }: Payload): void {
  if (image_id === undefined && checksum === undefined)
    throw new Problem('invalid-input', { details: ['image_id: expected image_id or checksum'] })
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
  const checked = read(PAYLOADS[kind] as Struct<Payload, unknown>, payload)
  if (kind === 'restore') requireImage(checked)
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
