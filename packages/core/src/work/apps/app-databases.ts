import { Problem } from '../../kernel/problem.ts'
import type { Base } from '../../platform/base.ts'
import type { Stores } from '../../platform/storage/storage.ts'
import type { Job } from '../jobs/job.ts'
import type { EnqueueInput } from '../jobs/new-job.ts'
import { type App, demandNoMove } from './app.ts'
import { type AppDatabase, type DatabaseLink, isDropped, MAX_DATABASES } from './app-database.ts'
import { type MadeJob, noApp, placeIn, requireOneHost } from './app-place.ts'
import { type DatabaseOp, type Engine, MAX_LINKS, readDatabaseOrder, VARIABLE_OF } from './database.ts'

/** Dependencies of `AppDatabases`. */
export interface AppDatabasesParts extends Pick<Base, 'storage' | 'clock'> {
  readonly jobs: {
    enqueue(input: EnqueueInput, also: (stores: Stores, job: Job) => Promise<void>): Promise<MadeJob>
  }
}

/** An order about a database. */
export interface DatabaseWish {
  readonly op: DatabaseOp
  readonly name: string
  /** For `create`; others go by the database's own. */
  readonly engine?: Engine | undefined
  /** The variable of the app that gets the address. */
  readonly as?: string | undefined
  readonly confirm?: string | undefined
  readonly dump?: string | undefined
  readonly madeBy: string
}

/** Orders that name the app to the host. */
const WITH_APP: readonly DatabaseOp[] = ['create', 'link', 'unlink']

/** The databases of hosts: the plane keeps their names and links, and hosts carry orders out. */
export class AppDatabases {
  readonly #parts: AppDatabasesParts

  constructor(parts: AppDatabasesParts) {
    this.#parts = parts
  }

  /** The databases of an app's license by name, without those that their hosts have dropped. */
  async list({ licenseId }: Pick<App, 'licenseId'>): Promise<readonly AppDatabase[]> {
    return (await this.#parts.storage.appDatabases.list(licenseId)).filter((each) => !isDropped(each))
  }

  /**
   * Makes the job of an order about a database, for the host that has it: a new one gets the app's. An order
   * that is given again makes a job again.
   * @throws Problem `invalid-input` for a name or variable that no engine or process takes; `not-found`;
   * `conflict` when the app is on another host or has none, for a drop of a database that is linked, and when
   * there are too many
   */
  async order(app: App, { op, name, as, confirm, dump, madeBy, ...given }: DatabaseWish): Promise<MadeJob> {
    const { storage, clock, jobs } = this.#parts
    const { licenseId } = app
    demandNoMove(app)
    const known = await knownIn(storage, licenseId, name)
    if (known === undefined && op !== 'create') throw noDatabase(name, app.name)
    const engine = known?.engine ?? given.engine ?? 'postgres'
    if (given.engine !== undefined && given.engine !== engine)
      throw new Problem('conflict', { detail: `${name} is a database of ${engine}` })
    const payload = readDatabaseOrder({
      ...{ op, engine, name },
      ...(WITH_APP.includes(op) ? { app: app.name } : {}),
      ...Object.fromEntries(Object.entries({ as, confirm, dump }).filter(([, value]) => value !== undefined)),
    })
    const target = await this.#hostFor(app, known, op)
    const links = linksAfter(known?.links ?? [], op, { app: app.name, as: as ?? VARIABLE_OF[engine] })
    if (op === 'drop') demandUnlinked(name, links)
    return jobs.enqueue({ licenseId, kind: 'db', payload, target }, async (stores, { id: jobId }) => {
      if ((await stores.apps.lock(app.id)) === undefined) throw noApp(app.name)
      if (known === undefined) await demandRoom(stores, licenseId)
      const row = { licenseId, name, engine, links, op, jobId, madeBy }
      await stores.appDatabases.put(row, clock.statementTime())
    })
  }

  /** The host of a database. Its address means nothing on another. */
  async #hostFor(app: App, known: AppDatabase | undefined, op: DatabaseOp): Promise<string> {
    const host = requireOneHost(await placeIn(this.#parts.storage, app), 'a database')
    if (known === undefined || known.jobTarget === host || op === 'unlink') return known?.jobTarget ?? host
    throw new Problem('conflict', {
      detail: `${known.name} is on another host than ${app.name}: give the order by an app of its host`,
    })
  }
}

/**
 * Notes that a job removes an app from its hosts with its data: their databases that are linked to no other
 * app go with it, and others are unlinked. Returns the names of the first.
 */
export async function dropWith(
  { appDatabases }: Pick<Stores, 'appDatabases'>,
  { licenseId, name: app }: Pick<App, 'licenseId' | 'name'>,
  {
    hosts,
    jobId,
    madeBy,
  }: { readonly hosts: readonly string[]; readonly jobId: string; readonly madeBy: string },
  now: Date | undefined,
): Promise<readonly string[]> {
  const linked = (await appDatabases.list(licenseId)).filter(
    (each) =>
      !isDropped(each) && hosts.includes(each.jobTarget) && each.links.some((link) => link.app === app),
  )
  const rows = linked.map(({ name, engine, links: all }) => {
    const links = all.filter((link) => link.app !== app)
    return {
      licenseId,
      name,
      engine,
      links,
      op: links.length === 0 ? 'drop' : 'unlink',
      jobId,
      madeBy,
    } as const
  })
  for (const row of rows) await appDatabases.put(row, now)
  return rows.flatMap(({ op, name }) => (op === 'drop' ? [name] : []))
}

/** The row of a database that its host has not dropped. */
async function knownIn({ appDatabases }: Pick<Stores, 'appDatabases'>, licenseId: string, name: string) {
  const found = await appDatabases.find(licenseId, name)
  return found === undefined || isDropped(found) ? undefined : found
}

const noDatabase = (name: string, app: string): Problem =>
  new Problem('not-found', {
    detail: `there is no database ${name}: svc apps databases create ${app} ${name} makes it`,
  })

function linksAfter(links: readonly DatabaseLink[], op: DatabaseOp, link: DatabaseLink) {
  const others = links.filter(({ app }) => app !== link.app)
  if (op === 'unlink') return others
  if (op !== 'create' && op !== 'link') return links
  if (others.length < MAX_LINKS) return [...others, link]
  throw new Problem('conflict', { detail: `a database is linked to at most ${MAX_LINKS} apps` })
}

function demandUnlinked(name: string, links: readonly DatabaseLink[]): void {
  const [link] = links
  if (link !== undefined)
    throw new Problem('conflict', {
      detail: `${name} is linked to ${link.app}: svc apps databases unlink ${link.app} ${name} comes first`,
    })
}

async function demandRoom({ appDatabases }: Pick<Stores, 'appDatabases'>, licenseId: string): Promise<void> {
  const kept = await appDatabases.list(licenseId)
  for (const gone of kept.filter(isDropped)) await appDatabases.remove(licenseId, gone.name)
  if (kept.filter((each) => !isDropped(each)).length < MAX_DATABASES) return
  throw new Problem('conflict', { detail: `a license has at most ${MAX_DATABASES} databases` })
}
