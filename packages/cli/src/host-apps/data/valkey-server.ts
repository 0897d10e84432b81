import { createHash } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Problem } from '@svc/core'
import { type AppUser, shortUser } from '../system/app-user.ts'
import { SYSTEM } from '../system/places.ts'
import { ran } from '../system/systemctl.ts'
import { DATABASES_TARGET } from '../system/unit-text.ts'
import { runAs } from './run-as.ts'
import { newPassword } from './scram.ts'
import { CONFINED, DATABASES_PREFIX, placed, serverUser, startServer } from './server-unit.ts'

/** The folder of all key-value databases. */
export const VALKEY_HOME = `${SYSTEM.state}/valkey`
/** Prefix of the names of their users. */
const USERS = 'sk'

const SOCKETS = `${DATABASES_PREFIX}valkey`
const MAX_MEMORY = '256mb'
const SIDES = ['a', 'b'] as const

const digestOf = (password: string): string => createHash('sha256').update(password).digest('hex')

/**
 * The program of a name, of Valkey or of Redis.
 * @throws Problem `conflict` with the command that installs it
 */
export function keyValueProgram(word: 'server' | 'cli' | 'check-rdb'): string {
  const found = ['valkey', 'redis'].map((name) => `/usr/bin/${name}-${word}`).find((path) => existsSync(path))
  if (found !== undefined) return found
  throw new Problem('conflict', {
    detail:
      'this host lacks Valkey and Redis: apt-get install --no-install-recommends valkey, or redis-server',
  })
}

/** The server of one key-value database: a unit and a user of its own, which listens at a socket alone. */
export class ValkeyServer {
  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  get unit(): string {
    return `${SOCKETS}@${this.#name}.service`
  }

  get user(): string {
    return shortUser(USERS, this.#name)
  }

  get home(): string {
    return join(VALKEY_HOME, this.#name)
  }

  get socket(): string {
    return `/run/${SOCKETS}/${this.#name}/valkey.sock`
  }

  /** The folder that is in use. */
  get used(): string {
    return join(this.home, readlinkSync(this.#current))
  }

  /** The folder that is not in use. */
  get aside(): string {
    return join(this.home, readlinkSync(this.#current) === SIDES[0] ? SIDES[1] : SIDES[0])
  }

  get isThere(): boolean {
    return existsSync(this.#current)
  }

  /** Makes sure that the server is there, runs with this password, and from the folder that is in use. */
  async ensure(password: string): Promise<void> {
    const program = keyValueProgram('server')
    const user = await serverUser(this.user, this.home)
    mkdirSync(VALKEY_HOME, { recursive: true, mode: 0o711 })
    for (const folder of [this.home, join(this.home, SIDES[0])]) this.makeFolder(folder, user)
    if (!existsSync(this.#current)) symlinkSync(SIDES[0], this.#current)
    if (!existsSync(this.#keeperFile)) writeFileSync(this.#keeperFile, newPassword(), { mode: 0o600 })
    const config = join(this.home, 'valkey.conf')
    placed(config, this.#config(password), 0o400)
    chownSync(config, user.uid, user.gid)
    await startServer(this.unit, this.#unitText(program))
    await this.#followLink()
  }

  /** Makes a folder of the server. */
  makeFolder(folder: string, { uid, gid }: Pick<AppUser, 'uid' | 'gid'>): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chownSync(folder, uid, gid)
  }

  /** Leads the server to a folder of its two. */
  async turn(next: string): Promise<void> {
    rmSync(`${this.#current}.new`, { force: true })
    symlinkSync(next, `${this.#current}.new`)
    renameSync(`${this.#current}.new`, this.#current)
    await this.#followLink()
  }

  /** Runs commands of administration; returns what the server says. */
  async command(...lines: readonly string[]): Promise<string> {
    const input = [`AUTH keeper ${readFileSync(this.#keeperFile, 'utf8')}`, ...lines, ''].join('\n')
    const said = await runAs({
      user: this.user,
      command: [keyValueProgram('cli'), '-s', this.socket, '-e'],
      input,
    })
    return said.replace(/^OK\n/, '')
  }

  /** Sets the password of the application, without a restart. */
  async setPassword(password: string): Promise<void> {
    await this.command(`ACL SETUSER default resetpass #${digestOf(password)}`)
  }

  /** Removes the server, its user's files and its unit. */
  async remove(): Promise<void> {
    const file = join(SYSTEM.units, this.unit)
    if (existsSync(file)) await ran('systemctl', 'stop', this.unit)
    rmSync(join(SYSTEM.units, `${DATABASES_TARGET}.wants`, this.unit), { force: true })
    rmSync(file, { force: true })
    await ran('systemctl', 'daemon-reload')
    for (const folder of [this.home, dirname(this.socket)]) rmSync(folder, { recursive: true, force: true })
    rmSync(this.#keeperFile, { force: true })
  }

  get #current(): string {
    return join(this.home, 'current')
  }

  /** The password of administration: for root alone, and no application's. */
  get #keeperFile(): string {
    return join(VALKEY_HOME, `${this.#name}.keeper`)
  }

  /** A server works where it began: one that was led elsewhere begins again. */
  async #followLink(): Promise<void> {
    const said = await this.command('CONFIG GET dir')
    if (said.split('\n').includes(realpathSync(this.#current))) return
    await ran('systemctl', 'restart', this.unit)
  }

  #config(password: string): string {
    const keeper = readFileSync(this.#keeperFile, 'utf8')
    return `port 0
unixsocket ${this.socket}
unixsocketperm 777
dir ${this.#current}
appendonly yes
maxmemory ${MAX_MEMORY}
maxmemory-policy noeviction
supervised systemd
user default on #${digestOf(password)} ~* &* +@all -@admin
user keeper on #${digestOf(keeper)} ~* &* +@all
`
  }

  #unitText(program: string): string {
    return `[Unit]
Description=key-value database ${this.#name} of svc
Before=${DATABASES_TARGET}

[Service]
Type=notify
User=${this.user}
Group=${this.user}
RuntimeDirectory=${SOCKETS}/${this.#name}
RuntimeDirectoryMode=0755
UMask=0077
ExecStart=${program} ${this.home}/valkey.conf
Restart=always
RestartSec=1
TimeoutSec=300
ReadWritePaths=${this.home}
${CONFINED}
`
  }
}
