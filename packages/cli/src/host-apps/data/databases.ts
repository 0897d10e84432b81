import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, type Log, Problem } from '@svc/core'
import { type DatabaseOrder, type HostDatabase, VARIABLE_OF } from '@svc/core/adapters'
import type { Say } from '../generation.ts'
import { DatabasesFile } from './databases-file.ts'
import { Dumps, KEPT_DAYS } from './dumps.ts'
import type { DatabaseEngine } from './engine.ts'
import { newPassword } from './scram.ts'
import { type NamedDatabase, type Roll, Swaps } from './swaps.ts'

/** Inputs of the databases of a host. */
export interface DatabasesParts {
  readonly file: DatabasesFile
  readonly dumps: Dumps
  readonly clock: Clock
  readonly engines: Readonly<Record<HostDatabase['engine'], DatabaseEngine>>
  /** Engines that try out whether an open dump can be read, and say in words how much came. */
  readonly drills: Readonly<Record<string, { drill(from: number): Promise<string> }>>
}

/** The record, as engines know it. */
export interface KnownDatabases {
  readonly namesOf: (engine: string) => readonly string[]
  readonly passwordOf: (name: string) => string
}

const DAY_S = 86_400
const HOUR_MS = 3_600_000

const refused = (detail: string): Problem => new Problem('conflict', { detail })

/**
 * The databases of a host: its record, their engines and dumps. Each order writes its intent down first and
 * can be given again: one that a killed supervisor left half done is finished by the next one.
 */
export class Databases implements Disposable {
  readonly #parts: DatabasesParts
  readonly #swaps: Swaps
  readonly #sweeper: NodeJS.Timeout
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(parts: DatabasesParts, log: Log) {
    this.#parts = parts
    this.#swaps = new Swaps(parts)
    const sweep = () =>
      void this.#inTurn(() => this.#sweep()).catch((err) => log.error({ err }, 'old data of databases'))
    this.#sweeper = setInterval(sweep, HOUR_MS).unref()
  }

  /** Opens the databases of a supervisor's folder. */
  static async open(
    folder: string,
    clock: Clock,
    log: Log,
    open: (known: KnownDatabases) => Pick<DatabasesParts, 'engines' | 'drills'>,
  ): Promise<Databases> {
    const file = await DatabasesFile.open(folder)
    const known = {
      namesOf: (engine: string) => file.all.flatMap(([name, each]) => (each.engine === engine ? [name] : [])),
      passwordOf: (name: string) => file.get(name)?.password ?? '',
    }
    const dumps = new Dumps(join(folder, 'dumps'))
    return new Databases({ file, clock, dumps, ...open(known) }, log)
  }

  /** The variables of the databases that an application is linked to. */
  variables(app: string): Readonly<Record<string, string>> {
    const each = this.#parts.file.all.flatMap(([name, { engine, password, links }]) =>
      links.flatMap((link) =>
        link.app === app ? [this.#parts.engines[engine].variables(name, password, link.as)] : [],
      ),
    )
    return Object.assign({}, ...each)
  }

  /** The folders of sockets of an application's databases: containers mount them at their own places. */
  socketsOf(app: string): readonly string[] {
    const { engines } = this.#parts
    return [...new Set(this.linkedTo(app).map(({ name, engine }) => engines[engine].socketFolder(name)))]
  }

  /** The databases that an application is linked to. */
  linkedTo(app: string): readonly { readonly name: string; readonly engine: HostDatabase['engine'] }[] {
    return this.#parts.file.all.flatMap(([name, { engine, links, ready }]) =>
      ready && links.some((link) => link.app === app) ? [{ name, engine }] : [],
    )
  }

  /** Drops the databases of an application that no other is linked to, with a dump, and unlinks others. */
  leave(app: string, say: Say): Promise<void> {
    return this.#inTurn(async () => {
      for (const { name, engine } of this.linkedTo(app)) {
        const database = this.#known({ name, engine })
        const links = database.links.filter((each) => each.app !== app)
        if (links.length === 0) await this.#drop({ name, engine }, say)
        else {
          await this.#parts.file.put(name, { ...database, links })
          say(`the database ${name} stays: ${links.map((each) => each.app).join(', ')} has it too`)
        }
      }
    })
  }

  /** Writes a dump of a database to an open file. */
  dump(name: string, to: number): Promise<void> {
    return this.#inTurn(async () => {
      const database = this.#parts.file.get(name)
      if (database === undefined) throw refused(`there is no database ${name} on this host`)
      await this.#parts.engines[database.engine].dump(name, to)
    })
  }

  /** Makes a database anew from an open dump, and puts it in the place of the one in use. */
  restoreDump(order: NamedDatabase, from: number, say: Say, roll: Roll): Promise<void> {
    return this.#inTurn(() => this.#restoreFrom(order, from, say, roll))
  }

  /** The databases of an application that have one from before a restore, each with the word of that one. */
  async asideFor(app: string): Promise<Readonly<Record<string, string>>> {
    const found: Record<string, string> = {}
    for (const { name, engine } of this.linkedTo(app)) {
      const { aside } = await this.#parts.engines[engine].sides(name)
      if (aside !== undefined) found[name] = aside
    }
    return found
  }

  /** Puts the one of a word in use, if it is not already. */
  async lead(name: string, to: string, say: Say, roll: Roll): Promise<void> {
    await this.#inTurn(async () => {
      const engine = this.#parts.file.get(name)?.engine
      if (engine !== undefined) await this.#swaps.lead({ name, engine }, to, 'undo', roll)
    })
    say(`${name} is the one from before; undo again takes that back`)
  }

  /** Reads an open dump of an engine into a database of its own. Returns in words what came. */
  async drill(engine: string, from: number): Promise<string> {
    const tried = this.#parts.drills[engine]
    if (tried === undefined) throw refused(`no dump of ${engine} is read here`)
    let came = ''
    await this.#inTurn(async () => {
      came = await tried.drill(from)
    })
    return came
  }

  /** Returns a line without passwords. */
  masked(line: string): string {
    return this.#parts.file.all.reduce((text, [, { password }]) => text.replaceAll(password, '***'), line)
  }

  /** Orders whose applications have not got the next password yet. */
  get unfinished(): readonly DatabaseOrder[] {
    return this.#parts.file.all.flatMap(([name, { engine, next }]) =>
      next === undefined ? [] : [{ op: 'rotate' as const, engine, name }],
    )
  }

  /**
   * Carries an order out. Orders wait for each other.
   * @throws Problem `conflict` in words
   */
  carryOut(order: DatabaseOrder, say: Say, roll: Roll): Promise<void> {
    return this.#inTurn(async () => {
      await this.#sweep()
      if (await this.#swaps.wasUndone(order))
        return say(`${order.name} is the one from before; undo again takes that back`)
      await this[order.op](order, say, roll)
    })
  }

  /** Finishes swaps of a supervisor that was killed. */
  finish(roll: Roll): Promise<void> {
    return this.#inTurn(() => this.#swaps.finish(roll))
  }

  private async create(order: DatabaseOrder, say: Say, roll: Roll): Promise<void> {
    const { file, engines } = this.#parts
    const { name, engine } = order
    const known = file.get(name)
    if (known !== undefined && known.engine !== engine)
      throw refused(`${name} is a database of ${known.engine}`)
    const database = known ?? { engine, password: newPassword(), links: [], ready: false }
    if (known === undefined) await file.put(name, database)
    try {
      await engines[engine].create(name, database.password)
    } catch (error) {
      // Nothing was promised yet, and a name that no server has would stand in the way of another engine.
      if (!database.ready && !(await engines[engine].has(name).catch(() => false)))
        await file.put(name, undefined)
      throw error
    }
    if (!database.ready) await file.put(name, { ...database, ready: true })
    say(database.ready ? `the database ${name} is there already` : `made the database ${name} of ${engine}`)
    if (order.app !== undefined) await this.link(order, say, roll)
  }

  private async link(order: DatabaseOrder, say: Say, roll: Roll): Promise<void> {
    const { file } = this.#parts
    const { name, engine, app = '' } = order
    const as = order.as ?? VARIABLE_OF[engine]
    const database = this.#known(order)
    const taken = file.all.find(
      ([other, { links }]) => other !== name && links.some((each) => each.app === app && each.as === as),
    )
    if (taken !== undefined)
      throw refused(`${as} of ${app} is the address of ${taken[0]}: name another variable for ${name}`)
    const links = [...database.links.filter((each) => each.app !== app), { app, as }]
    await file.put(name, { ...database, links })
    say(`${app} gets the address of ${name} as ${as}`)
    await roll(app)
  }

  private async unlink(order: DatabaseOrder, say: Say, roll: Roll): Promise<void> {
    const { name, app = '' } = order
    const database = this.#known(order)
    const links = database.links.filter((each) => each.app !== app)
    if (links.length < database.links.length) await this.#parts.file.put(name, { ...database, links })
    say(`${app} is not linked to ${name}`)
    await roll(app)
  }

  private async rotate(order: DatabaseOrder, say: Say, roll: Roll): Promise<void> {
    const { file, engines } = this.#parts
    const { name, engine } = order
    const database = this.#known(order)
    const next = database.next ?? newPassword()
    await file.put(name, { ...database, next })
    await engines[engine].setPassword(name, next)
    await file.put(name, { ...database, next, password: next })
    say(`${name} has a new password`)
    for (const { app } of database.links) await roll(app)
    const { next: _, ...done } = this.#known(order)
    await file.put(name, done)
  }

  private async drop(order: DatabaseOrder, say: Say): Promise<void> {
    const { name } = order
    if (this.#parts.file.get(name) === undefined) return say(`there is no database ${name} on this host`)
    const { links } = this.#known(order)
    const apps = links.map(({ app }) => app).join(', ')
    if (links.length > 0) throw refused(`${name} is linked to ${apps}: unlink it first`)
    await this.#drop(order, say)
  }

  async #drop({ name, engine }: NamedDatabase, say: Say): Promise<void> {
    const { file, engines, dumps, clock } = this.#parts
    if (await engines[engine].has(name)) {
      const kept = await dumps.write(name, 'dropped', clock.now(), (to) => engines[engine].dump(name, to))
      say(`kept a dump for ${KEPT_DAYS} days: ${kept.path}`)
    }
    await engines[engine].drop(name)
    await file.put(name, undefined)
    say(`dropped the database ${name}`)
  }

  private async backup(order: DatabaseOrder, say: Say): Promise<void> {
    const { engines, dumps, clock } = this.#parts
    const { name, engine } = order
    this.#known(order)
    const kept = await dumps.write(name, 'backup', clock.now(), (to) => engines[engine].dump(name, to))
    say(`wrote ${kept.name}, ${kept.bytes} bytes, kept for ${KEPT_DAYS} days: ${kept.path}`)
  }

  private async restore(order: DatabaseOrder, say: Say, roll: Roll): Promise<void> {
    const { dumps } = this.#parts
    const kept = dumps.list(order.name)
    const isMeant = (name: string) =>
      order.dump === undefined ? name.endsWith('-backup') : name === order.dump
    const dump = kept.find(({ name }) => isMeant(name))
    if (dump === undefined) throw refused(`${order.name} has no such dump: the op list names them`)
    say(`restoring ${order.name} from ${dump.name}`)
    const from = openSync(dump.path, 'r')
    try {
      await this.#restoreFrom(order, from, say, roll)
    } finally {
      closeSync(from)
    }
  }

  async #restoreFrom(order: NamedDatabase, from: number, say: Say, roll: Roll): Promise<void> {
    const { file, engines, clock, dumps } = this.#parts
    const { name, engine } = order
    const database = this.#known(order)
    // An order that is given again would take the data of the first one for that from before.
    await dumps.write(name, 'before', clock.now(), (to) => engines[engine].dump(name, to))
    const came = await engines[engine].load(name, from)
    await file.put(name, {
      ...database,
      aside_until: Math.floor(clock.now().getTime() / 1000) + KEPT_DAYS * DAY_S,
    })
    await this.#swaps.swap(order, 'restore', roll)
    say(
      `restored ${name}: ${came}; the one from before is kept for ${KEPT_DAYS} days, and the op undo brings it back`,
    )
  }

  private async undo(order: DatabaseOrder, say: Say, roll: Roll): Promise<void> {
    this.#known(order)
    await this.#swaps.swap(order, 'undo', roll)
    say(`${order.name} is the one from before; undo again takes that back`)
  }

  private async list(_: DatabaseOrder, say: Say): Promise<void> {
    const { file, dumps } = this.#parts
    for (const [name, { engine, links, ready }] of file.all) {
      const apps = links.map(({ app, as }) => `${app} as ${as}`).join(', ') || 'no app'
      say(`${name} (${engine}${ready ? '' : ', not made whole'}): ${apps}`)
      for (const { name: dump, bytes } of dumps.list(name)) say(`  ${dump}, ${bytes} bytes`)
    }
    if (file.all.length === 0) say('this host has no databases')
  }

  #known({ name, engine }: NamedDatabase): HostDatabase {
    const known = this.#parts.file.get(name)
    if (known?.engine !== engine || !known.ready)
      throw refused(`there is no database ${name} of ${engine} on this host: the op create makes it`)
    return known
  }

  async #sweep(): Promise<void> {
    const { file, engines, dumps, clock } = this.#parts
    const now = clock.now()
    dumps.expire(now)
    for (const [name, { aside_until: until, ...database }] of file.all) {
      if (until === undefined || until * 1000 > now.getTime()) continue
      await engines[database.engine].dropAside(name)
      await file.put(name, database)
    }
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  [Symbol.dispose](): void {
    clearInterval(this.#sweeper)
  }
}
