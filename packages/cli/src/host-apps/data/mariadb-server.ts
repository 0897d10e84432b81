import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Problem } from '@svc/core'
import { SYSTEM } from '../system/places.ts'
import { DATABASES_TARGET } from '../system/unit-text.ts'
import { runAs } from './run-as.ts'
import { CONFINED, DATABASES_PREFIX, placed, serverUser, startServer } from './server-unit.ts'

/** The user of the server, and the name of its superuser: no account of an application has it. */
const MARIADB_USER = `${DATABASES_PREFIX}mariadb`
/** The socket of the server. */
export const MARIADB_SOCKET = `/run/${MARIADB_USER}/mysqld.sock`
/** The unit of the server. */
export const MARIADB_UNIT = `${MARIADB_USER}.service`
/** The folder of everything of it. Its data alone are its own. */
export const MARIADB_HOME = `${SYSTEM.state}/mariadb`

const DATA = `${MARIADB_HOME}/data`
const CONFIG = `${MARIADB_HOME}/mariadb.cnf`
/** Applications have 20 connections each; the rest is for ourselves. */
const MAX_CONNECTIONS = 400

/** Folders of the programs: Debian's, and another one of Fedora's. */
const PLACES = ['/usr/bin', '/usr/sbin', '/usr/libexec']

const FIRST_CONFIG = `[mariadbd]
character-set-server = utf8mb4
`

// A dump has definers, whose names a server of its own takes. The folder, like all that runs here, is gone
// with the unit. Standard input is the dump, and the word is the statement that is answered.
const DRILL = `set -eu
data=$(mktemp -d /var/tmp/drill.XXXXXX)
mariadb-install-db --no-defaults --auth-root-authentication-method=normal --skip-test-db --datadir="$data" </dev/null >&2
mariadbd --no-defaults --datadir="$data" --socket="$data/socket" --pid-file="$data/pid" --log-error="$data/log" \\
  --skip-networking --skip-symbolic-links --local-infile=0 --innodb-flush-log-at-trx-commit=0 </dev/null >&2 &
until mariadb-admin --no-defaults --socket="$data/socket" --user=root --silent ping </dev/null >/dev/null 2>&1; do
  kill -0 $! || { tail -n 3 "$data/log" >&2; exit 1; }
  sleep 0.1
done
client() { mariadb --no-defaults --socket="$data/socket" --user=root --batch --raw --skip-column-names "$@"; }
echo 'create database drill' | client
client drill
printf '%s\\n' "$1" | client drill
`

/**
 * A program of MariaDB.
 * @throws Problem `conflict` with the command that installs it
 */
export function mariadbProgram(name: string): string {
  const found = PLACES.map((folder) => join(folder, name)).find((path) => existsSync(path))
  if (found !== undefined) return found
  throw new Problem('conflict', {
    detail: 'this host lacks MariaDB: apt-get install --no-install-recommends mariadb-server',
  })
}

const unitText = (): string => `[Unit]
Description=MariaDB for the applications of svc
Before=${DATABASES_TARGET}

[Service]
Type=notify
User=${MARIADB_USER}
Group=${MARIADB_USER}
RuntimeDirectory=${MARIADB_USER}
RuntimeDirectoryMode=0755
UMask=0077
ExecStart=${mariadbProgram('mariadbd')} --defaults-file=${CONFIG} --datadir=${DATA} --socket=${MARIADB_SOCKET} \\
  --pid-file=${DATA}/mariadbd.pid --skip-networking --skip-name-resolve --skip-symbolic-links --local-infile=0 \\
  --max-connections=${MAX_CONNECTIONS}
ExecStartPost=-${mariadbProgram('mariadb-upgrade')} --no-defaults --socket=${MARIADB_SOCKET} --user=${MARIADB_USER} --silent
KillMode=mixed
Restart=on-failure
TimeoutSec=infinity
OOMScoreAdjust=-900
ReadWritePaths=${DATA}
${CONFINED}
`

/** The one server of MariaDB of a host for its applications, which listens at a socket alone. */
export class MariadbServer {
  /** Makes sure that the server is there and runs. A folder of data that was not made whole is made again. */
  async ensure(): Promise<void> {
    const { uid, gid } = await serverUser(MARIADB_USER, MARIADB_HOME)
    mkdirSync(MARIADB_HOME, { recursive: true, mode: 0o711 })
    if (!existsSync(CONFIG)) placed(CONFIG, FIRST_CONFIG)
    if (!existsSync(DATA)) {
      const aside = `${DATA}.new`
      rmSync(aside, { recursive: true, force: true })
      mkdirSync(aside, { mode: 0o700 })
      chownSync(aside, uid, gid)
      const account = ['--auth-root-authentication-method=socket', `--auth-root-socket-user=${MARIADB_USER}`]
      const words = ['--no-defaults', `--datadir=${aside}`, ...account, '--skip-test-db']
      const command = [mariadbProgram('mariadb-install-db'), ...words]
      await runAs({ user: MARIADB_USER, command, writes: [aside] })
      renameSync(aside, DATA)
    }
    await startServer(MARIADB_UNIT, unitText())
  }

  /** Runs statements as the superuser. Returns the rows. */
  sql(text: string, database = 'mysql'): Promise<string> {
    const quiet = ['--batch', '--raw', '--skip-column-names', database]
    return this.#asSuperuser('mariadb', quiet, { input: `${text}\n` })
  }

  /** Writes a dump of a database to an open file. No code of an application runs for it. */
  async dump(database: string, to: number): Promise<void> {
    const whole = ['--single-transaction', '--quick', '--routines', '--events', '--triggers', '--hex-blob']
    const words = [...whole, '--default-character-set=utf8mb4', '--skip-dump-date', '--', database]
    await this.#asSuperuser('mariadb-dump', words, { to })
  }

  /**
   * Runs the statements of a dump as the account of an application, in a process of a user that is nobody
   * else's: the client carries out commands in them too. The password is in a file for that process alone.
   */
  async load(database: string, account: string, password: string, from: number): Promise<void> {
    const secret = `${MARIADB_HOME}/load.cnf`
    rmSync(secret, { force: true })
    writeFileSync(secret, `[client]\nuser=${account}\npassword=${password}\n`, { mode: 0o600, flag: 'wx' })
    try {
      // systemd puts the folder in the place of the variable.
      const options = [`--defaults-file=\${CREDENTIALS_DIRECTORY}/client.cnf`, `--socket=${MARIADB_SOCKET}`]
      const command = [mariadbProgram('mariadb'), ...options, '--batch', database]
      await runAs({ command, from, credential: `client.cnf:${secret}` })
    } finally {
      rmSync(secret, { force: true })
    }
  }

  /** Reads a dump into a server of its own, which ends with it. Returns the answer to a statement. */
  drill(from: number, statement: string): Promise<string> {
    mariadbProgram('mariadbd')
    return runAs({ command: ['/bin/sh', '-c', DRILL, 'drill', statement], from })
  }

  #asSuperuser(
    program: 'mariadb' | 'mariadb-dump',
    words: readonly string[],
    files: { readonly input?: string; readonly to?: number },
  ): Promise<string> {
    const where = ['--no-defaults', `--socket=${MARIADB_SOCKET}`, `--user=${MARIADB_USER}`]
    return runAs({ user: MARIADB_USER, command: [mariadbProgram(program), ...where, ...words], ...files })
  }
}

/** The folder of the socket. */
export const MARIADB_SOCKET_FOLDER = dirname(MARIADB_SOCKET)
