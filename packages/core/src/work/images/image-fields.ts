import { type Infer, optional, type Struct } from 'superstruct'
import { redact } from '../../kernel/redaction/redactor.ts'
import {
  field,
  flag,
  type JsonSchema,
  LAST_SECOND,
  listOf,
  matching,
  oneOf,
  shape,
  text,
  whole,
} from '../../kernel/validation.ts'
import { IMAGE_ENGINES, IMAGE_KINDS, MAX_PRESENT } from './image.ts'

/** The id of a snapshot: hex of restic or kopia, a guid, `sha256:…`. It is never a path. */
export const snapshotId = matching(
  /^[A-Za-z0-9][A-Za-z0-9:._-]{7,159}$/,
  'the id of a snapshot: 8 to 160 letters, digits, colons, dots, underscores or dashes',
)

const MAX_REPO_CHARS = 255
// A colon before an `@` belongs to `//name:secret@`, or to a scheme with a name such as `sftp:name@host`.
const USERINFO = /[:/][^:/]*@/

const isRepo = (value: unknown): boolean =>
  typeof value === 'string' &&
  value.length <= MAX_REPO_CHARS &&
  !USERINFO.test(value) &&
  redact(value) === value

/** The name of a repository. One with a user or a password in it is refused: the ledger keeps no secrets. */
const repo: Struct<string, JsonSchema> = field(
  { type: 'string', maxLength: MAX_REPO_CHARS },
  isRepo,
  `the id of a repository, at most ${MAX_REPO_CHARS} characters, without a user or password`,
)

const amount: Struct<number, JsonSchema> = field(
  { type: 'number', minimum: 0, maximum: 2 ** 53 },
  (value) => typeof value === 'number' && value >= 0 && value <= 2 ** 53,
  'a number from 0 to 2^53',
)

const second: Struct<number, JsonSchema> = field(
  { type: 'number', minimum: 0, maximum: LAST_SECOND },
  (value) => typeof value === 'number' && value >= 0 && value <= LAST_SECOND,
  'unix seconds',
)

/** The registration of an image, as hosts send it (docs/backups.md). */
export const imageRegistration = shape({
  fingerprint: text(1, 512),
  checksum: snapshotId,
  repo: optional(repo),
  engine: optional(oneOf(IMAGE_ENGINES)),
  kind: optional(oneOf(IMAGE_KINDS)),
  app: optional(text(0, 63)),
  hostname: optional(text(0, 255)),
  label: optional(text(0, 120)),
  size_bytes: optional(amount),
  added_bytes: optional(amount),
  captured_at: optional(second),
  duration_s: optional(amount),
  paths: optional(listOf(text(0, 512), 50)),
  tags: optional(listOf(text(0, 64), 32)),
  parent: optional(snapshotId),
  encrypted: optional(flag()),
  verified_at: optional(second),
  present: optional(listOf(snapshotId, MAX_PRESENT)),
  confirm_empty: optional(flag()),
  job_id: optional(text(1, 64)),
  attempt: optional(whole(0, 2_147_483_647)),
})
/** The registration of an image, as hosts send it. */
export type ImageRegistration = Infer<typeof imageRegistration>
