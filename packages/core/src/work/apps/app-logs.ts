import { type Infer, optional } from 'superstruct'
import { field, flag, matching, read, shape, text, whole } from '../../kernel/validation.ts'

/** Lines of output that are shown when nobody says how many, and no time either. */
export const LOG_LINES = 200
/** Lines of output that one may ask for: more than a host keeps. */
const MAX_LINES = 1_000_000

const AGO = /^\d{1,6}[smhd]$/
const INSTANT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?$/
const MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
type Unit = keyof typeof MS

const isSince = (value: unknown): boolean =>
  typeof value === 'string' && (AGO.test(value) || (INSTANT.test(value) && !Number.isNaN(Date.parse(value))))

/** The fields of a wish for the output of an app: nothing in them can be anything but what it says. */
export const LOG_WISH = {
  /** A process such as `web`, one instance of it, `web.1`, or a command of the clock, `cron.clean`. */
  process: optional(
    matching(
      /^[a-z0-9][a-z0-9-]{0,31}(?:\.[a-z0-9-]{1,32})?$/,
      'a process such as web, web.1, or cron.clean',
    ),
  ),
  since: optional(
    field<string>({ type: 'string', maxLength: 32 }, isSince, 'a time such as 1h, or an ISO-8601 instant'),
  ),
  lines: optional(whole(0, MAX_LINES)),
  follow: optional(flag()),
}
const APP = matching(/^[a-z0-9][a-z0-9._-]{0,127}$/, 'the name of an application')
const wish = shape({ app: APP, ...LOG_WISH })

/** A wish for the output of an app. */
export type AppLogsWish = Infer<typeof wish>

const run = shape({ app: APP, command: text(1, 4096) })

/** @throws Problem `invalid-input` for a command of another form */
export const readAppRun = (value: unknown): Infer<typeof run> => read(run, value)

/** A commit of a repository. */
export const SHA = matching(
  /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/,
  'a full commit id of 40 or 64 lower-case hex digits',
)
const upload = shape({ app: APP, sha: SHA })
/** Most bytes of commits that a host takes at once, as git packs them. */
export const MAX_UPLOAD_BYTES = 512 * 1024 * 1024

/** @throws Problem `invalid-input` for an upload of another form */
export const readAppUpload = (value: unknown): Infer<typeof upload> => read(upload, value)

/** @throws Problem `invalid-input` for a wish of another form */
export const readAppLogsWish = (value: unknown): AppLogsWish => read(wish, value)

/** The instant that `since` means: `1h` before `now`, or the one that it names. */
export function sinceInstant(since: string, now: Date): Date {
  const unit = since.at(-1)
  return AGO.test(since) && isUnit(unit)
    ? new Date(now.getTime() - Number(since.slice(0, -1)) * MS[unit])
    : new Date(since)
}

const isUnit = (word: string | undefined): word is Unit => word !== undefined && word in MS
