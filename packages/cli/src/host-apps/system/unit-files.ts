import { chownSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AppContainer, AppProcess, AppService, AppStop, AppVolumes } from '@svc/core/adapters'
import { volumeVariables } from '../volumes.ts'
import type { AppUser } from './app-user.ts'
import { makeVolumes } from './app-volumes.ts'
import { containerFiles } from './container-text.ts'
import { envText, runText, stateFolder, volumeFolder } from './unit-text.ts'
import { podmanHome } from './user-unit.ts'

/** Inputs of the files that a unit reads. */
export interface UnitFiles {
  readonly folder: string
  readonly user: AppUser
  /** One line of a shell; a container without one does as its image says. */
  readonly command: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly stop: AppStop
  readonly volumes: AppVolumes
  readonly container: AppContainer | undefined
  /** The name of its container. */
  readonly name: string
  readonly isKept: boolean
  /** Whether it reads its standard input. */
  readonly hasInput?: boolean
  readonly capabilities?: AppProcess['capabilities']
  /** Its port of 127.0.0.1. */
  readonly port?: number | undefined
  /** Further ones, by the ports of the container that they lead to. */
  readonly reached?: ReadonlyMap<number, number>
  /** Folders of the host with sockets, which a container has at their places. */
  readonly sockets?: readonly string[] | undefined
  /** The addresses of services by their names. */
  readonly hosts?: Readonly<Record<string, string>> | undefined
}

/** The folder of repository files that containers of a user mount, by digests. */
export const mountedFolder = (user: string): string => `${podmanHome(user)}/files`

/** Writes the folder of a unit: what it runs, its variables, a place for its output. Makes its volumes. */
export function writeUnitFiles(files: UnitFiles): void {
  const { folder, user, volumes, port, container, reached = new Map() } = files
  makeVolumes(user, volumes, container?.service === undefined)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o711 })
  for (const [name, text] of Object.entries(textsOf(files))) {
    // Its reader is its owner alone.
    writeFileSync(join(folder, name), text, { mode: 0o400 })
    chownSync(join(folder, name), user.uid, user.gid)
  }
  writeFileSync(join(folder, 'port'), String(port ?? ''), { mode: 0o600 })
  writeFileSync(join(folder, 'reached'), JSON.stringify([...reached]), { mode: 0o600 })
  writeFileSync(join(folder, 'output'), '', { mode: 0o600 })
}

function textsOf(files: UnitFiles): Readonly<Record<string, string>> {
  const {
    folder,
    user,
    command = '',
    env,
    volumes,
    container,
    capabilities,
    port,
    reached = new Map(),
  } = files
  const withPort = (number: number | undefined) => (number === undefined ? {} : { PORT: String(number) })
  if (container === undefined) {
    const own = { HOME: stateFolder(user.name), ...env, ...volumeVariables(volumes), ...withPort(port) }
    return { run: runText(folder, command, files.hasInput, files.stop.signal), env: envText(own) }
  }
  const { service } = container
  const isTold = service === undefined
  const own = { ...env, ...(isTold ? { ...volumeVariables(volumes), ...withPort(container.port) } : {}) }
  const published = [
    ...(port === undefined || container.port === undefined ? [] : [[port, container.port] as const]),
    ...[...reached].map(([inner, outer]) => [outer, inner] as const),
  ]
  const given = { ...files, container, capabilities, user: user.name, env: own, published }
  const sockets = (files.sockets ?? []).map((place) => `${place}:${place}:ro`)
  const mounts = [...mountsOf(user, volumes, service), ...sockets]
  return containerFiles({ ...given, mounts, hosts: files.hosts ?? {} })
}

/**
 * Users of an image own the files in a volume: `U` gives it to the one that the container begins as.
 * Services of a compose file share volumes, and some change their user: they are given an empty one alone.
 */
function mountsOf({ name: user }: AppUser, volumes: AppVolumes, service: AppService | undefined): string[] {
  const own = Object.entries(volumes).map(([name, path]) => {
    const folder = volumeFolder(user, name)
    const isGiven = service === undefined || readdirSync(folder).length === 0
    const options = service?.sealed?.includes(name) ? ':ro' : isGiven ? ':U' : ''
    return `${folder}:${path}${options}`
  })
  const files = Object.entries(service?.files ?? {}).map(
    ([path, digest]) => `${mountedFolder(user)}/${digest}:${path}:ro`,
  )
  return [...own, ...files]
}
