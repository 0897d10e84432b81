import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { type Clock, Problem } from '@svc/core'
import { ENGINES } from '@svc/core/adapters'
import { PLACES } from '../../agent/install/installation.ts'
import { ownerIn } from '../../agent/install/unit.ts'
import { writeDurably } from '../../agent/state/durable-file.ts'
import type { Say } from '../generation.ts'
import { type AppUser, appUserName, idsOf } from '../system/app-user.ts'
import { settleVolume } from '../system/app-volumes.ts'
import { SYSTEM } from '../system/places.ts'
import { VOLUMES, volumeFolder } from '../system/unit-text.ts'
import { keptProperties, podmanHome } from '../system/user-unit.ts'
import type { Databases } from './databases.ts'
import { KEPT_DAYS } from './dumps.ts'
import { runAs } from './run-as.ts'

const HANDOVER = `${SYSTEM.state}/handover`
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const VOLUME = /^([a-z][a-z0-9-]{0,31})\.tar$/
const DUMP = /^([a-z][a-z0-9_-]{0,39})\.([a-z]{1,16})$/
/** The place of a volume for the program that packs it. Each host has this folder. */
const SEEN = '/mnt'

/** Inodes of volumes and words of databases that are in use after an undo. */
interface Undo {
  readonly volumes: Readonly<Record<string, number>>
  readonly databases: Readonly<Record<string, string>>
}

const refused = (detail: string): Problem => new Problem('conflict', { detail })

const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : [])

/** Opens a file of the handlers' user; another one's is refused, whatever links lead there. */
async function openOwn(path: string): Promise<number> {
  const owner = ownerIn(readFileSync(PLACES.addition, 'utf8'))
  const handlers = owner && (await idsOf(owner.user))
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const stat = fstatSync(file)
  if (stat.isFile() && stat.uid === handlers?.uid) return file
  closeSync(file)
  throw refused(`${path} is no file of the handlers`)
}

async function withFile<T>(file: number, work: (file: number) => Promise<T>): Promise<T> {
  try {
    return await work(file)
  } finally {
    closeSync(file)
  }
}

/** Collects the applications whose processes are replaced at the end, each once: this one, and others. */
function lastly(app: string) {
  const apps = new Set([app])
  return { apps, later: async (other: string) => void apps.add(other) }
}

/** The data of applications on its way to a backup, and back: volumes, and the databases that are linked. */
export class AppData {
  readonly #databases: Databases
  readonly #clock: Clock

  constructor(databases: Databases, clock: Clock) {
    this.#databases = databases
    this.#clock = clock
    rmSync(HANDOVER, { recursive: true, force: true })
  }

  /**
   * Lays the data of an application out for the handlers: a file a volume, and a dump a database.
   * @returns the folder; undefined when the application has no data
   */
  async capture(app: string, say: Say): Promise<string | undefined> {
    this.#sweep(app)
    const user = await idsOf(appUserName(app))
    const volumes = user === undefined ? [] : volumesOf(user)
    const linked = this.#databases.linkedTo(app)
    if (volumes.length + linked.length === 0) return undefined
    const folder = join(HANDOVER, app)
    rmSync(folder, { recursive: true, force: true })
    const { gid } = statSync(SYSTEM.control)
    mkdirSync(HANDOVER, { recursive: true, mode: 0o711 })
    for (const part of [folder, join(folder, 'volumes'), join(folder, 'databases')]) {
      mkdirSync(part)
      chownSync(part, 0, gid)
      chmodSync(part, 0o750)
    }
    const write = async (path: string, fill: (to: number) => Promise<unknown>) => {
      const file = openSync(path, 'wx', 0o640)
      chownSync(path, 0, gid)
      await withFile(file, fill)
    }
    for (const name of volumes) {
      say(`packing the volume ${name}`)
      await write(join(folder, 'volumes', `${name}.tar`), (to) =>
        user === undefined ? Promise.resolve() : packed(user, name, to),
      )
    }
    for (const { name, engine } of linked) {
      say(`dumping the database ${name}`)
      const path = join(folder, 'databases', `${name}.${engine}`)
      await write(path, (to) => this.#databases.dump(name, to))
    }
    return folder
  }

  /** Removes the files that were laid out. */
  captured(app: string): void {
    rmSync(join(HANDOVER, app), { recursive: true, force: true })
  }

  /**
   * Brings the data of an application back from files that were laid out once: each made aside, then put in
   * the place of the present one, which is kept for 7 days.
   * @throws Problem `conflict` in words; the present one then stays
   */
  async restore(app: string, folder: string, say: Say, roll: (app: string) => Promise<void>): Promise<void> {
    this.#sweep(app)
    const user = await idsOf(appUserName(app))
    if (user === undefined) throw refused(`there is no ${app} on this host: deploy it, then restore its data`)
    const volumes = namesIn(join(folder, 'volumes')).flatMap((name) => VOLUME.exec(name)?.[1] ?? [])
    for (const name of volumes) {
      settleVolume(user, name)
      await withFile(await openOwn(join(folder, 'volumes', `${name}.tar`)), (from) =>
        unpacked(user, name, from),
      )
      swapVolume(user, name, this.#clock.now())
      say(`restored the volume ${name}; the one from before is kept for ${KEPT_DAYS} days`)
    }
    const { apps, later } = lastly(app)
    for (const file of namesIn(join(folder, 'databases'))) {
      const [, name, ending] = DUMP.exec(file) ?? []
      const engine = ENGINES.find((each) => each === ending)
      if (name === undefined || engine === undefined) continue
      const order = { name, engine, app } as const
      if (!this.#databases.linkedTo(app).some((each) => each.name === name))
        await this.#databases.carryOut({ ...order, op: 'create' }, say, later)
      await withFile(await openOwn(join(folder, 'databases', file)), (from) =>
        this.#databases.restoreDump(order, from, say, later),
      )
    }
    for (const each of apps) await roll(each)
  }

  /**
   * Puts back the data from before a restore; again takes that back. An order that was cut off is finished
   * by the next one: a note names the folders and databases that are in use afterwards.
   */
  async undo(app: string, say: Say, roll: (app: string) => Promise<void>): Promise<void> {
    const user = await idsOf(appUserName(app))
    const note = join(SYSTEM.state, `undo-${app}.json`)
    const wanted = this.#cutOff(note) ?? {
      volumes: user === undefined ? {} : oldVolumes(user),
      databases: await this.#databases.asideFor(app),
    }
    if (Object.keys({ ...wanted.volumes, ...wanted.databases }).length === 0)
      throw refused(`nothing from before a restore of ${app} is kept`)
    await writeDurably(note, JSON.stringify(wanted))
    const { apps, later } = lastly(app)
    try {
      for (const [name, inode] of Object.entries(wanted.volumes)) {
        if (user !== undefined) exchangeVolume(user, name, inode)
        say(`the volume ${name} is the one from before`)
      }
      for (const [name, to] of Object.entries(wanted.databases))
        await this.#databases.lead(name, to, say, later)
      for (const each of apps) await roll(each)
    } finally {
      rmSync(note, { force: true })
    }
  }

  #cutOff(note: string): Undo | undefined {
    const age = this.#clock.now().getTime() - (statSync(note, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    return age < HOUR_MS ? (JSON.parse(readFileSync(note, 'utf8')) as Undo) : undefined
  }

  /** Reads a dump of a backup into a database of its own, and removes it. Returns in words what came. */
  async drill(path: string): Promise<string> {
    const engine = DUMP.exec(basename(path))?.[2] ?? ''
    return withFile(await openOwn(path), (from) => this.#databases.drill(engine, from))
  }

  #sweep(app: string): void {
    const folder = join(VOLUMES, appUserName(app))
    for (const name of namesIn(folder)) {
      const path = join(folder, name)
      const isOld =
        /^\.old(?:er)?-/.test(name) &&
        this.#clock.now().getTime() - statSync(path).ctimeMs > KEPT_DAYS * DAY_MS
      if (isOld || name.startsWith('.new-')) rmSync(path, { recursive: true, force: true })
    }
  }
}

const volumesOf = ({ name }: AppUser): readonly string[] =>
  namesIn(join(VOLUMES, name)).filter((volume) => !volume.startsWith('.'))

/**
 * The way in which the application's user works on the files of a folder: it reaches nothing that the
 * application does not. One with containers works in their namespace of users, since files there belong to
 * further users. In an archive the application's user is the first one, 0.
 */
const worksIn = (user: AppUser, folder: string) =>
  existsSync(podmanHome(user.name))
    ? {
        tar: ['podman', 'unshare', 'tar', '--numeric-owner', '--directory', folder],
        owners: { packed: [], unpacked: ['--same-owner'] },
        as: { user: user.name, properties: keptProperties(user) },
      }
    : {
        tar: ['tar', '--directory', SEEN],
        owners: { packed: ['--owner=0', '--group=0'], unpacked: ['--no-same-owner'] },
        as: { user: user.name, binds: [`${folder}:${SEEN}`] },
      }

function packed(user: AppUser, name: string, to: number): Promise<string> {
  const { tar, owners, as } = worksIn(user, volumeFolder(user.name, name))
  return runAs({ ...as, command: [...tar, ...owners.packed, '--create', '--sparse', '.'], to })
}

/** Unpacks a volume beside the present one. */
async function unpacked(user: AppUser, name: string, from: number): Promise<void> {
  const aside = volumeFolder(user.name, `.new-${name}`)
  rmSync(aside, { recursive: true, force: true })
  mkdirSync(aside, { recursive: true, mode: 0o700 })
  chownSync(aside, user.uid, user.gid)
  const { tar, owners, as } = worksIn(user, aside)
  await runAs({ ...as, command: [...tar, ...owners.unpacked, '--extract'], from })
  const ready = volumeFolder(user.name, `.ready-${name}`)
  rmSync(ready, { recursive: true, force: true })
  renameSync(aside, ready)
}

/**
 * Puts a restored folder in the place of a volume. An older one from before a restore is kept too: the order
 * may be one that is given again. `settleVolume` ends one that was cut off.
 */
function swapVolume(user: AppUser, name: string, now: Date): void {
  const place = (prefix = '', suffix = '') => volumeFolder(user.name, `${prefix}${name}${suffix}`)
  if (existsSync(place('.old-'))) renameSync(place('.old-'), place('.older-', `.${now.getTime()}`))
  if (existsSync(place())) renameSync(place(), place('.old-'))
  renameSync(place('.ready-'), place())
}

/** The volumes with one from before a restore, and the inodes of those. */
const oldVolumes = ({ name: user }: AppUser): Readonly<Record<string, number>> =>
  Object.fromEntries(
    namesIn(join(VOLUMES, user))
      .filter((name) => name.startsWith('.old-'))
      .map((name) => [name.slice('.old-'.length), statSync(volumeFolder(user, name)).ino]),
  )

/** Puts the volume from before in the place of the present one, and the other way round. */
function exchangeVolume(user: AppUser, name: string, inode: number): void {
  settleVolume(user, name)
  const now = volumeFolder(user.name, name)
  if (statSync(now, { throwIfNoEntry: false })?.ino === inode) return
  if (existsSync(now)) renameSync(now, volumeFolder(user.name, `.undone-${name}`))
  settleVolume(user, name)
}
