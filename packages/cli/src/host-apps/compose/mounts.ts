import type { AppService } from '@svc/core/adapters'
import { inRepository, plainName, type Repository } from './places.ts'
import { entriesOf, type Findings, isObject, textOf } from './reading.ts'

/** The mounts of a service. */
export interface Mounts {
  readonly volumes: Record<string, string>
  readonly sealed: string[]
  /** Paths of the repository, by their places. */
  readonly files: Record<string, string>
  readonly scratch: string[]
  readonly tmpfs: string[]
}

interface Mount {
  readonly source: string | undefined
  readonly target: string
  readonly isSealed: boolean
  readonly isTmpfs: boolean
}

const OPTIONS = ['ro', 'rw', 'z', 'Z', 'cached', 'delegated', 'consistent', 'nocopy']

/** The names of volumes by their names in the file, which are checked here. */
export function volumeNames(declared: unknown, found: Findings): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const [name, given] of entriesOf(declared, 'volumes', found)) {
    const place = `volumes.${name.slice(0, 64)}`
    const plain = plainName(name)
    if (plain === undefined)
      found.fault(place, 'expected a name that begins with a letter, at most 32 characters')
    else if ([...names.values()].includes(plain)) found.fault(place, `another volume is ${plain} too`)
    else names.set(name, plain)
    if (!isObject(given)) continue
    if (given.driver !== undefined && given.driver !== 'local')
      found.fault(`${place}.driver`, 'volumes are folders of the host: leave it out')
    if (isObject(given.driver_opts) && Object.keys(given.driver_opts).length > 0)
      found.fault(`${place}.driver_opts`, 'volumes are folders of the host: leave it out')
    if (given.external) found.note(`${place} is external: here it is a volume of this application`)
  }
  return names
}

/** Reads the mounts of a service. */
export class MountReader {
  readonly #names: ReadonlyMap<string, string>
  readonly #repository: Repository
  readonly #found: Findings
  /** Paths that are volumes, by the names of those. */
  readonly #paths = new Map<string, string>()

  constructor(names: ReadonlyMap<string, string>, repository: Repository, found: Findings) {
    this.#names = names
    this.#repository = repository
    this.#found = found
  }

  read(value: unknown, tmpfs: readonly string[], place: string): Mounts {
    const mounts: Mounts = { volumes: {}, sealed: [], files: {}, scratch: [], tmpfs: [] }
    for (const each of tmpfs) mounts.tmpfs.push(each.split(':')[0] ?? '')
    const list = value === undefined || value === null ? [] : value
    if (!Array.isArray(list)) this.#found.fault(place, 'expected a list')
    else
      for (const [index, each] of list.entries()) {
        const at = `${place}.${index}`
        const mount = isObject(each) ? this.#long(each, at) : this.#short(textOf(each) ?? '', at)
        if (mount !== undefined) this.#add(mounts, mount, at)
      }
    this.#check(mounts, place)
    return mounts
  }

  #short(text: string, place: string): Mount | undefined {
    const parts = text.split(':')
    const [first = '', second, options] = parts
    if (parts.length === 1) return { source: undefined, target: first, isSealed: false, isTmpfs: false }
    if (parts.length > 3) return this.#found.fault(place, 'expected SOURCE:PLACE or SOURCE:PLACE:ro')
    const wishes = options?.split(',') ?? []
    const odd = wishes.find((wish) => !OPTIONS.includes(wish))
    if (odd !== undefined)
      return this.#found.fault(place, `the option ${odd.slice(0, 32)} is not carried out`)
    return { source: first, target: second ?? '', isSealed: wishes.includes('ro'), isTmpfs: false }
  }

  #long(given: Readonly<Record<string, unknown>>, place: string): Mount | undefined {
    const type = textOf(given.type) ?? 'volume'
    const target = textOf(given.target) ?? ''
    if (!['volume', 'bind', 'tmpfs'].includes(type))
      return this.#found.fault(
        `${place}.type`,
        `${type.slice(0, 32)} is not carried out, only volume, bind, tmpfs`,
      )
    if (isObject(given.volume) && given.volume.subpath !== undefined)
      return this.#found.fault(`${place}.volume.subpath`, 'a volume is mounted whole')
    if (isObject(given.bind) && given.bind.propagation !== undefined)
      return this.#found.fault(`${place}.bind.propagation`, 'it would reach into the host')
    const source = textOf(given.source)
    if (type === 'bind' && source === undefined)
      return this.#found.fault(`${place}.source`, 'expected a path')
    const named = type === 'bind' && source !== undefined && !/^[./~]/.test(source) ? `./${source}` : source
    return { source: named, target, isSealed: given.read_only === true, isTmpfs: type === 'tmpfs' }
  }

  #add(mounts: Mounts, { source, target, isSealed, isTmpfs }: Mount, place: string): void {
    const to = target.replace(/(?<=.)\/$/, '')
    if (isTmpfs) mounts.tmpfs.push(to)
    else if (source === undefined) mounts.scratch.push(to)
    else if (/^[./~]/.test(source)) this.#path(mounts, source, to, place)
    else {
      const name = this.#names.get(source)
      if (name === undefined) {
        this.#found.fault(place, `the volume ${source.slice(0, 64)} is not declared under volumes`)
        return
      }
      this.#volume(mounts, name, to, isSealed, place)
    }
  }

  #volume(mounts: Mounts, name: string, to: string, isSealed: boolean, place: string): void {
    if (mounts.volumes[name] !== undefined)
      this.#found.fault(place, `the volume ${name} stands in this service already`)
    mounts.volumes[name] = to
    if (isSealed) mounts.sealed.push(name)
  }

  /** A path of the repository is mounted as committed; another one is a volume, so that its data stays. */
  #path(mounts: Mounts, source: string, to: string, place: string): void {
    const path = inRepository(source, this.#repository.base)
    if (path === undefined) {
      const why = 'a folder of the host is not mounted: take a volume, or a path of the repository'
      this.#found.fault(place, `${source.slice(0, 100)}: ${why}`)
      return
    }
    if (path === '.' || this.#repository.has(path)) {
      mounts.files[to] = path
      this.#found.note(`${place}: ${source} is mounted as the repository has it, and cannot be written to`)
      return
    }
    const name = plainName(path)
    if (/\.[A-Za-z0-9]+$/.test(path)) {
      this.#found.fault(place, `${source.slice(0, 100)} is not in the repository, and looks like a file`)
      return
    }
    const isTaken = name !== undefined && (this.#paths.get(name) ?? path) !== path
    if (name === undefined || isTaken || [...this.#names.values()].includes(name)) {
      this.#found.fault(place, `${source.slice(0, 100)} is not in the repository: take a named volume`)
      return
    }
    this.#paths.set(name, path)
    this.#found.note(`${place}: ${source} is not in the repository, so it is the volume ${name}`)
    this.#volume(mounts, name, to, false, place)
  }

  #check({ volumes, files, scratch, tmpfs }: Mounts, place: string): void {
    const all = [...Object.values(volumes), ...Object.keys(files), ...scratch, ...tmpfs]
    for (const to of all) {
      if (!/^\/[A-Za-z0-9._@+/-]{1,255}$/.test(to) || to.split('/').includes('..'))
        this.#found.fault(place, `${to.slice(0, 100)}: expected an absolute path of plain words`)
      else if (/^\/(?:proc|sys|dev)(?:\/|$)/.test(to) && to !== '/dev/shm')
        this.#found.fault(place, `${to} is the kernel's`)
    }
    const twice = all.find((to, index) => all.indexOf(to) < index)
    if (twice !== undefined) this.#found.fault(place, `${twice} is there twice`)
  }
}

/** The parts of a service that its mounts are. */
export const mountFields = ({
  volumes,
  sealed,
  scratch,
  tmpfs,
}: Mounts): Pick<AppService, 'volumes' | 'sealed' | 'scratch' | 'tmpfs'> => ({
  volumes,
  ...(sealed.length === 0 ? {} : { sealed }),
  ...(scratch.length === 0 ? {} : { scratch }),
  ...(tmpfs.length === 0 ? {} : { tmpfs }),
})
