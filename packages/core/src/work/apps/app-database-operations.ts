import { optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { present } from '../../kernel/present.ts'
import {
  listOf,
  namedFields,
  namedShape,
  oneOf,
  shape,
  text,
  type ViewOf,
  whole,
} from '../../kernel/validation.ts'
import { type AppDatabase, DATABASE_STATES, databaseState } from './app-database.ts'
import { appOf, MADE, madeFor, named, operation } from './app-run-operations.ts'
import { DATABASE_OPS, type DatabaseOp, ENGINES } from './database.ts'

const ANY = Number.POSITIVE_INFINITY
const count = whole(0, Number.MAX_SAFE_INTEGER)
const word = text(0, 4096)

/** A database in an answer. */
const DATABASE = {
  name: word,
  engine: oneOf(ENGINES),
  state: oneOf(DATABASE_STATES),
  /** The order of its newest job. */
  op: oneOf(DATABASE_OPS),
  /** Why that job failed. */
  reason: optional(word),
  links: listOf(shape({ app: word, as: word }), ANY),
  /** The host that its newest job is for. */
  host: word,
  job_id: word,
  by: word,
  created_at: count,
  updated_at: count,
}
/** A database as operators see it. */
export type AppDatabaseView = ViewOf<typeof DATABASE>

/** A database as operators see it. */
function databaseView(found: AppDatabase): AppDatabaseView {
  const { name, engine, op, links, jobError } = found
  const state = databaseState(found)
  const reason = `${op}: ${jobError ?? 'its job failed'}`
  return {
    ...{ name, engine, state, op, host: found.jobTarget, job_id: found.jobId, by: found.madeBy },
    links: links.map((link) => ({ ...link })),
    ...present('reason', state === 'failed' ? reason : undefined),
    created_at: unixSeconds(found.createdAt),
    updated_at: unixSeconds(found.updatedAt),
  }
}

const NAME = text(1, 64)
const CHANGED = namedFields('AppDatabaseJob', { ...MADE, database: word })
const common = { permission: 'platform.deploy', scope: 'tenant', changes: true, answer: CHANGED } as const
const database = { ...named, name: NAME }
const variable = { as: optional(text(1, 64)) }

type Given = { readonly app: string; readonly license?: string | undefined; readonly name: string }
type Carry = Parameters<Parameters<typeof operation>[0]['run']>

/** Gives an order about a database, and answers with its job. */
async function ordered(
  services: Carry[0],
  op: DatabaseOp,
  { app: asked, license, name, ...given }: Given & Readonly<Record<string, unknown>>,
  operator: Carry[2],
) {
  const app = await appOf(services, { app: asked, license }, operator)
  const made = await services.appDatabases.order(app, { op, name, ...given, madeBy: operator.name })
  return { ...(await madeFor(services, operator, app, made)), database: name }
}

const create = operation({
  name: 'apps.databases-create',
  summary: 'make a database on the host of an app, and give the app its address',
  ...common,
  input: { ...database, engine: optional(oneOf(ENGINES)), ...variable },
  run: (services, given, operator) => ordered(services, 'create', given, operator),
})

const link = operation({
  name: 'apps.databases-link',
  summary: 'give an app the address of a database of its host',
  ...common,
  input: { ...database, ...variable },
  run: (services, given, operator) => ordered(services, 'link', given, operator),
})

const unlink = operation({
  name: 'apps.databases-unlink',
  summary: 'take the address of a database away from an app; the data stays',
  ...common,
  input: database,
  run: (services, given, operator) => ordered(services, 'unlink', given, operator),
})

const rotate = operation({
  name: 'apps.databases-rotate',
  summary: 'make a new password for a database, and restart the apps that have it',
  ...common,
  input: database,
  run: (services, given, operator) => ordered(services, 'rotate', given, operator),
})

const backup = operation({
  name: 'apps.databases-backup',
  summary: 'write a dump of a database on its host, which is kept for 7 days',
  ...common,
  input: database,
  run: (services, given, operator) => ordered(services, 'backup', given, operator),
})

const restore = operation({
  name: 'apps.databases-restore',
  summary: 'bring back a dump of a database, the newest backup when none is named',
  ...common,
  input: { ...database, dump: optional(text(1, 64)) },
  run: (services, given, operator) => ordered(services, 'restore', given, operator),
})

const undo = operation({
  name: 'apps.databases-undo',
  summary: 'put back the database from before a restore; again takes that back',
  ...common,
  input: database,
  run: (services, given, operator) => ordered(services, 'undo', given, operator),
})

const drop = operation({
  name: 'apps.databases-drop',
  summary: 'remove a database that no app is linked to; a dump is kept for 7 days',
  ...common,
  input: { ...database, confirm: text(1, 64) },
  run: (services, given, operator) => ordered(services, 'drop', given, operator),
})

const list = operation({
  name: 'apps.databases-list',
  summary: "list the databases of an app's license, with the apps and the state of each",
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  input: named,
  answer: { id: word, app: word, databases: listOf(namedShape('AppDatabase', DATABASE), ANY) },
  run: async (services, given, operator) => {
    const app = await appOf(services, given, operator)
    const databases = await services.appDatabases.list(app)
    return { id: app.id, app: app.name, databases: databases.map(databaseView) }
  },
})

/** Operations on the databases of apps. */
export const appDatabaseOperations = [create, list, link, unlink, rotate, backup, restore, undo, drop]
