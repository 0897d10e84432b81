import { type SqlBool, sql } from 'kysely'
import type { Scope } from '../../kernel/scope.ts'
import type { Session } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { isAbsent, present } from '../../platform/database/typed-statement.ts'
import type { Image } from './image.ts'
import { scoped, statement, toImage } from './image-tables-sql.ts'
import type { ImageFilter, ImageRepository, ImagesStore, NewImage, Registered } from './images-store.ts'

export { entities } from './image-tables-sql.ts'

const IS_HOST = 'exists (select from agents where license_id = $1 and fingerprint = $2)'
const HOLDS_JOB = (job: string, attempt: string) => `(${job}::text is null or exists (select from jobs
  where id = ${job} and license_id = $1 and claimed_by = $2 and state in ('claimed', 'running')
    and (${attempt}::int is null or attempt = ${attempt})))`

// The conditions on the host, the job and the content stand in the write, so that nothing comes between.
const REGISTER = {
  name: 'image-register',
  text: `insert into images as i (license_id, fingerprint, repo, checksum, id, engine, kind, app, hostname, label,
      size_bytes, added_bytes, captured_at, duration_s, paths, tags, parent, encrypted, verified_at, job_id,
      first_seen_at, last_seen_at)
    select $1, $2, $3, $4, $5, coalesce($6, 'other'), coalesce($7, 'snapshot'), $8, $9, $10,
      $11::float8, $12::float8, date_trunc('second', coalesce($13::timestamptz, ${at('$22')})), $14::float8,
      coalesce($15::text[], '{}'), coalesce($16::text[], '{}'), $17, $18::boolean, $19::timestamptz, $20,
      ${at('$22')}, ${at('$22')}
    where ${IS_HOST} and ${HOLDS_JOB('$20', '$21')}
    on conflict (license_id, fingerprint, repo, checksum) do update set
      label = coalesce($10, i.label), tags = coalesce($16::text[], i.tags),
      size_bytes = coalesce(i.size_bytes, excluded.size_bytes),
      verified_at = greatest(i.verified_at, excluded.verified_at),
      state = 'available', pruned_at = null, last_seen_at = greatest(i.last_seen_at, excluded.last_seen_at)
    where ($7::text is null or i.kind = $7) and ($13::timestamptz is null or i.captured_at = $13)
      and (i.size_bytes is null or excluded.size_bytes is null or i.size_bytes = excluded.size_bytes)
    returning *`,
}
const WHY_NOT = {
  name: 'image-why-not',
  text: `select ${IS_HOST} as is_host, ${HOLDS_JOB('$5', '$6')} as holds_job, i.*
    from (select 1) one left join images i
      on license_id = $1 and fingerprint = $2 and repo = $3 and checksum = $4`,
}
const RECONCILE = {
  name: 'image-reconcile',
  text: `with gone as (update images set state = 'pruned', pruned_at = ${at('$5')}
      where license_id = $1 and fingerprint = $2 and repo = $3 and state = 'available'
        and checksum <> all ($4::text[]) returning 1)
    select count(*)::int as pruned from gone`,
}
const GET = scoped('image-get', (tables, { id }: { id: string }, isOwned) =>
  tables.selectFrom('images').selectAll().where(isOwned).where('id', '=', id),
)
const FIND = scoped('image-find', (tables, { prefix, limit }: { prefix: string; limit: number }, isOwned) =>
  tables
    .selectFrom('images')
    .selectAll()
    .where(isOwned)
    .where(sql<SqlBool>`starts_with(checksum, ${prefix})`)
    .orderBy(sql`id collate "C"`)
    .limit(limit),
)
const LIST = scoped('image-list', (tables, { fingerprint, app, state, limit }: ImageFilter, isOwned) =>
  tables
    .selectFrom('images')
    .selectAll()
    .where(isOwned)
    .where(({ eb, or }) => or([isAbsent(fingerprint), eb('fingerprint', '=', present(fingerprint))]))
    .where(({ eb, or }) => or([isAbsent(app), eb('app', '=', present(app))]))
    .where(({ eb, or }) => or([isAbsent(state), eb('state', '=', present(state))]))
    .orderBy('captured_at', 'desc')
    .orderBy(sql`id collate "C"`, 'desc')
    .limit(limit),
)
const FORGET = statement('image-forget', (tables, { id, isForced }: { id: string; isForced: boolean }) =>
  tables
    .deleteFrom('images')
    .where('id', '=', id)
    .where(({ eb, or }) => or([sql<SqlBool>`${isForced}::boolean`, eb('state', '=', 'pruned')]))
    .returningAll(),
)
const PURGE = {
  name: 'image-purge',
  text: `with gone as (delete from images where pruned_at < ${at('$2')} - make_interval(days => $1) returning 1)
    select count(*)::int as purged from gone`,
}

const first = (rows: readonly object[]): Image | undefined => rows.map(toImage)[0]

/** The ledger of images in SQL. */
export class SqlImagesStore implements ImagesStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async register(image: NewImage, now?: Date): Promise<Registered> {
    const { licenseId, fingerprint, repo, checksum, jobId, attempt } = image
    const key = [licenseId, fingerprint, repo, checksum]
    const [row] = await this.#session.rows<{ readonly id: string }>(REGISTER, [
      ...key,
      image.id,
      image.engine,
      image.kind,
      image.app,
      image.hostname,
      image.label,
      image.sizeBytes,
      image.addedBytes,
      image.capturedAt,
      image.durationSeconds,
      image.paths,
      image.tags,
      image.parent,
      image.encrypted,
      image.verifiedAt,
      jobId,
      attempt,
      now,
    ])
    if (row !== undefined) return { outcome: row.id === image.id ? 'created' : 'known', image: toImage(row) }
    return this.#whyNot([...key, jobId, attempt])
  }

  async reconcile(repository: ImageRepository, present: readonly string[], now?: Date): Promise<number> {
    const { licenseId, fingerprint, repo } = repository
    const params = [licenseId, fingerprint, repo, present, now]
    const [row] = await this.#session.rows<{ pruned: number }>(RECONCILE, params)
    return row?.pruned ?? 0
  }

  async get(scope: Scope, id: string): Promise<Image | undefined> {
    return first(await GET.run(this.#session, scope, { id }))
  }

  async find(scope: Scope, prefix: string, limit: number): Promise<readonly Image[]> {
    return (await FIND.run(this.#session, scope, { prefix, limit })).map(toImage)
  }

  async list(scope: Scope, filter: ImageFilter): Promise<readonly Image[]> {
    return (await LIST.run(this.#session, scope, filter)).map(toImage)
  }

  async forget(id: string, isForced: boolean): Promise<Image | undefined> {
    return first(await FORGET.run(this.#session, { id, isForced }))
  }

  async purge(keptDays: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(PURGE, [keptDays, now])
    return row?.purged ?? 0
  }

  async #whyNot(params: readonly unknown[]): Promise<Registered> {
    type Why = { readonly is_host: boolean; readonly holds_job: boolean; readonly id: string | null }
    const [why] = await this.#session.rows<Why>(WHY_NOT, params)
    if (why?.is_host !== true) return { outcome: 'no-host' }
    if (!why.holds_job) return { outcome: 'no-job' }
    if (why.id === null) throw new Error('an image was forgotten while it was registered')
    return { outcome: 'different', image: toImage(why) }
  }
}

/** The store of the feature. */
export const stores = (session: Session): { images: ImagesStore } => ({ images: new SqlImagesStore(session) })
