import {
  constants,
  createReadStream,
  createWriteStream,
  existsSync,
  fchownSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { chown } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { Problem } from '@svc/core'
import type { DatabaseEngine, Sides } from './engine.ts'
import { runAs } from './run-as.ts'
import { serverUser } from './server-unit.ts'
import { keyValueProgram, ValkeyServer } from './valkey-server.ts'

const LOOK_MS = 100
const SECOND_MS = 1_100
/** The files of Redis 7 and of Valkey by which a server begins with a dump. */
const LOG_FOLDER = 'appendonlydir'
const BASE = 'appendonly.aof.1.base.rdb'

/** Key-value databases: a server each, of Valkey or of Redis, whichever the host has. */
export class Valkey implements DatabaseEngine {
  readonly #passwordOf: (name: string) => string

  /** @param passwordOf the password of a database of the record */
  constructor(passwordOf: (name: string) => string) {
    this.#passwordOf = passwordOf
  }

  async create(name: string, password: string): Promise<void> {
    await new ValkeyServer(name).ensure(password)
  }

  async setPassword(name: string, password: string): Promise<void> {
    const server = new ValkeyServer(name)
    await server.ensure(password)
    await server.setPassword(password)
  }

  variables(name: string, password: string, as: string): Readonly<Record<string, string>> {
    const { socket } = new ValkeyServer(name)
    const stem = as.replace(/_URL$/, '')
    return {
      [`${stem}_SOCKET`]: socket,
      [`${stem}_PASSWORD`]: password,
      [as]: `unix://default:${password}@${socket}`,
    }
  }

  socketFolder(name: string): string {
    return dirname(new ValkeyServer(name).socket)
  }

  drop(name: string): Promise<void> {
    return new ValkeyServer(name).remove()
  }

  async dump(name: string, to: number): Promise<void> {
    const server = await this.#ensured(name)
    const lastSave = async () => (await server.command('LASTSAVE')).trim()
    const before = await lastSave()
    // The server tells whole seconds.
    await pause(SECOND_MS)
    await server.command('BGSAVE SCHEDULE')
    while ((await lastSave()) === before) {
      if (!(await server.command('INFO persistence')).includes('rdb_last_bgsave_status:ok'))
        throw new Problem('conflict', {
          detail: `${name} could not be saved: see journalctl -u ${server.unit}`,
        })
      await pause(LOOK_MS)
    }
    const file = openSync(join(server.home, 'current', 'dump.rdb'), constants.O_RDONLY | constants.O_NOFOLLOW)
    await pipeline(createReadStream('', { fd: file }), createWriteStream('', { fd: to, autoClose: false }))
  }

  async load(name: string, from: number): Promise<string> {
    const server = await this.#ensured(name)
    const user = await serverUser(server.user, server.home)
    const { aside } = server
    rmSync(aside, { recursive: true, force: true })
    for (const folder of [aside, join(aside, LOG_FOLDER)]) server.makeFolder(folder, user)
    const base = join(aside, LOG_FOLDER, BASE)
    const to = openSync(base, 'wx', 0o600)
    fchownSync(to, user.uid, user.gid)
    await pipeline(createReadStream('', { fd: from, autoClose: false }), createWriteStream('', { fd: to }))
    const manifest = join(aside, LOG_FOLDER, 'appendonly.aof.manifest')
    writeFileSync(manifest, `file ${BASE} seq 1 type b\n`, { mode: 0o600 })
    await chown(manifest, user.uid, user.gid)
    try {
      const said = await runAs({ user: server.user, command: [keyValueProgram('check-rdb'), base] })
      return `${/ (\d{1,15}) keys read/.exec(said)?.[1] ?? '0'} keys`
    } catch (error) {
      rmSync(aside, { recursive: true, force: true })
      throw error
    }
  }

  async sides(name: string): Promise<Sides> {
    const { used, aside } = new ValkeyServer(name)
    return { used: basename(used), ...(existsSync(aside) ? { aside: basename(aside) } : {}) }
  }

  async swap(name: string, to: string): Promise<void> {
    await (await this.#ensured(name)).turn(to)
  }

  async dropAside(name: string): Promise<void> {
    rmSync(new ValkeyServer(name).aside, { recursive: true, force: true })
  }

  async has(name: string): Promise<boolean> {
    return new ValkeyServer(name).isThere
  }

  async #ensured(name: string): Promise<ValkeyServer> {
    const server = new ValkeyServer(name)
    await server.ensure(this.#passwordOf(name))
    return server
  }
}
