import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '@svc/core'
import { SYSTEM } from '../system/places.ts'
import { ran } from '../system/systemctl.ts'
import { DATABASES_TARGET } from '../system/unit-text.ts'
import { runAs } from './run-as.ts'
import { CONFINED, DATABASES_PREFIX, placed, serverUser, startServer } from './server-unit.ts'

/** The user of the server, and the name of its superuser: no role of an application has it. */
export const POSTGRES_USER = `${DATABASES_PREFIX}postgres`
/** The folder of its socket. */
export const POSTGRES_SOCKET = `/run/${POSTGRES_USER}`

/** The unit of the server. */
export const POSTGRES_UNIT = `${POSTGRES_USER}.service`
const HOME = `${SYSTEM.state}/postgres`
/** The folder of its data. */
export const POSTGRES_DATA = `${HOME}/data`
/** Roles that dump and restore: each has the rights of one database's role, and no password. */
export const KEEPERS = 'svc.keepers'

/** The role and the database in which a dump is tried out. */
export const DRILL = 'svc.drill'

/** Folders of the programs: Debian's, and another one. */
const PLACES = ['/usr/lib/postgresql', '/usr/pgsql']

/** Applications have 20 connections each; the rest is for dumps and ourselves. */
const MAX_CONNECTIONS = 400

const HBA = `local all ${POSTGRES_USER} peer
local all +"${KEEPERS}" peer map=keepers
local all all scram-sha-256
`

/** Versions of the server on this host with their folders, newest first. */
export function postgresVersions(): readonly (readonly [number, string])[] {
  const [debian = '', other = ''] = PLACES
  const under = existsSync(debian)
    ? readdirSync(debian).map((name) => [Number(name), `${debian}/${name}/bin`] as const)
    : []
  const beside = readdirSync('/usr')
    .filter((name) => name.startsWith('pgsql-'))
    .map(
      (name) => [Number(name.slice('pgsql-'.length)), `${other}-${name.slice('pgsql-'.length)}/bin`] as const,
    )
  return [...under, ...beside]
    .filter(([version, folder]) => Number.isInteger(version) && existsSync(`${folder}/postgres`))
    .sort(([one], [two]) => two - one)
}

/**
 * The folder of the programs: of the version that made the databases, else the newest.
 * @throws Problem `conflict` with the command that installs it
 */
export function postgresPrograms(): string {
  const made = existsSync(`${POSTGRES_DATA}/PG_VERSION`)
    ? Number(readFileSync(`${POSTGRES_DATA}/PG_VERSION`, 'utf8'))
    : undefined
  const found = postgresVersions().find(([version]) => made === undefined || version === made)
  if (found !== undefined) return found[1]
  const name = made === undefined ? 'postgresql' : `postgresql-${made}`
  throw new Problem('conflict', {
    detail: `this host lacks PostgreSQL: apt-get install --no-install-recommends ${name}`,
  })
}

const unitText = (programs: string): string => `[Unit]
Description=PostgreSQL for the applications of svc
Before=${DATABASES_TARGET}

[Service]
Type=notify
User=${POSTGRES_USER}
Group=${POSTGRES_USER}
RuntimeDirectory=${POSTGRES_USER}
RuntimeDirectoryMode=0755
ExecStart=${programs}/postgres -D ${POSTGRES_DATA} -c listen_addresses= -c unix_socket_directories=${POSTGRES_SOCKET} \\
  -c unix_socket_permissions=0777 -c hba_file=${HOME}/pg_hba.conf -c ident_file=${HOME}/pg_ident.conf \\
  -c max_connections=${MAX_CONNECTIONS} -c password_encryption=scram-sha-256
ExecReload=/bin/kill -HUP $MAINPID
KillMode=mixed
KillSignal=SIGINT
Restart=on-failure
TimeoutSec=infinity
OOMScoreAdjust=-900
ReadWritePaths=${HOME}
${CONFINED}
`

/** The one server of PostgreSQL of a host for its applications, which listens at a socket alone. */
export class PostgresServer {
  /**
   * Makes sure that the server is there and runs. A folder of data that was not made whole is made again.
   * @param names the databases whose keepers the server lets in
   */
  async ensure(names: readonly string[]): Promise<void> {
    const programs = postgresPrograms()
    const { uid, gid } = await serverUser(POSTGRES_USER, HOME)
    mkdirSync(HOME, { recursive: true, mode: 0o700 })
    chownSync(HOME, uid, gid)
    const roles = [DRILL, ...names.map(keeperOf)]
    const idents = roles.map((role) => `keepers ${POSTGRES_USER} "${role}"\n`).join('')
    const changed = [placed(`${HOME}/pg_hba.conf`, HBA), placed(`${HOME}/pg_ident.conf`, idents)]
    if (!existsSync(POSTGRES_DATA)) await this.#initialise(programs)
    await startServer(POSTGRES_UNIT, unitText(programs))
    if (changed.includes(true)) await ran('systemctl', 'reload', POSTGRES_UNIT)
  }

  async #initialise(programs: string): Promise<void> {
    const aside = `${POSTGRES_DATA}.new`
    rmSync(aside, { recursive: true, force: true })
    const words = ['--username', POSTGRES_USER, '--auth=reject', '--encoding=UTF8', '--locale=C.UTF-8']
    const command = [`${programs}/initdb`, '-D', aside, ...words]
    await runAs({ user: POSTGRES_USER, command, writes: [HOME] })
    renameSync(aside, POSTGRES_DATA)
  }

  /** Runs statements as the superuser, who connects to no database of an application. Returns the rows. */
  sql(text: string): Promise<string> {
    return this.run({ program: 'psql', role: POSTGRES_USER, database: 'postgres', input: `${text}\n` })
  }

  /** Runs statements in a database as its role. */
  sqlIn(database: string, name: string, text: string): Promise<string> {
    const input = `set role "${name}";\n${text}\n`
    return this.run({ program: 'psql', role: keeperOf(name), database, input })
  }

  /** Runs a program of PostgreSQL as a role of a database. */
  run({ program, role, database, words = [], ...files }: PostgresRun): Promise<string> {
    const quiet = program === 'psql' ? ['-XqAt', '-v', 'ON_ERROR_STOP=1', '-v', 'VERBOSITY=terse'] : []
    const where = ['-h', POSTGRES_SOCKET, '-U', role, '-d', database]
    const command = [join(postgresPrograms(), program), ...where, ...quiet, ...words]
    return runAs({ user: POSTGRES_USER, command, ...files })
  }
}

/** A run of a program of PostgreSQL. */
export interface PostgresRun {
  readonly program: 'psql' | 'pg_dump' | 'pg_restore'
  readonly role: string
  readonly database: string
  readonly words?: readonly string[]
  readonly input?: string
  readonly from?: number
  readonly to?: number
}

/** The role that dumps and restores a database. No database has a dot in its name. */
export const keeperOf = (name: string): string => `${name}.svc`
